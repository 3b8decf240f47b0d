// Servers that never stop sending: how much of them is read and kept, in every protocol and in every place bytes can come from.

import type { RequestListener, ServerResponse } from "node:http";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import {
  createFaultline,
  createMemoryJournal,
  type Faultline,
  isFaultError,
  type Session,
} from "../../../src/index.ts";
import { boundedFetch, MOST_BYTES } from "../../../src/provider/fetch/bounded.ts";
import { withServer } from "../../support/failing-server.ts";
import { shareOf } from "../../support/grid.ts";
import { thrownBy } from "../../support/thrown.ts";

/** What the buffers of both sockets hold when the connection is closed. */
const IN_SOCKETS = 24 * 1_048_576;
const ONCE = withRows(DEFAULT_POLICY, [
  { match: {}, retry: null, then: ["surface", "fail"], origin: { layer: "file", at: "test" } },
]);

interface Endless {
  readonly status: number;
  readonly type: string;
  readonly first: string;
  readonly again: string;
}

/** Sends without end, at the reader's pace, and counts. */
function endless({ status, type, first, again }: Endless, sent: { bytes: number }): RequestListener {
  const piece = Buffer.from(again.length > 65_536 ? again : again.repeat(Math.ceil(65_536 / again.length)));
  const pump = async (response: ServerResponse): Promise<void> => {
    let wake: (value: unknown) => void = () => undefined;
    response.on("drain", () => wake(0)).on("close", () => wake(0));
    response.writeHead(status, { "content-type": type });
    response.write(first);
    while (!response.destroyed) {
      sent.bytes += piece.byteLength;
      if (!response.write(piece)) await new Promise((resolve) => (wake = resolve));
    }
  };
  return (request, response) => {
    request.resume();
    void pump(response);
  };
}

const EVENTS = "text/event-stream";
const JSON_TYPE = "application/json";

// prettier-ignore
const SHAPES: readonly (Endless & { readonly name: string; readonly stream: boolean; readonly code: string; readonly most: number })[] = [
  { name: "an error",                  stream: false, status: 500, type: JSON_TYPE,    first: '{"error":{"message":"', again: "x",                        code: "Provider5xx",      most: MOST_BYTES.error },
  { name: "an error to a stream",      stream: true,  status: 500, type: "text/html",  first: "<html>",               again: "<p>sorry</p>",             code: "Provider5xx",      most: MOST_BYTES.error },
  { name: "a JSON body",               stream: false, status: 200, type: JSON_TYPE,    first: '{"id":"',              again: "x",                        code: "AnswerUnreadable", most: MOST_BYTES.answer },
  { name: "white space before a body", stream: false, status: 200, type: JSON_TYPE,    first: "",                     again: " \n",                      code: "AnswerUnreadable", most: MOST_BYTES.answer },
  { name: "comments",                  stream: true,  status: 200, type: EVENTS,       first: "",                     again: ": still here\n\n",         code: "AnswerUnreadable", most: MOST_BYTES.quiet },
  { name: "pings",                     stream: true,  status: 200, type: EVENTS,       first: "",                     again: 'event: ping\ndata: {"type": "ping"}\n\n', code: "AnswerUnreadable", most: MOST_BYTES.quiet },
  { name: "blank lines",               stream: true,  status: 200, type: EVENTS,       first: "",                     again: "\n",                       code: "AnswerUnreadable", most: MOST_BYTES.quiet },
  { name: "a page",                    stream: true,  status: 200, type: EVENTS,       first: "<html>",               again: "<p>sorry</p>",             code: "AnswerUnreadable", most: MOST_BYTES.quiet },
  { name: "a body instead of events",  stream: true,  status: 200, type: EVENTS,       first: '{"id":"',              again: "x",                        code: "AnswerUnreadable", most: MOST_BYTES.quiet },
];

// prettier-ignore
const ADDRESSES: readonly { readonly provider: string; readonly at: (stream: boolean) => readonly [string, unknown] }[] = [
  { provider: "openai",    at: (stream) => ["/v1/chat/completions", { model: "gpt-5", messages: [], stream }] },
  { provider: "openai",    at: (stream) => ["/v1/responses", { model: "gpt-5", input: "hi", stream }] },
  { provider: "anthropic", at: (stream) => ["/v1/messages", { model: "claude-sonnet-4-5", max_tokens: 9, messages: [], stream }] },
  { provider: "google",    at: (stream) => [`/v1beta/models/gemini-2.5-flash:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`, { contents: [] }] },
];

