// Targets that misbehave in ways no list of faults has, with a good one behind them: the client gets one whole answer of one of them, in
// its own dialect, and its key stays here. Whole and streamed, for all pairs of dialects, with hedging and without, and with all that a route
// can do about a stream that breaks: one way for each pair here, so that each way meets each dialect on both sides.

import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/grid.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { bodyOfAnswer, SSE, streamOf, type StubRequest, stubWorld } from "./stub-upstream.ts";

const ONE = ["One ", "way: ", "north 🧭."];
const TWO = ["Two ", "ways: ", "south 北."];
const KEY = "key-of-the-client-itself";
const HEADERS = { "authorization": `Bearer ${KEY}`, "x-goog-api-key": KEY };
const JSON_TYPE = { "content-type": "application/json" };

function well({ dialect, isStream }: StubRequest, pieces: readonly string[]): string {
  return isStream ? streamOf(dialect, pieces) : bodyOfAnswer(dialect, pieces.join(""));
}

type Misbehaviour = (request: StubRequest, response: ServerResponse) => void;

/** Sends an answer in another form than usual; readers that know the format understand it. */
const inForm =
  (form: (stream: string) => string): Misbehaviour =>
  (request, response) => {
    response.writeHead(200, request.isStream ? SSE : JSON_TYPE);
    response.end(request.isStream ? form(well(request, ONE)) : well(request, ONE));
  };

const BREAKS = "promises more bytes than it sends";

const ODD: Readonly<Record<string, Misbehaviour>> = {
  "closes at once": (_request, response) => void response.destroy(),
  "sends a head and nothing more": (_request, response) => {
    response.writeHead(200, SSE);
    response.flushHeaders();
  },
  "ends with CRLF": inForm((stream) => stream.replaceAll("\n", "\r\n")),
  "begins with a byte order mark": inForm((stream) => `\uFEFF${stream}`),
  "has comments and retry lines": inForm((stream) => stream.replaceAll("\n\n", "\n\n: hello\nretry: 5\n\n")),
  "writes no space behind the colon": inForm((stream) => stream.replaceAll("data: ", "data:")),
  "sends a page with status 200": (_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html><body>Sign in to the hotel network</body></html>");
  },
  "sends nothing with status 200": (_request, response) => void response.writeHead(200, SSE).end(),
  "has status 204": (_request, response) => void response.writeHead(204).end(),
  "sends its client elsewhere": (_request, response) =>
    void response.writeHead(307, { location: "http://127.0.0.1:9/elsewhere" }).end(),
  [BREAKS]: (request, response) => {
    const body = Buffer.from(well(request, ONE));
    response.writeHead(200, { ...(request.isStream ? SSE : JSON_TYPE), "content-length": body.length + 100 });
    response.write(body.subarray(0, body.length - 60), () => response.destroy());
  },
  "sends bytes that are not text": (_request, response) =>
    void response.writeHead(200, SSE).end(Buffer.from(Array.from({ length: 999 }, (_none, at) => (at * 7919) % 256))),
  "answers a stream with a body, and a body with a stream": (request, response) => {
    response.writeHead(200, request.isStream ? JSON_TYPE : SSE);
    response.end(well({ ...request, isStream: !request.isStream }, ONE));
  },
  "sends an empty object": (_request, response) => void response.writeHead(200, JSON_TYPE).end("{}"),
  "has an error inside a 200": (request, response) => {
    response.writeHead(200, request.isStream ? SSE : JSON_TYPE);
    const error = JSON.stringify({ error: { message: "overloaded", type: "overloaded_error", code: 529 } });
    response.end(request.isStream ? `event: error\ndata: ${error}\n\n` : error);
  },
};

const NAMES = Object.keys(ODD);

/** What a route does about silence and breaks. */
const ROUTES = ["", ", hedge: { after: 300 }", ", mid_stream: continue", ", mid_stream: restart"];
const BOTH = ", hedge: { after: 300 }, mid_stream: continue";

describe.each(DIALECTS)("a client of %s", (client) => {
  describe.each(DIALECTS)("with a first target of %s", (first) => {
    const turn = DIALECTS.indexOf(client) + DIALECTS.indexOf(first);
    const routes = first === client ? [...ROUTES, BOTH] : shareOf(ROUTES, ROUTES.length, turn);
    it.each(routes.map((route, at) => ({ route, at })))(
      "gets one whole answer (route with$route)",
      async ({ route, at }) => {
        const world = await stubWorld(
          (request, response) => {
            if (request.target === "one")
              return ODD[NAMES[Number(request.model.split("-")[1])] ?? ""]?.(request, response);
            response.writeHead(200, request.isStream ? SSE : JSON_TYPE);
            response.end(well(request, TWO));
          },
          (base) => `
version: 1
targets:
  one: { dialect: ${first}, base_url: "${base}/one/v1", api_key_env: OWN, timeouts: { headers_ms: 2000, first_token_ms: 3000, idle_ms: 3000 } }
  two: { dialect: ${client}, base_url: "${base}/two/v1", api_key_env: OWN, continues: true }
routes:
  odd-*: { chain: [one, two]${route} }
keys:
  me: { key_env: MINE }
`,
          { env: { OWN: "key-of-the-gateway", MINE: KEY } },
        );
        const all = NAMES.flatMap((name) =>
          [true, false].map((streaming) => ({ name, index: NAMES.indexOf(name), streaming })),
        );
        // The routes of a pair share the misbehaviours among them, and so do pairs that follow each other.
        const asks = shareOf(all, 5, turn + at);
        const heard = await world.run(
          Promise.all(
            asks.map(({ index, streaming }) =>
              ask(world.url, client, { model: `odd-${index}`, streaming, headers: HEADERS }),
            ),
          ),
        );
        for (const [index, { name, streaming }] of asks.entries()) {
          const { text, isWhole, status, error } = heard[index] ?? {};
          const about = `${name}, streaming: ${streaming}`;
          if (streaming && name === BREAKS) {
            // A client that has seen some of it gets an error, and the answer does not look complete. Any other client gets the second answer.
            const isTold = isWhole === false && ONE.join("").startsWith(text ?? "?");
            const isWholeOfTwo = isWhole === true && text?.endsWith(TWO.join("")) === true;
            // What a text that was continued begins with, is the first target's.
            const begun = isWholeOfTwo ? text.slice(0, -TWO.join("").length) : "";
            const mayBegin = route.includes("continue") ? ONE.join("").startsWith(begun.trimEnd()) : begun === "";
            expect([about, isTold || (isWholeOfTwo && mayBegin)]).toEqual([about, true]);
            if (route.includes("restart")) expect([about, text]).toEqual([about, TWO.join("")]);
            continue;
          }
          expect([about, status, isWhole, error]).toEqual([about, 200, true, null]);
          expect([ONE.join(""), TWO.join("")], about).toContain(text);
        }
        expect(JSON.stringify(world.asked)).not.toContain(KEY);
      },
    );
  });
});
