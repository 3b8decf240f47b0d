// The limits on one attempt: each has its own phase, and no target is blamed for a delay elsewhere.

import { describe, expect, it } from "vitest";
import type { ScenarioStep } from "../../../src/chaos/scenario-schema.ts";
import type { FaultError } from "../../../src/index.ts";
import {
  always,
  ANSWERED,
  ASKED,
  CLAUDE,
  chainWorld,
  GEMINI,
  GPT,
  only,
  partsOf,
  START_AT,
  textOf,
  UNKNOWN,
} from "./chain-world.ts";

const LIMITS = { headersMs: 2_000, firstTokenMs: 4_000, idleMs: 3_000, totalMs: 20_000 };
/** One attempt, so that the time is that of one limit. */
const ONCE = { timeouts: LIMITS, retryBeforeFallback: { maxAttempts: 1 } } as const;

interface Row {
  readonly phase: string;
  readonly step: ScenarioStep;
  readonly limit: number;
}

const BEFORE: readonly Row[] = [
  { phase: "headers", step: { fault: "hang" }, limit: LIMITS.headersMs },
  { phase: "firstToken", step: { fault: "stall", after: 0 }, limit: LIMITS.firstTokenMs },
];

/** The limit on the whole attempt is checked every few dozen milliseconds. */
function expectLeftAbout(afterMs: number, leftAt: number | null | undefined): void {
  expect(leftAt).toBeGreaterThanOrEqual(START_AT + afterMs);
  expect(leftAt).toBeLessThan(START_AT + afterMs + 100);
}

describe("the limit on", () => {
  it.each(BEFORE)(
    "$phase gives up an attempt of which nothing was seen, and the stand-in answers",
    async ({ phase, step, limit }) => {
      // Its SDK returns a stream with the first event; OpenAI's chat SDK waits for the first word.
      const world = await chainWorld([always(CLAUDE, step)]);
      const { stream } = await world.run(world.fl.model([world.claude(), world.gpt()], ONCE).doStream(ASKED));
      expect(textOf(await world.run(partsOf(stream)))).toBe(ANSWERED);
      expect(world.asked()).toEqual([CLAUDE, GPT]);
      const [failed] = only(world.events(), "call-failed");
      expect(failed?.fault).toMatchObject({ code: "NetworkTimeout", context: { phase, limit } });
      expect(world.received()[0]).toMatchObject({ ended: "client-left", clientLeftAt: START_AT + limit });
    },
  );

  it.each(["gpt", "responses", "claude", "gemini"] as const)(
    "first content holds for %s, whenever its SDK reports the response",
    async (vendor) => {
      const model = { gpt: GPT, responses: GPT, claude: CLAUDE, gemini: GEMINI }[vendor];
      const world = await chainWorld([always(model, { fault: "stall", after: 0 })]);
      const chain = world.fl.model([world[vendor](), vendor === "claude" ? world.gpt() : world.claude()], {
        timeouts: { firstTokenMs: 4_000 },
        retryBeforeFallback: { maxAttempts: 1 },
      });
      const { stream } = await world.run(chain.doStream(ASKED));
      expect(textOf(await world.run(partsOf(stream)))).toBe(ANSWERED);
      const [failed] = only(world.events(), "call-failed");
      expect(failed?.fault).toMatchObject({ code: "NetworkTimeout", context: { phase: "firstToken", limit: 4_000 } });
      expect(world.received()[0]).toMatchObject({ ended: "client-left", clientLeftAt: START_AT + 4_000 });
    },
  );

  it("silence ends a stream that has begun with an error", async () => {
    const world = await chainWorld([always(GPT, { fault: "stall", after: 2 })]);
    const { stream } = await world.run(world.fl.model([world.gpt(), world.claude()], ONCE).doStream(ASKED));
    const parts = await world.run(partsOf(stream));
    const error = parts.flatMap((part) => (part.type === "error" ? [part.error as FaultError] : []))[0];
    expect(error?.fault).toMatchObject({ code: "NetworkTimeout", context: { phase: "idle", limit: 3_000 } });
    expect(world.received()[0]).toMatchObject({ clientLeftAt: START_AT + 3_000 });
  });

  it("the whole ends a stream that only drips", async () => {
    const world = await chainWorld([always(CLAUDE, { "fault": "slow-drip", "wait-ms": 900 })]);
    const { stream } = await world.run(
      world.fl.model([world.claude()], { timeouts: { ...LIMITS, totalMs: 9_000 } }).doStream(ASKED),
    );
    const parts = await world.run(partsOf(stream));
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "error" } });
    expect(only(world.events(), "call-failed")[0]?.fault).toMatchObject({
      code: "NetworkTimeout",
      context: { limit: 9_000 },
    });
    expectLeftAbout(9_000, world.received()[0]?.clientLeftAt);
  });

  it.each([
    { name: "headers", timeouts: LIMITS, limit: 2_000 },
    { name: "the first token", timeouts: { ...LIMITS, headersMs: 9_000 }, limit: 4_000 },
    { name: "the whole", timeouts: { totalMs: 20_000 }, limit: 20_000 },
  ])("$name ends an answer that does not stream", async ({ timeouts, limit }) => {
    const world = await chainWorld([always(GPT, { fault: "hang" })]);
    await world.run(world.fl.model([world.gpt(), world.claude()], { ...ONCE, timeouts }).doGenerate(ASKED));
    expect(only(world.events(), "call-failed")[0]?.fault).toMatchObject({ code: "NetworkTimeout", context: { limit } });
    expectLeftAbout(limit, world.received()[0]?.clientLeftAt);
  });

  it("one target alone applies to that target", async () => {
    const world = await chainWorld([always(GPT, { fault: "hang" })]);
    const impatient = { model: world.gpt(), timeouts: { headersMs: 500 } };
    await world.run(world.fl.model([impatient, world.claude()], ONCE).doStream(ASKED));
    expect(world.received()[0]).toMatchObject({ clientLeftAt: START_AT + 500 });
  });
});

