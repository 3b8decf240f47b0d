// `mid_stream: continue`: a text that breaks off is continued by a target that takes its beginning, and the client notices nothing but a comment.

import { describe, expect, it } from "vitest";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import type { AnswerFinish } from "../../src/gateway/translate/answer-writing.ts";
import { WRITERS } from "../../src/gateway/translate/write-answer.ts";
import { continuationOf } from "../../src/gateway/answer/continuation.ts";
import { NO_USAGE } from "../../src/provider/model/chain-model.ts";
import { everyPair, samples } from "../support/grid.ts";
import { ask, DIALECTS, readEvents } from "./dialect-clients.ts";
import { SSE, streamOf, type StubRequest, type StubWorld, stubWorld } from "./stub-upstream.ts";

const PIECES = ["\n", "Go ", " 🧭北\n ", "\n then  ", " rest."];
const TEXT = PIECES.join("");

const file =
  (first: Protocol, continues = true, second: Protocol = "anthropic-messages") =>
  (base: string): string =>
    `
version: 1
targets:
  one: { dialect: ${first}, base_url: "${base}/one/v1", continues: false }
  two: { dialect: ${second}, base_url: "${base}/two/v1", continues: ${continues} }
routes:
  cut-*: { chain: [one, two], mid_stream: continue }
`;

/** What the target was given of the answer. */
function prefillIn({ body }: StubRequest): string {
  const messages = body["messages"] as readonly { role: string; content: string | readonly { text: string }[] }[];
  const last = messages.at(-1);
  if (last?.role !== "assistant") return "";
  return typeof last.content === "string" ? last.content : last.content.map(({ text }) => text).join("");
}

/** The first target breaks off after so many bytes as the model's name says. The second one continues whatever it is given. */
function cutting(dialect: Protocol): Parameters<typeof stubWorld>[0] {
  return (request, response) => {
    response.writeHead(200, SSE);
    if (request.target === "one") {
      const bytes = Buffer.from(streamOf(dialect, PIECES));
      const cut = Number(request.model.split("-")[1]);
      response.write(bytes.subarray(0, cut), () => response.destroy());
      return;
    }
    const given = prefillIn(request);
    // Anthropic refuses a beginning that ends with white space, and its SDK takes it off at both ends. A model goes on from what it gets.
    const rest = TEXT.slice(TEXT.indexOf(given) + given.length);
    response.end(streamOf(request.dialect, rest === "" ? [] : (rest.match(/.{1,4}/gsu) ?? [])));
  };
}

const NONE: ReadonlySet<string> = new Set();
const FINISH: AnswerFinish = { type: "finish", usage: NO_USAGE, finishReason: { unified: "stop", raw: "stop" } };

/** The ids of answers and items that a client sees. They stay the same, whichever target writes. */
function idsIn(raw: string): readonly string[] {
  return Array.from(
    raw.matchAll(/"(?:item_id|id|responseId)":"((?:chatcmpl-|msg_)?\w+)"/g),
    ([, id = ""]) => id,
  ).filter((id) => !id.startsWith("resp_"));
}

const lines = async ({ fl, settle }: StubWorld): ReturnType<typeof ledgerOf> => {
  await settle();
  return ledgerOf(fl.journal, 10);
};

/** Where the last event with a text of this stream begins. */
function lastTextIn(stream: string): number {
  return stream.lastIndexOf("\n\n", stream.indexOf(" rest.")) + 2;
}

const BROKEN = DIALECTS.flatMap((client) =>
  DIALECTS.flatMap((first) => ["the connection", "the answer"].map((ends) => ({ client, first, ends }))),
);

it.each(
  everyPair(
    BROKEN,
    ({ client }) => client,
    ({ first }) => first,
    ({ ends }) => ends,
  ),
)(
  "a client of $client gets the whole text although a target of $first ends $ends in the middle",
  async ({ client, first, ends }) => {
    const bytes = Buffer.from(streamOf(first, PIECES));
    const begun = bytes.subarray(0, Buffer.byteLength(bytes.toString().slice(0, lastTextIn(bytes.toString()))));
    const breaks: Parameters<typeof stubWorld>[0] = (request, response, ...rest) => {
      if (request.target !== "one") return cutting(first)(request, response, ...rest);
      response.writeHead(200, SSE);
      // A proxy may end an answer properly that its server has broken off.
      response.write(begun, () => (ends === "the answer" ? response.end() : response.destroy()));
    };
    const world = await stubWorld(breaks, file(first));
    const heard = await world.run(ask(world.url, client, { model: "cut-x", streaming: true }));
    expect([heard.text, heard.isWhole, heard.error]).toEqual([TEXT, true, null]);
    expect(heard.raw).toContain(": x-faultline-continued: two/");
  },
);

