// A caller leaves: the provider sees it, nothing is retried, no failure is counted, and the error is the caller's own.

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import type { Turn } from "../../../src/index.ts";
import { always, ASKED, chainWorld, type ChainWorld, GPT, only, partsOf, START_AT } from "./chain-world.ts";

const REASON = new Error("the user closed the tab");
const LEAVES_AT_MS = 5_000;

function chain(world: ChainWorld): LanguageModelV4 {
  return world.fl.model([world.gpt(), world.claude()]);
}

async function expectLeft(world: ChainWorld): Promise<void> {
  await world.clock.advance(60_000);
  expect(world.received()).toHaveLength(1);
  expect(world.received()[0]).toMatchObject({
    model: GPT,
    ended: "client-left",
    clientLeftAt: START_AT + LEAVES_AT_MS,
  });
  expect(only(world.events(), "call-cancelled")).toHaveLength(1);
  expect(only(world.events(), "call-failed")).toEqual([]);
  expect(only(world.events(), "breaker-changed")).toEqual([]);
  expect(world.fl.targets()[0]).toMatchObject({ breaker: "closed", pausedUntil: null });
}

interface Row {
  readonly name: string;
  readonly rule: ScenarioRule;
  readonly streaming: boolean;
}

const ROWS: readonly Row[] = [
  { name: "before the headers", rule: always(GPT, { fault: "hang" }), streaming: false },
  { name: "in the middle of the body", rule: always(GPT, { fault: "stall" }), streaming: false },
  { name: "before the headers of a stream", rule: always(GPT, { fault: "hang" }), streaming: true },
  { name: "before the first token", rule: always(GPT, { fault: "slow-first-token" }), streaming: true },
];

describe("an abort signal", () => {
  it.each(ROWS)("$name ends the call with the caller's reason", async ({ rule, streaming }) => {
    const world = await chainWorld([rule]);
    const controller = new AbortController();
    world.clock.after(LEAVES_AT_MS, () => controller.abort(REASON));
    const options = { ...ASKED, abortSignal: controller.signal };
    const model = chain(world);
    expect(await world.failure(streaming ? model.doStream(options) : model.doGenerate(options))).toBe(REASON);
    await expectLeft(world);
  });

  it("in the middle of a stream errors the stream with the caller's reason", async () => {
    const world = await chainWorld([always(GPT, { fault: "stall", after: 3 })]);
    const controller = new AbortController();
    world.clock.after(LEAVES_AT_MS, () => controller.abort(REASON));
    const { stream } = await world.run(chain(world).doStream({ ...ASKED, abortSignal: controller.signal }));
    const reader = stream.getReader();
    const reading = (async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read());
    })();
    expect(await world.failure(reading)).toBe(REASON);
    await expectLeft(world);
  });

  it("that is already aborted sends nothing", async () => {
    const world = await chainWorld();
    for (const ask of ["doGenerate", "doStream"] as const) {
      const asking = chain(world)[ask]({ ...ASKED, abortSignal: AbortSignal.abort(REASON) });
      expect(await world.failure(asking)).toBe(REASON);
    }
    expect(world.received()).toEqual([]);
  });

  it("ends a wait between two attempts at once", async () => {
    const world = await chainWorld([always(GPT, { fault: "rate-limit-bare" })]);
    const controller = new AbortController();
    world.clock.after(1_000, () => controller.abort(REASON));
    const model = world.fl.model([world.gpt()]);
    expect(await world.failure(model.doGenerate({ ...ASKED, abortSignal: controller.signal }))).toBe(REASON);
    expect(world.clock.now()).toBe(START_AT + 1_000);
    await world.clock.advance(60_000);
    expect(world.received()).toHaveLength(1);
  });

  it("of generateText and streamText reaches the provider", async () => {
    const world = await chainWorld([always(GPT, { fault: "hang" })]);
    const controller = new AbortController();
    world.clock.after(LEAVES_AT_MS, () => controller.abort(REASON));
    const asked = { model: chain(world), prompt: "hello", abortSignal: controller.signal };
    const whole = generateText(asked).then(
      () => null,
      (error: unknown) => error,
    );
    const streamed = streamText({ ...asked, onError: () => undefined }).consumeStream();
    expect(await world.run(whole)).toBe(REASON);
    await world.run(streamed);
    await world.clock.advance(1_000);
    expect(world.received().map(({ clientLeftAt }) => clientLeftAt)).toEqual([
      START_AT + LEAVES_AT_MS,
      START_AT + LEAVES_AT_MS,
    ]);
  });

  it("that comes after the answer changes nothing", async () => {
    const world = await chainWorld();
    const controller = new AbortController();
    const { text } = await world.run(
      generateText({ model: chain(world), prompt: "hello", abortSignal: controller.signal }),
    );
    controller.abort(REASON);
    await world.clock.advance(1_000);
    expect(text).toContain("You said: hello");
    expect(only(world.events(), "call-cancelled")).toEqual([]);
  });
});

