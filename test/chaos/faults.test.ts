// Proves for every fault, protocol and way of answering that the bytes are what the row promises, and that Faultline gives them the
// code of the row wherever the answer alone decides.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAOS_FAULTS, type ChaosFault, withDefaults } from "../../src/chaos/faults.ts";
import { forProtocol, type Scene } from "../../src/chaos/faults/fault-row.ts";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import { PROTOCOLS, type ProtocolId } from "../../src/chaos/wire.ts";
import { classify, type Fault } from "../../src/core/index.ts";
import { parseJson } from "../../src/core/try-read.ts";
import type { Clock } from "../../src/host/clock.ts";
import { type Answer, ask, impatientClock, type Question } from "./asking.ts";

/** The first words of the model, as every protocol sends them. */
const SAID = /"(?:content|delta|text)":"You /;
const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);
const AFTER_ASSISTANT = {
  messages: [
    { role: "user", content: "hello" },
    { role: "assistant", content: "{" },
  ],
  input: [
    { role: "user", content: "hello" },
    { role: "assistant", content: "{" },
  ],
  contents: [
    { role: "user", parts: [{ text: "hello" }] },
    { role: "model", parts: [{ text: "{" }] },
  ],
};

/** Faults that put other words into the model's mouth. */
const OWN_WORDS: readonly string[] = ["refusal", "truncated-tool-call", "invalid-tool-call"];

let chaos: Chaos;
/** What the server waited for, in milliseconds, had anybody been patient. */
const waits: number[] = [];
const clock: Clock = {
  ...impatientClock,
  now: () => NOW,
  after: (delayMs, wake) => {
    waits.push(delayMs);
    return impatientClock.after(delayMs, wake);
  },
};
beforeAll(async () => void (chaos = await startChaos({ clock })));
afterAll(() => chaos.close());

function asked(fault: string, protocol: ProtocolId, streaming: boolean, question: Question = {}): Promise<Answer> {
  const [model = fault] = fault.split(";");
  return ask(chaos, protocol, { streaming, model, body: AFTER_ASSISTANT, ...question, headers: { "x-chaos": fault } });
}

function named({ status, headers, text, error }: Answer, protocol: ProtocolId): Fault {
  if (error !== null) return classify({ surface: "node", error });
  const surface = headers.get("content-type")?.includes("event-stream") === true ? "sse" : "http";
  return classify({ surface, provider: protocol.replace(/-.*/, ""), status, headers, body: text, observedAt: NOW });
}

const GRID = CHAOS_FAULTS.flatMap((row) =>
  PROTOCOLS.flatMap((protocol) =>
    [false, true]
      .filter((streaming) => streaming || row.needs === "any")
      .map((streaming) => ({ id: row.id, protocol, how: streaming ? "streaming" : "json", streaming, row })),
  ),
);

const seenIn = (row: ChaosFault, protocol: ProtocolId): string => forProtocol(row.seenIn, protocol);

const STREAMED: Omit<Scene, "params"> = {
  asked: {
    ...{ protocol: "openai-chat", model: "any", streaming: true, asArray: false, includeUsage: false },
    ...{ lastUserText: "Hello", toolResults: [], tools: [], forcedTool: null, schema: null },
    ...{ endsWithAssistant: false, prefill: "", promptTokens: 1 },
  },
  reply: { text: "Hello to you.", calls: [], stop: "end", isEmpty: false },
  stamp: { number: 1, at: NOW },
  path: "/v1/chat/completions",
};

describe("a fault that the answer names", () => {
  it.each(GRID.filter(({ row, protocol }) => seenIn(row, protocol) === "answer"))(
    "$id · $protocol · $how is what its row says",
    async ({ id, protocol, streaming, row }) => {
      const answer = await asked(id, protocol, streaming);
      expect(answer.error).toBeNull();
      expect(named(answer, protocol).code).toBe(forProtocol(row.means, protocol));
      if (!OWN_WORDS.includes(id)) expect(SAID.test(answer.text), answer.text).toBe(row.afterOutput);
    },
  );
});