describe.each(DIALECTS)("a client of %s", (dialect) => {
  it.each<Protocol>(["anthropic-messages", "openai-chat"])(
    "gets every character once from a target of %s that continues, wherever the first one breaks off",
    async (second) => {
      const world = await stubWorld(cutting(dialect), file(dialect, true, second));
      const bytes = Buffer.from(streamOf(dialect, PIECES));
      // Some places of each kind; every byte is in the test of the lines below.
      const count = samples(12, 24);
      const cuts = Array.from({ length: count }, (_none, index) => Math.floor((index * bytes.length) / count));
      const heard = await world.run(
        Promise.all(cuts.map((cut) => ask(world.url, dialect, { model: `cut-${cut}`, streaming: true }))),
      );
      let continued = 0;
      for (const [index, { text, isWhole, error, raw }] of heard.entries()) {
        const where = `cut at byte ${cuts[index]}`;
        if (error === null) expect([where, text, isWhole]).toEqual([where, TEXT, true]);
        // A stream that has ended cannot be continued: the client gets an error, and no character twice.
        else expect([where, TEXT.startsWith(text), isWhole]).toEqual([where, true, false]);
        // SDKs fail at an event without its data.
        const bare = raw.split("\n\n").filter((one) => /^event:/m.test(one) && !/^data:/m.test(one));
        expect([where, bare]).toEqual([where, []]);
        if (raw.includes(": x-faultline-continued: two/")) continued += 1;
      }
      expect(continued).toBeGreaterThan(count / 6);
    },
  );

  it.each<Protocol>(["anthropic-messages", "openai-chat"])(
    "gets every character once from the only target of %s, which continues its own text when it is asked again",
    async (target) => {
      const cut = Buffer.from(streamOf(target, PIECES)).indexOf(" rest.");
      const own = (base: string): string => `
version: 1
targets: { two: { dialect: ${target}, base_url: "${base}/two/v1", continues: true } }
routes: { cut-*: { chain: [two], mid_stream: continue } }
`;
      const breaksOnce: Parameters<typeof stubWorld>[0] = (request, response, ...rest) => {
        if (prefillIn(request) !== "") return cutting(target)(request, response, ...rest);
        response.writeHead(200, SSE);
        response.write(Buffer.from(streamOf(target, PIECES)).subarray(0, cut), () => response.destroy());
      };
      const world = await stubWorld(breaksOnce, own);
      const heard = await world.run(ask(world.url, dialect, { model: "cut-x", streaming: true }));
      expect(heard).toMatchObject({ text: TEXT, isWhole: true, error: null });
      expect(heard.raw).toContain(": x-faultline-continued: two/");
    },
  );

  it("has lines that can be continued at every byte without a character lost or doubled", () => {
    const bytes = Buffer.from(streamOf(dialect, PIECES));
    let open = 0;
    // The client gets whole lines, so every cut within a line leaves it the same.
    for (let [cut, end] = [0, 0]; cut <= bytes.length; cut = end) {
      end = bytes.indexOf(0x0a, cut) + 1;
      if (end === 0) end = bytes.length + 1;
      const whole = bytes.subarray(0, cut).toString();
      const sent = continuationOf(dialect, whole);
      const seen = readEvents(dialect, `${whole}\n`);
      if (sent === null) {
        // Nothing to continue: no text yet, or the text is over.
        expect(seen.text === "" || seen.text === TEXT).toBe(true);
        continue;
      }
      open += end - cut;
      expect(sent.text).toBe(seen.text);
      const about = {
        id: "x",
        model: "m",
        createdAt: 0,
        inputTokens: 1,
        textTools: NONE,
        wantsUsage: false,
        asList: false,
      };
      const writer = WRITERS[dialect].stream({ ...about, sent });
      writer.part({ type: "text-delta", id: "0", delta: sent.text });
      const rest = TEXT.slice(sent.text.length);
      const more = rest === "" ? "" : writer.part({ type: "text-delta", id: "0", delta: rest });
      const all = readEvents(dialect, `${whole}\n${more}${writer.finish(FINISH)}`);
      expect([cut, all.text, all.isWhole, all.error]).toEqual([cut, TEXT, true, null]);
      expect(new Set(idsIn(`${whole}\n${more}`)).size).toBeLessThanOrEqual(1);
    }
    expect(open).toBeGreaterThan(bytes.length / 5);
  });

  it("says in the ledger that it was continued, and pays for both", async () => {
    const world = await stubWorld(cutting(dialect), file(dialect));
    const cut = Buffer.from(streamOf(dialect, PIECES)).indexOf(" rest.");
    const heard = await world.run(ask(world.url, dialect, { model: `cut-${cut}`, streaming: true }));
    expect(heard).toMatchObject({ text: TEXT, isWhole: true, error: null });
    const [line] = await lines(world);
    expect(line).toMatchObject({ target: `two/cut-${cut}`, status: "done", continued: 1 });
    expect(line?.decisions.at(-1)).toMatchObject({ recourse: "fallback" });
  });

  it("gets the error of its dialect when no target continues", async () => {
    const world = await stubWorld(cutting(dialect), file(dialect, false));
    const cut = Buffer.from(streamOf(dialect, PIECES)).indexOf(" rest.");
    const heard = await world.run(ask(world.url, dialect, { model: `cut-${cut}`, streaming: true }));
    expect(heard.isWhole).toBe(false);
    expect(heard.error).not.toBeNull();
    expect(TEXT.startsWith(heard.text)).toBe(true);
    expect(world.asked.map(({ target }) => target)).toEqual(["one"]);
  });

  it("gets the error of its dialect when its answer must be JSON", async () => {
    const world = await stubWorld(cutting(dialect), file(dialect));
    const cut = Buffer.from(streamOf(dialect, PIECES)).indexOf(" rest.");
    const body = JSON_WANTED[dialect];
    const heard = await world.run(ask(world.url, dialect, { model: `cut-${cut}`, streaming: true, body }));
    expect(heard.isWhole).toBe(false);
    expect(heard.error).not.toBeNull();
    expect(world.asked.map(({ target }) => target)).toEqual(["one"]);
  });
});

const SCHEMA = { type: "object", properties: { way: { type: "string" } } };
const JSON_WANTED: Readonly<Record<Protocol, Readonly<Record<string, unknown>>>> = {
  "openai-chat": { response_format: { type: "json_object" } },
  "openai-responses": { text: { format: { type: "json_schema", name: "way", schema: SCHEMA } } },
  "anthropic-messages": { output_config: { format: { type: "json_schema", schema: SCHEMA } } },
  "google-generate": { generationConfig: { responseMimeType: "application/json" } },
};
