// A dead first choice is skipped and comes back; a last resort is tried whatever its breaker says.

import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { MAX_REST_MS } from "../../../src/core/decide/decide.ts";
import { type BreakerRule, DEFAULT_POLICY } from "../../../src/core/index.ts";
import { FaultError } from "../../../src/index.ts";
import { CLAUDE, chainWorld, type ChainWorld, GPT, only, START_AT } from "./chain-world.ts";

const { failures, openMs, successes } = DEFAULT_POLICY.breaker;

async function ask(
  world: ChainWorld,
  model = world.fl.model([world.gpt(), world.claude()]),
): Promise<readonly string[]> {
  const before = world.asked().length;
  await world.run(generateText({ model, prompt: "hello" }));
  return world.asked().slice(before);
}

async function breakFirst(world: ChainWorld): Promise<void> {
  world.afflict(GPT, "unavailable");
  for (let call = 0; call < failures; call++) await ask(world);
}

describe("the breaker of a dead first choice", () => {
  it("opens, and later calls skip it without a request", async () => {
    const world = await chainWorld();
    await breakFirst(world);
    expect(await ask(world)).toEqual([CLAUDE]);
    expect(only(world.events(), "breaker-changed")).toMatchObject([{ from: "closed", to: "open" }]);
    expect(only(world.events(), "call-decided").at(-1)).toMatchObject({
      fault: { code: "CircuitOpen" },
      decision: { recourse: "fallback", target: `anthropic/${CLAUDE}` },
    });
  });

  it("lets one call probe it when its time is up, and closes when the first choice is back", async () => {
    const world = await chainWorld();
    await breakFirst(world);
    await world.clock.advance(openMs);
    world.afflict(GPT, null);
    for (let call = 0; call < successes; call++) expect(await ask(world)).toEqual([GPT]);
    expect(only(world.events(), "breaker-changed").map(({ to }) => to)).toEqual(["open", "half-open", "closed"]);
  });

  it("opens again when the probe fails, and the fallback still answers that call", async () => {
    const world = await chainWorld();
    await breakFirst(world);
    await world.clock.advance(openMs);
    expect(await ask(world)).toContain(CLAUDE);
    expect(await ask(world)).toEqual([CLAUDE]);
  });

  it("is shared by all chains that use the model with the same key", async () => {
    const world = await chainWorld();
    await breakFirst(world);
    expect(await ask(world, world.fl.model([world.gpt(), world.gemini()]))).not.toContain(GPT);
  });
});

it("an exhausted quota says when the first of the others is back", async () => {
  const world = await chainWorld();
  await breakFirst(world);
  const resetAt = await openUntil(world);
  world.afflict(CLAUDE, "quota-reset; retry-after=3600");
  const asking = generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "x" });
  expect(await world.failure(asking)).toMatchObject({ fault: { code: "QuotaExhausted", resetAt } });
});

describe("a model with a fallback", () => {
  /** How long its breaker stays open after each failed probe. */
  async function openTimes(times: number, rule: Partial<BreakerRule>): Promise<readonly number[]> {
    const policy = { ...DEFAULT_POLICY, breaker: { ...DEFAULT_POLICY.breaker, ...rule } };
    const world = await chainWorld([], { policy });
    await breakFirst(world);
    const openedFor: number[] = [];
    for (let opened = 0; opened < times; opened++) {
      const [last] = world
        .entries()
        .filter(({ event }) => event.type === "breaker-changed" && event.to === "open")
        .slice(-1);
      const backAt = await openUntil(world);
      openedFor.push(backAt - (last?.at ?? NaN));
      await world.clock.advance(backAt - world.clock.now());
      await ask(world);
    }
    return openedFor;
  }

  it("is probed every half minute if no open time is set", async () => {
    expect(await openTimes(3, {})).toEqual([30_000, 30_000, 30_000]);
  });

  it.each<[string, Partial<BreakerRule>, readonly number[]]>([
    ["both are longer", { openMs: 120_000, maxOpenMs: 3_600_000 }, [120_000, 240_000, 480_000]],
    ["only the first time is longer", { openMs: 120_000 }, [120_000, 120_000]],
    [
      "the first time is shorter, which grows as far as without a policy",
      { openMs: 10_000 },
      [10_000, 20_000, 30_000, 30_000],
    ],
    ["the longest time is shorter", { openMs: 5_000, maxOpenMs: 8_000 }, [5_000, 8_000, 8_000]],
    ["the longest time is shorter than the first", { maxOpenMs: 8_000 }, [8_000, 8_000]],
  ])("is skipped for as long as the policy says: %s", async (_case, rule, expected) => {
    expect(await openTimes(expected.length, rule)).toEqual(expected);
  });

  it("is skipped for as long as the operator says for this target", async () => {
    const manifests = [{ id: `openai/${GPT}`, breaker: { openMs: 60_000, maxOpenMs: 90_000 }, rules: [] }];
    const world = await chainWorld([], { manifests });
    await breakFirst(world);
    expect(await openUntil(world)).toBe(world.clock.now() + 60_000);
  });
});

it("a fallback that was down too is asked again when it is back, although the first choice still is down", async () => {
  const world = await chainWorld();
  world.afflict(GPT, "unavailable");
  world.afflict(CLAUDE, "unavailable");
  const chain = world.fl.model([world.gpt(), world.claude()]);
  for (let minute = 0; minute < 6; minute++) {
    for (let call = 0; call < failures; call++) await world.failure(generateText({ model: chain, prompt: "hello" }));
    await world.clock.advance(60_000);
  }
  world.afflict(CLAUDE, null);
  await world.clock.advance(MAX_REST_MS);
  for (let call = 0; call < 3; call++) expect((await ask(world, chain)).at(-1)).toBe(CLAUDE);
});

/** The fault of a refused call. */
async function openUntil(world: ChainWorld): Promise<number> {
  const error = await world.failure(generateText({ model: world.fl.model([world.gpt()]), prompt: "x" }));
  return (error as FaultError).fault.resetAt ?? NaN;
}

describe("a last resort", () => {
  it("is tried although its breaker is open", async () => {
    const world = await chainWorld();
    world.afflict(GPT, "unavailable");
    world.afflict(CLAUDE, "unavailable");
    const chain = world.fl.model([world.gpt(), { model: world.claude(), lastResort: true }]);
    for (let call = 0; call < failures + 1; call++)
      await world.failure(generateText({ model: chain, prompt: "hello" }));
    expect(world.fl.targets().map(({ breaker }) => breaker)).toEqual(["open", "open"]);
    world.afflict(CLAUDE, null);
    expect(await ask(world, chain)).toEqual([CLAUDE]);
  });

  it("that does not exist is not asked: the fault says when the first target is back", async () => {
    const world = await chainWorld();
    world.afflict(GPT, "unavailable");
    await breakFirst(world);
    await world.clock.advance(5_000);
    const gptBackAt = only(world.events(), "call-decided").at(-1)?.fault.resetAt;
    world.afflict(CLAUDE, "unavailable");
    for (let call = 0; call < failures; call++) {
      await world.failure(generateText({ model: world.fl.model([world.claude()]), prompt: "hello" }));
    }
    const before = world.asked().length;
    const error = await world.failure(
      generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "x" }),
    );
    expect(world.asked().length).toBe(before);
    expect(error).toBeInstanceOf(FaultError);
    const { fault } = error as FaultError;
    expect(fault.code).toBe("CircuitOpen");
    expect(fault.resetAt).toBeGreaterThan(world.clock.now());
    expect(fault.resetAt).toBeLessThanOrEqual(gptBackAt ?? START_AT + openMs + 60_000);
  });
});