describe("a fault of the connection", () => {
  it.each(GRID.filter(({ row }) => row.seenIn === "transport" && row.means !== null && row.id !== "refuse"))(
    "$id · $protocol · $how breaks it where its row says",
    async ({ id, protocol, streaming, row }) => {
      const answer = await asked(id, protocol, streaming);
      expect(named(answer, protocol).code).toBe("NetworkDisconnect");
      expect(answer.status).toBe(row.afterOutput ? 200 : 0);
      expect(answer.text !== "").toBe(row.afterOutput);
      if (streaming) expect(SAID.test(answer.text)).toBe(row.afterOutput);
      expect(chaos.received().at(-1)).toMatchObject({ fault: id, protocol, streaming });
    },
  );
});

/** The data of every event that has some, as text. */
function dataOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = ""]) => data).filter((data) => data !== "[DONE]");
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

const END_MARK = /"finish_reason":"|message_stop|response\.completed|finishReason/;

/** What shows each fault of the content, in the bytes that came. */
const PROOFS: Readonly<Record<string, (answer: Answer, streaming: boolean, protocol: ProtocolId) => void>> = {
  "refusal": ({ text }) => expect(text).toMatch(/"type":"refusal"/),
  "invalid-tool-call": ({ text }, _streaming, protocol) => {
    expect(text).toMatch(/tool_calls"|tool_use"|"response.completed"|"status":"completed"/);
    expect(text).not.toContain(protocol === "anthropic" ? "Paris" : String.raw`\"Paris\"}`);
  },
  "unknown-tool": ({ text }) => expect(text).toContain("no_such_tool"),
  "schema-invalid": ({ text }) => expect(text).toMatch(/42|this is|not what/),
  "invalid-json-output": ({ text }) => expect(text).not.toContain("pieces"),
  "word-salad": ({ text }) => expect(text).toContain("lantern"),
  "empty-output": ({ text }) => expect(text).not.toMatch(/text_delta|"type":"text"/),
  "malformed-json": ({ text }, streaming) => {
    const all = streaming ? dataOf(text) : [text];
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter(isJson)).toEqual([]);
  },
  "wrong-content-type": ({ headers, text }, streaming) => {
    expect(headers.get("content-type")).toContain("text/html");
    expect((streaming ? dataOf(text) : [text]).every(isJson)).toBe(true);
  },
  "gibberish": ({ headers, text }, streaming) => {
    expect(headers.get("content-type")).toContain(streaming ? "text/event-stream" : "application/json");
    expect([isJson(text), dataOf(text)]).toEqual([false, []]);
  },
  "no-end-mark": ({ text }) => {
    expect(text).not.toMatch(END_MARK);
    expect(text).not.toContain("[DONE]");
    expect(text).toContain("pieces");
  },
  "malformed-chunk": ({ text }) => {
    expect(dataOf(text).filter((data) => !isJson(data))).toHaveLength(1);
    expect(text).toMatch(END_MARK);
  },
};

describe("a fault of the content", () => {
  it.each(GRID.filter(({ row, protocol }) => seenIn(row, protocol) === "content"))(
    "$id · $protocol · $how comes in a whole 200 and can be seen in it",
    async ({ id, protocol, streaming }) => {
      const answer = await asked(id, protocol, streaming);
      expect({ status: answer.status, error: answer.error }).toEqual({ status: 200, error: null });
      const proof = PROOFS[id];
      if (proof === undefined) throw new Error(`nothing proves ${id}`);
      proof(answer, streaming, protocol);
    },
  );
});