describe("is not idle:", () => {
  it("an upstream whose caller reads slowly", async () => {
    const world = await chainWorld([always(GPT, { answer: "word ".repeat(200) })]);
    const { stream } = await world.run(
      world.fl.model([world.gpt()], { timeouts: { ...LIMITS, totalMs: 10_000_000 } }).doStream(ASKED),
    );
    const reader = stream.getReader();
    let text = "";
    for (let next = await world.run(reader.read()); !next.done; next = await world.run(reader.read())) {
      if (next.value.type === "text-delta") text += next.value.delta;
      await world.clock.advance(LIMITS.idleMs * 3);
    }
    expect(text).toBe("word ".repeat(200));
    expect(only(world.events(), "call-failed")).toEqual([]);
  });

  it("an upstream that is slow, but not as slow as the limit", async () => {
    const world = await chainWorld([always(CLAUDE, { "fault": "slow-drip", "wait-ms": 900 })]);
    const timeouts = { ...LIMITS, totalMs: 600_000 };
    const { stream } = await world.run(world.fl.model([world.claude()], { timeouts }).doStream(ASKED));
    expect(textOf(await world.run(partsOf(stream)))).toBe(ANSWERED);
  });
});

it("keep-alives are not progress: a stream of pings times out like silence", async () => {
  const world = await chainWorld();
  let pings = 0;
  const pinging = {
    ...{ specificationVersion: "v4" as const, provider: "openai.chat", modelId: GPT, supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("it only streams")),
    doStream: ({ abortSignal }: { readonly abortSignal?: AbortSignal | undefined }) =>
      Promise.resolve({
        stream: new ReadableStream({
          start: (parts) => {
            parts.enqueue({ type: "stream-start", warnings: [] });
            parts.enqueue({ type: "text-start", id: "0" });
            parts.enqueue({ type: "text-delta", id: "0", delta: "begun" });
            const ping = (): void => {
              if (abortSignal?.aborted === true) return;
              pings++;
              parts.enqueue({ type: "ping" });
              world.clock.after(500, ping);
            };
            ping();
          },
        }),
      }),
  };
  const { stream } = await world.run(world.fl.model([pinging as never], ONCE).doStream(ASKED));
  const parts = await world.run(partsOf(stream));
  expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "error", raw: "NetworkTimeout" } });
  expect(world.clock.now()).toBe(START_AT + LIMITS.idleMs);
  expect(pings).toBeGreaterThan(3);
});