describe("an answer without end, through fl.fetch", () => {
  for (const [row, { provider, at }] of ADDRESSES.entries()) {
    it.each(shareOf(SHAPES, 4, row))(`$name at ${at(false)[0]} is read to its limit`, async (shape) => {
      const sent = { bytes: 0 };
      await withServer(endless(shape, sent), async ({ url }) => {
        const fl = createFaultline({ policy: ONCE });
        const [path, body] = at(shape.stream);
        const asked = fl.fetch({ provider })(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
        if (shape.status === 500) {
          const response = await asked;
          expect(response.headers.get("x-faultline-code")).toBe(shape.code);
          expect((await response.text()).length).toBeLessThanOrEqual(shape.most);
        } else expect(await codeOf(asked)).toBe(shape.code);
      });
      expect(sent.bytes).toBeLessThan(shape.most + IN_SOCKETS);
    });
  }

  const CONTENT = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${"hello ".repeat(4_000)}"}}]}\n\n`;

  it("endless keep-alives after the first content end the stream", async () => {
    const sent = { bytes: 0 };
    await withServer(
      endless({ status: 200, type: EVENTS, first: CONTENT, again: ": here\n\n" }, sent),
      async ({ url }) => {
        const response = await chat(createFaultline({ policy: ONCE }), url);
        expect(await codeOf(drained(response))).toBe("AnswerUnreadable");
      },
    );
    expect(sent.bytes).toBeLessThan(MOST_BYTES.quiet + IN_SOCKETS);
  });

  it("each piece of content sets the count of keep-alives back to zero", async () => {
    const quiet = `: ${"x".repeat(1_000)}\n\n`.repeat(20_000);
    const end = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
    const body = [CONTENT, quiet, CONTENT, quiet, CONTENT, end].join("");
    const whole: RequestListener = (request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": EVENTS }).end(body);
    };
    await withServer(whole, async ({ url }) => {
      const response = await chat(createFaultline({ policy: ONCE }), url);
      expect((await response.arrayBuffer()).byteLength).toBe(body.length);
    });
  });

  it("a session keeps an answer only up to its limit", async () => {
    const sent = { bytes: 0 };
    await withServer(endless({ status: 200, type: EVENTS, first: CONTENT, again: CONTENT }, sent), async ({ url }) => {
      const fl = createFaultline({ policy: ONCE, journal: createMemoryJournal() });
      const session = await fl.session("s");
      const thrown: string[] = [];
      await session.turn(async () => {
        thrown.push(await codeOf(drained(await chat(fl, url, session))));
        return {};
      });
      expect(thrown).toEqual(["AnswerUnreadable"]);
    });
    expect(sent.bytes).toBeLessThan(MOST_BYTES.answer + IN_SOCKETS);
  });
});

describe("an answer without end, through the fetch of a workflow's models", () => {
  const UNENDED = {
    name: "an event",
    stream: true,
    status: 200,
    type: EVENTS,
    first: "data: ",
    again: "x",
    code: "AnswerUnreadable",
    most: MOST_BYTES.quiet,
  };
  // Keep-alives are dropped as they are read: they are the business of the clock.
  const shapes = [...SHAPES.filter(({ type, status }) => type === JSON_TYPE || status === 500), UNENDED];
  it.each(shapes)("$name is read to its limit", async (shape) => {
    const sent = { bytes: 0 };
    await withServer(endless(shape, sent), async ({ url }) => {
      const fl = createFaultline({ policy: ONCE });
      const model = fl.model([createOpenAI({ baseURL: url, apiKey: "k", fetch: boundedFetch }).chat("gpt-5")]);
      const asked = shape.stream
        ? Promise.resolve(streamText({ model, prompt: "hi", maxRetries: 0, onError: () => undefined }).text)
        : generateText({ model, prompt: "hi", maxRetries: 0 });
      await thrownBy(asked);
      const codes = fl.recent().flatMap(({ event }) => (event.type === "call-failed" ? [event.fault.code] : []));
      expect(codes).toEqual([shape.code]);
    });
    expect(sent.bytes).toBeLessThan(shape.most + IN_SOCKETS);
  });
});

function chat(fl: Faultline, url: string, within?: Session): Promise<Response> {
  const body = JSON.stringify({ model: "gpt-5", messages: [], stream: true });
  const fetching = fl.fetch({ provider: "openai", ...(within === undefined ? {} : { within }) });
  return fetching(`${url}/v1/chat/completions`, { method: "POST", body });
}

async function drained({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  while ((await reader?.read())?.done === false);
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const thrown = await thrownBy(work);
  return isFaultError(thrown) ? thrown.fault.code : String(thrown);
}