describe("a reader that cancels", () => {
  it("makes the provider see the client disconnect, and nothing is retried", async () => {
    const world = await chainWorld([always(GPT, { fault: "stall", after: 3 })]);
    const { stream } = await world.run(chain(world).doStream(ASKED));
    const reader = stream.getReader();
    await world.run(reader.read());
    await world.clock.advance(LEAVES_AT_MS);
    await world.run(reader.cancel("enough"));
    await expectLeft(world);
  });

  it("while text is still flowing stops the flow", async () => {
    const world = await chainWorld([always(GPT, { "fault": "slow-drip", "wait-ms": 1_000 })]);
    const { stream } = await world.run(chain(world).doStream(ASKED));
    const reader = stream.getReader();
    await world.run(reader.read());
    await world.run(reader.cancel());
    await world.clock.advance(60_000);
    expect(world.received()).toMatchObject([{ ended: "client-left" }]);
    expect(only(world.events(), "call-cancelled")).toHaveLength(1);
  });
});

describe("a turn", () => {
  it("that is cancelled makes the provider see the client disconnect", async () => {
    const world = await chainWorld([always(GPT, { fault: "stall", after: 3 })]);
    const session = await world.run(world.fl.session("s"));
    const body = async (turn: Turn): Promise<void> => {
      world.clock.after(LEAVES_AT_MS, () => turn.cancel("enough"));
      const { stream } = await world.fl.model([world.gpt()], { within: turn }).doStream(ASKED);
      await partsOf(stream);
    };
    expect(await world.run(session.turn(body))).toMatchObject({ status: "cancelled" });
    await world.clock.advance(1_000);
    expect(world.received()).toMatchObject([{ ended: "client-left", clientLeftAt: START_AT + LEAVES_AT_MS }]);
  });

  it("that timed out does not let a model keep talking", async () => {
    const world = await chainWorld([always(GPT, { "fault": "slow-drip", "wait-ms": 1_000 })]);
    const session = await world.run(world.fl.session("s"));
    const parts: LanguageModelV4StreamPart[] = [];
    const body = async (turn: Turn): Promise<void> => {
      const { stream } = await world.fl.model([world.gpt()], { within: turn }).doStream(ASKED);
      parts.push(...(await partsOf(stream)));
    };
    await world.run(session.turn(body, { timeoutMs: LEAVES_AT_MS }));
    await world.clock.advance(60_000);
    expect(parts.slice(-2)).toMatchObject([
      { type: "error", error: { fault: { code: "TurnTimeout" } } },
      { type: "finish" },
    ]);
    expect(world.received()).toMatchObject([{ ended: "client-left" }]);
  });
});

it("callers who leave again and again do not open a breaker", async () => {
  const world = await chainWorld([always(GPT, { fault: "hang" })]);
  for (let call = 0; call < DEFAULT_POLICY.breaker.failures + 2; call++) {
    const controller = new AbortController();
    world.clock.after(1_000, () => controller.abort(REASON));
    await world.failure(chain(world).doGenerate({ ...ASKED, abortSignal: controller.signal }));
  }
  expect(world.fl.targets()[0]?.breaker).toBe("closed");
  expect(new Set(world.asked())).toEqual(new Set([GPT]));
});