/** The model table says how long a model may be silent if no limit is set. */
describe("a model that", () => {
  const QUIET = { "fault": "slow-first-token", "wait-ms": 250_000 } as const;
  const THINKER = "gpt-5";
  const HOURS = "gpt-5-pro";

  it.each([
    { does: "does not think", model: GPT, waitMs: 130_000, streaming: true, isCut: true },
    { does: "may think", model: CLAUDE, waitMs: 250_000, streaming: true, isCut: false },
    { does: "always thinks", model: THINKER, waitMs: 500_000, streaming: true, isCut: false },
    { does: "thinks for long", model: HOURS, waitMs: 1_500_000, streaming: true, isCut: false },
    { does: "nobody knows", model: UNKNOWN, waitMs: 250_000, streaming: true, isCut: false },
    { does: "does not think", model: GPT, waitMs: 400_000, streaming: false, isCut: true },
    { does: "may think", model: CLAUDE, waitMs: 250_000, streaming: false, isCut: false },
    { does: "always thinks", model: THINKER, waitMs: 500_000, streaming: false, isCut: false },
    { does: "thinks for long", model: HOURS, waitMs: 1_500_000, streaming: false, isCut: false },
  ])("$does ($model), silent for $waitMs ms (streaming: $streaming), is cut off: $isCut", async (row) => {
    const { model, waitMs, streaming, isCut } = row;
    const world = await chainWorld([always(model, { ...QUIET, "wait-ms": waitMs })]);
    const target = model === CLAUDE ? world.claude(model) : world.responses(model);
    const chain = world.fl.model([target, world.gemini()], { retryBeforeFallback: { maxAttempts: 1 } });
    if (streaming) await world.run(partsOf((await world.run(chain.doStream(ASKED))).stream));
    else await world.run(chain.doGenerate(ASKED));
    expect(world.asked()).toEqual(isCut ? [model, GEMINI] : [model]);
  });

  it("may think is cut off when a limit is set", async () => {
    const world = await chainWorld([always(CLAUDE, QUIET)]);
    const chain = world.fl.model([world.claude(), world.gpt()], ONCE);
    await world.run(partsOf((await world.run(chain.doStream(ASKED))).stream));
    expect(world.asked()).toEqual([CLAUDE, GPT]);
  });
});

describe("a minimum speed", () => {
  const DRIP = { "fault": "slow-drip", "wait-ms": 5_000 } as const;

  it.each([
    { least: 20, isCut: true },
    { least: 0.5, isCut: false },
  ])("of $least characters a second ends a stream that drips: $isCut", async ({ least, isCut }) => {
    const world = await chainWorld([always(CLAUDE, DRIP)]);
    const chain = world.fl.model([world.claude()], { minCharactersPerSecond: least });
    const parts = await world.run(partsOf((await world.run(chain.doStream(ASKED))).stream));
    const codes = only(world.events(), "call-failed").map(({ fault }) => [fault.code, fault.context["phase"]]);
    expect(codes).toEqual(isCut ? [["NetworkTimeout", "speed"]] : []);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: isCut ? "error" : "stop" } });
  });

  it("does not count the time in which the caller reads nothing", async () => {
    const world = await chainWorld([always(GPT, { answer: "word ".repeat(200) })]);
    const { stream } = await world.run(world.fl.model([world.gpt()], { minCharactersPerSecond: 20 }).doStream(ASKED));
    const reader = stream.getReader();
    for (let next = await world.run(reader.read()); !next.done; next = await world.run(reader.read())) {
      await world.clock.advance(9_000);
    }
    expect(only(world.events(), "call-failed")).toEqual([]);
  });
});
