// `fl.model` with `hedge`: the AI SDK's own functions, on real provider packages, with a first model that is silent.

import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { always, ANSWERED, chainWorld, type ChainWorld, CLAUDE, GEMINI, GPT, only, steps } from "./chain-world.ts";

const HEDGE = { hedge: { after: 800 } } as const;

const PAIRS: readonly (readonly [string, string, string, (world: ChainWorld) => readonly LanguageModelV4[]])[] = [
  ["chat, then Anthropic", GPT, CLAUDE, ({ gpt, claude }) => [gpt(), claude()]],
  ["responses, then Google", GPT, GEMINI, ({ responses, gemini }) => [responses(), gemini()]],
  ["Anthropic, then chat", CLAUDE, GPT, ({ claude, gpt }) => [claude(), gpt()]],
  ["Google, then responses", GEMINI, GPT, ({ gemini, responses }) => [gemini(), responses()]],
];

async function textOf(
  kind: "generateText" | "streamText",
  model: LanguageModelV4,
  abortSignal?: AbortSignal,
): Promise<string> {
  const asked = { model, prompt: "hello there", maxRetries: 0, ...(abortSignal === undefined ? {} : { abortSignal }) };
  if (kind === "generateText") return (await generateText(asked)).text;
  const parts: string[] = [];
  for await (const part of streamText(asked).textStream) parts.push(part);
  return parts.join("");
}

describe.each(["generateText", "streamText"] as const)("%s", (kind) => {
  it.each(PAIRS)(
    "of %s: the second model answers, and the first one is left and paid for",
    async (_name, first, second, of) => {
      const world = await chainWorld([always(first, { fault: "hang" })]);
      const began = world.clock.now();
      expect(await world.run(textOf(kind, world.fl.model(of(world), HEDGE)))).toBe(ANSWERED);
      expect(world.asked()).toEqual([first, second]);
      expect(world.received().map(({ ended }) => ended)).toEqual(["client-left", "answered"]);
      expect(world.clock.now() - began).toBeLessThan(3_000);
      const spent = world.events().flatMap((event) => ("cost" in event ? [event.cost?.microcents ?? 0] : []));
      expect(spent).toHaveLength(2);
      expect(world.fl.spending.microcents).toBe(spent.reduce((sum, each) => sum + each, 0));
    },
  );

  it.each(PAIRS)(
    "of %s: a retry of the first model does not wait for a silent second one",
    async (_name, first, second, of) => {
      const rules = [steps(first, { "fault": "hang", "for-ms": 1_000 }), always(second, { fault: "hang" })];
      const world = await chainWorld(rules);
      const began = world.clock.now();
      expect(await world.run(textOf(kind, world.fl.model(of(world), HEDGE)))).toBe(ANSWERED);
      expect(world.asked()).toEqual([first, second, first]);
      expect(world.received()[1]?.ended).toBe("client-left");
      expect(world.clock.now() - began).toBeLessThan(10_000);
    },
  );

  it.each(PAIRS)("of %s: both models are left when the caller leaves", async (_name, first, second, of) => {
    const world = await chainWorld([always("*", { fault: "hang" })]);
    const left = new AbortController();
    world.clock.after(1_200, () => left.abort());
    await world.run(Promise.allSettled([textOf(kind, world.fl.model(of(world), HEDGE), left.signal)]));
    expect(world.asked()).toEqual([first, second]);
    expect(world.received().map(({ ended }) => ended)).toEqual(["client-left", "client-left"]);
    expect(only(world.events(), "call-cancelled")).toHaveLength(1);
  });

  it("shows the first model's answer only, when both are slow and it comes first", async () => {
    const slow = { "fault": "slow-first-token", "wait-ms": 1_000 } as const;
    const world = await chainWorld([always(GPT, slow), always(CLAUDE, slow)]);
    const model = world.fl.model([world.gpt(), world.claude()], HEDGE);
    expect(await world.run(textOf(kind, model))).toBe(ANSWERED);
    expect(world.asked()).toEqual([GPT, CLAUDE]);
    expect(only(world.events(), "call-succeeded")).toMatchObject([{ tool: expect.stringContaining(GPT) as string }]);
  });

  it("is not hedged in a session, whose journal continues one attempt", async () => {
    const world = await chainWorld([always(GPT, { "fault": "slow-first-token", "wait-ms": 5_000 })]);
    const session = await world.run(world.fl.session("s"));
    const model = world.fl.model([world.gpt(), world.claude()], { ...HEDGE, within: session });
    expect(await world.run(textOf(kind, model))).toBe(ANSWERED);
    expect(world.asked()).toEqual([GPT]);
  });
});
