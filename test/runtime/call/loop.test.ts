// A call outside a session runs its attempts without a wait where it can. It must still end in every case.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { type Policy, tool } from "../../../src/index.ts";
import { broken, callTimes, failure, scripted, START_AT, world } from "../../support/world.ts";

/** Only the number of attempts ends a call. */
const ENDLESS: Policy = {
  ...DEFAULT_POLICY,
  learnsAfter: 0,
  retryBudget: { capacity: 1e9, perCall: 1, perSecond: 1 },
};

function stackDepth(): number {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  const depth = (new Error().stack ?? "").split("\n").length;
  Error.stackTraceLimit = stackTraceLimit;
  return depth;
}

describe("a tool that fails at once", () => {
  it("is tried a thousand times without a wait, and the stack does not grow", async () => {
    const here = world({ policy: ENDLESS });
    const depths: number[] = [];
    const down = tool<string, string>({
      id: "down",
      retry: { maxAttempts: 1_000, backoff: { initialMs: 0, maxMs: 0 } },
      run: () => {
        depths.push(stackDepth());
        throw failure("ToolUnavailable");
      },
    });
    expect(await callTimes(here, down, 1)).toMatchObject([{ status: "surfaced", attempts: 1_000 }]);
    expect(depths).toHaveLength(1_000);
    expect(Math.max(...depths)).toBeLessThan(500);
    expect(here.clock.now()).toBe(START_AT);
  });

  it.each([0, 1, 2, 3])("leaves no slot taken after %i failures and retries at once", async (failures) => {
    const here = world({ policy: ENDLESS });
    const flaky = scripted(
      "flaky",
      Array.from({ length: failures }, () => failure("ToolUnavailable")),
      { maxConcurrent: 1, maxQueued: 0, retry: { maxAttempts: 3, backoff: { initialMs: 0, maxMs: 0 } } },
    );
    const [first] = await callTimes(here, flaky.tool, 1);
    expect(first).toMatchObject({ status: failures < 3 ? "done" : "surfaced", attempts: Math.min(3, failures + 1) });
    expect(here.fl.targets()).toMatchObject([{ running: 0, queued: 0 }]);
    expect(await callTimes(here, flaky.tool, 1)).toMatchObject([{ status: "done" }]);
  });

  it("does not block other calls", async () => {
    const here = world({ policy: ENDLESS });
    const order: string[] = [];
    const down = broken("down", "ToolUnavailable", {
      retry: { maxAttempts: 1_000, backoff: { initialMs: 0, maxMs: 0 } },
    });
    const fine = scripted("fine", []);
    const busy = here.fl.protect(down.tool, "x").then(() => order.push("down"));
    const quick = here.fl.protect(fine.tool, "x").then(() => order.push("fine"));
    await here.clock.runUntil(Promise.all([busy, quick]));
    expect(order).toEqual(["fine", "down"]);
  });
});

describe("a call that hits an internal bug, or a bug in what it was given", () => {
  it("fails instead of hanging", async () => {
    const dice = {
      roll: (): number => {
        throw new Error("the dice are gone");
      },
      newId: (prefix: string): string => `${prefix}_1`,
    };
    const here = world({ chance: dice });
    const outcomes = await callTimes(here, broken("down").tool, 2);
    expect(outcomes).toMatchObject([
      { status: "failed", fault: { message: "the dice are gone" } },
      { status: "failed", fault: { message: "the dice are gone" } },
    ]);
  });
});

describe("a deadline", () => {
  it.each([0, -5])("of %d ms starts nothing", async (deadlineMs) => {
    const { fl } = world();
    const fine = scripted("fine", []);
    expect(await fl.protect(fine.tool, "x", { deadlineMs })).toMatchObject({
      attempts: 0,
      fault: { code: "RunTimeout" },
    });
    expect(fine.runs).toEqual([]);
  });

  it("that passes while a call waits to retry prevents any further attempt", async () => {
    const { fl, clock } = world();
    const down = broken("down", "ToolUnavailable", { retry: { backoff: { initialMs: 300 } } });
    const outcome = await clock.runUntil(fl.protect(down.tool, "x", { deadlineMs: 100 }));
    expect(outcome).toMatchObject({ status: "surfaced", attempts: 1 });
    expect(clock.now()).toBeLessThanOrEqual(START_AT + 100);
    await clock.runAll();
    expect(down.runs).toEqual([1]);
  });
});

describe("a tool with a price", () => {
  const estimates: number[] = [];
  const priced = (said: number | null, more: Partial<Parameters<typeof tool<number, string>>[0]> = {}) =>
    tool<number, string>({
      cost: { estimate: (most) => estimates.push(most) && most },
      ...more,
      id: "priced",
      run: (_most, { cost }) => {
        if (said !== null) cost(said);
        return "fine";
      },
    });

  it("is asked for an estimate only when one is needed: for a limit, or for an attempt that reports no cost", async () => {
    estimates.length = 0;
    const { fl } = world();
    await fl.protect(priced(7), 100);
    expect(estimates).toEqual([]);
    expect(fl.spending).toEqual({ microcents: 7, estimatedMicrocents: 0, unpricedAttempts: 0 });
    await fl.protect(priced(null), 100);
    expect(estimates).toEqual([100]);
    expect(fl.spending).toEqual({ microcents: 107, estimatedMicrocents: 100, unpricedAttempts: 0 });
    const limited = world({ budget: { maxUsd: 0.0000005 } });
    expect(await limited.fl.protect(priced(7), 100)).toMatchObject({ status: "failed", attempts: 0 });
    expect(estimates).toEqual([100, 100]);
  });

  it("is announced before it runs, and its result is still checked against its schema", async () => {
    const { fl, events } = world();
    const seen: string[] = [];
    fl.subscribe(({ event }) => void seen.push(event.type));
    const output = { type: "number" } as const;
    const told = tool<string, unknown>({
      id: "told",
      output,
      retry: "none",
      cost: { estimate: () => 1 },
      run: () => seen.push("runs") && "no number",
    });
    expect(await fl.protect(told, "x")).toMatchObject({ attempts: 1, fault: { code: "OutputMalformed" } });
    expect(seen.slice(0, 3)).toEqual(["call-started", "call-admitted", "runs"]);
    expect(events().map(({ type }) => type)).toContain("call-failed");
  });
});