describe("a fault of time", () => {
  it.each([
    ["hang; for-ms=7000", false, [7000]],
    ["hang; for-ms=7000", true, [7000]],
    ["stall; for-ms=7000", false, [7000]],
    ["stall; for-ms=7000", true, [7000]],
    ["stall-alive; for-ms=40; wait-ms=10", true, [10, 10, 10, 10]],
    ["stall-alive; for-ms=25; wait-ms=10", true, [10, 10, 5]],
    ["stall-alive; for-ms=7; wait-ms=10", true, [7]],
    ["stall-alive; for-ms=3; wait-ms=0", true, [1, 1, 1]],
    ["slow-first-token; wait-ms=900", false, [900]],
    ["slow-first-token; wait-ms=900", true, [900]],
    ["slow-drip; wait-ms=5", false, Array(8).fill(5)],
  ])("%s (streaming: %s) waits on the clock for %j", async (fault, streaming, expected) => {
    for (const protocol of PROTOCOLS) {
      waits.length = 0;
      await asked(fault, protocol, streaming);
      expect(waits, protocol).toEqual(expected);
    }
  });

  it("slow-drip waits before every event of a stream, and still says everything", async () => {
    for (const protocol of PROTOCOLS) {
      waits.length = 0;
      const { text, error } = await asked("slow-drip; wait-ms=5", protocol, true);
      expect(error).toBeNull();
      expect(waits).toHaveLength(text.trimEnd().split("\n\n").length);
    }
  });

  it("stall-alive lasts as long as it should, also with more signs of life than it sends", () => {
    const row = CHAOS_FAULTS.find(({ id }) => id === "stall-alive") ?? expect.fail("no such fault");
    const params = withDefaults(row, { "for-ms": 20_000, "wait-ms": 1 });
    // Only planned: ten thousand pieces take a client longer than all other tests of this file.
    const waited = row.plan({ ...STREAMED, params }).flatMap((act) => (act.do === "wait" ? [act.ms] : []));
    expect(waited).toEqual(Array(10_000).fill(2));
  });

  it("stall-alive sends signs of life between the content and the cut", async () => {
    const { text } = await asked("stall-alive; for-ms=30; wait-ms=10", "openai-chat", true);
    expect(text.match(/^: keep-alive$/gm)).toHaveLength(3);
  });
});

describe("a limit", () => {
  const limits = [
    ["rate-limit; retry-after=7", 7000],
    ["rate-limit-date; retry-after=7", 7000],
    ["rate-limit-ms; retry-after=0.25", 250],
    ["rate-limit-body; retry-after=2.5", 2500],
    ["rate-limit-reset-header; retry-after=9", 9000],
    ["rate-limit-bare", undefined],
    ["quota-reset; retry-after=3600", 3_600_000],
  ] as const;

  it.each(limits.flatMap(([fault, waitMs]) => PROTOCOLS.map((protocol) => ({ fault, protocol, waitMs }))))(
    "$fault · $protocol asks to wait $waitMs ms",
    async ({ fault, protocol, waitMs }) => {
      expect(named(await asked(fault, protocol, false), protocol).retryAfterMs).toBe(waitMs);
    },
  );
});

describe("a failing server", () => {
  const servers = CHAOS_FAULTS.filter(({ params }) => "as" in params);

  it.each(servers.flatMap(({ id }) => PROTOCOLS.map((protocol) => ({ id, protocol }))))(
    "$id · $protocol sends the vendor's JSON or a proxy's page, under the same status",
    async ({ id, protocol }) => {
      const json = await asked(`${id}; as=json`, protocol, false);
      const html = await asked(`${id}; as=html`, protocol, true);
      expect(JSON.parse(json.text)).toHaveProperty("error");
      expect(html.text).toMatch(/^<!DOCTYPE html>/);
      expect(html.headers.get("content-type")).toContain("text/html");
      expect(html.status).toBe(json.status);
    },
  );
});

describe("the table", () => {
  it("has every id once, a sentence for each, and parameters that exist", () => {
    const ids = CHAOS_FAULTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, about } of CHAOS_FAULTS) {
      expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(about).toMatch(/^[A-Z0-9].*\.$/);
    }
  });

  it("puts any error into a body, a first event or the middle of a stream", async () => {
    const codes = await Promise.all(
      ["error-in-body", "error-first-event", "error-mid-stream"].map(
        async (id) => named(await asked(`${id}; error=quota`, "anthropic", true), "anthropic").code,
      ),
    );
    expect(codes).toEqual(["QuotaExhausted", "QuotaExhausted", "QuotaExhausted"]);
  });

  it("lets a request without an assistant's last message pass where only prefill is rejected", async () => {
    const answer = await asked("prefill-rejected", "anthropic", false, { body: {} });
    expect({ status: answer.status, says: SAID.test(answer.text) }).toEqual({ status: 200, says: true });
  });

  it("gives Anthropic's errors the same id in header and body", async () => {
    const { headers, text } = await asked("overloaded", "anthropic", false);
    expect(JSON.parse(text)).toMatchObject({ request_id: headers.get("request-id") });
  });

  it("cuts a stream after the requested number of pieces", async () => {
    for (const pieces of [0, 1, 4]) {
      const { text } = await asked(`cut-stream; after=${pieces}`, "anthropic", true);
      expect(text.match(/text_delta/g) ?? []).toHaveLength(pieces);
    }
  });
});
