// What the end of an attempt leaves behind for others: the figures of its target, the cause of an open breaker, and when a chain is back.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/policy/matrix.ts";
import type { Cost } from "../../../src/core/flow/money.ts";
import { createFaultline, FaultError, fault, tool } from "../../../src/index.ts";
import { chain, type Member } from "../../../src/runtime/tool/chain.ts";
import type { ChainRequest } from "../../../src/runtime/tool/tool.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { callTimes, failure, held, START_AT, world } from "../../support/world.ts";

const policy = { ...DEFAULT_POLICY, breaker: { ...DEFAULT_POLICY.breaker, failures: 1 } };

describe("the cause of an open breaker", () => {
  it.each([
    { length: 199, keeps: 199, isCut: false },
    { length: 200, keeps: 200, isCut: false },
    { length: 201, keeps: 200, isCut: true },
    { length: 5_000, keeps: 200, isCut: true },
  ])("of $length characters keeps $keeps, and says if it was cut: $isCut", async ({ length, keeps, isCut }) => {
    const here = world({ policy });
    const message = "x ".repeat(length).slice(0, length);
    const down = tool<string, string>({
      id: "down",
      retry: { maxAttempts: 1 },
      run: () => rejected("Overloaded", message),
    });
    await callTimes(here, down, 1);
    const cause = `${message.slice(0, keeps)}${isCut ? "…" : ""}`;
    expect(here.fl.targets()).toMatchObject([{ breaker: "open", cause: { code: "Overloaded", message: cause } }]);
  });

  it("contains no secret", async () => {
    const secret = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";
    const here = world({ policy });
    const down = tool<string, string>({
      id: "down",
      retry: { maxAttempts: 1 },
      run: () => rejected("Overloaded", `key ${secret} is overused`),
    });
    await callTimes(here, down, 1);
    expect(here.fl.targets()[0]?.cause?.message).toMatch(/^key .* is overused$/);
    expect(JSON.stringify(here.fl.targets())).not.toContain(secret);
  });
});

function rejected(code: "Overloaded", message: string): Promise<never> {
  return Promise.reject(new FaultError(fault(code, { message })));
}

describe("the figures of a target", () => {
  it("count the calls of a free tool that work as well as those that fail", async () => {
    const { fl, clock } = world();
    let calls = 0;
    const free = tool<string, string>({
      id: "free",
      retry: { maxAttempts: 1 },
      run: (input) => {
        if (++calls % 4 === 0) throw failure("Unsupported");
        return input;
      },
    });
    for (let made = 0; made < 8; made++) await clock.runUntil(fl.protect(free, "x"));
    expect(fl.targets()[0]?.recent).toMatchObject({ attempts: 8, errorRate: 0.25 });
  });

  it.each([
    ["that costs something, and works at once", { cost: 5, fails: false, isWatched: false }, 1, 0],
    ["that works, with a subscriber", { cost: null, fails: false, isWatched: true }, 1, 0],
    ["that fails", { cost: null, fails: true, isWatched: false }, 1, 1],
    ["that works at once and costs nothing", { cost: null, fails: false, isWatched: false }, 1, 0],
  ])("have how long an attempt took %s", async (_what, { cost, fails, isWatched }, attempts, errorRate) => {
    const { fl, clock } = world();
    if (isWatched) fl.subscribe(() => undefined);
    const slow = tool<string, string>({
      id: "slow",
      retry: { maxAttempts: 1 },
      run: async (input, context) => {
        await new Promise<void>((resolve) => void clock.after(70, resolve));
        if (cost !== null) context.cost(cost);
        if (fails) throw failure("Unsupported");
        return input;
      },
    });
    await clock.runUntil(fl.protect(slow, "x"));
    expect(fl.targets()[0]?.recent).toEqual({ attempts, errorRate, p50Ms: 70, p95Ms: 70 });
  });
});

describe("the fault of a chain", () => {
  const BACK_AFTER_MS = { one: 90_000, two: 40_000 } as const;
  const member = (id: keyof typeof BACK_AFTER_MS): Member<ChainRequest, string> => ({
    tool: tool<ChainRequest, string>({
      id,
      surface: "http",
      idempotent: true,
      run: () => Promise.reject(failure("RateLimited", { retryAfterMs: BACK_AFTER_MS[id] })),
    }),
    facts: {
      ...{ endpoint: id, account: "", model: id, capabilities: [], contextWindowTokens: 1_000, lastResort: false },
    },
  });

  it.each(["surface", "fail"] as const)(
    "that ends with `%s` says when the first target is back; the faults before it say what their target said",
    async (last) => {
      const clock = createFakeClock(START_AT);
      const rows = DEFAULT_POLICY.rows.map((row) => ({
        ...row,
        then: row.then.filter((recourse) => recourse !== "surface" || last === "surface"),
      }));
      const fl = createFaultline({ clock, chance: createSeededChance(1), policy: { ...DEFAULT_POLICY, rows } });
      const limited = chain([member("one"), member("two")], { retryBeforeFallback: { maxAttempts: 1 } });
      const outcome = await clock.runUntil(fl.protect(limited, {} as never, { deadlineMs: 10_000 }));
      expect(outcome).toMatchObject({ fault: { resetAt: START_AT + BACK_AFTER_MS.two } });
      const failed = fl.recent().flatMap(({ event }) => (event.type === "call-failed" ? [event] : []));
      expect(failed.map(({ tool: id, decision, fault: seen }) => [id, decision.recourse, seen.resetAt])).toEqual([
        ["one", "fallback", undefined],
        ["two", last, START_AT + BACK_AFTER_MS.two],
      ]);
    },
  );
});

describe("what an attempt says after it was given up", () => {
  it.each([
    { before: 3, after: 5, events: [{ cost: 5, booked: 3 }], spent: 5 },
    { before: 3, after: 3, events: [{ cost: null, booked: 3 }], spent: 3 },
    { before: 3, after: null, events: [{ cost: null, booked: 3 }], spent: 3 },
    { before: 5, after: 3, events: [{ cost: 3, booked: 5 }], spent: 3 },
    { before: null, after: 5, events: [{ cost: 5, booked: null }], spent: 5 },
    { before: null, after: null, events: [{ cost: null, booked: null }], spent: 0 },
  ])("corrects what $before was booked for, if it cost $after", async ({ before, after, events, spent }) => {
    const here = world();
    const slow = held("slow", here.clock);
    const left = new AbortController();
    const call = here.fl.protect(slow.tool, "x", { signal: left.signal });
    const { context, answer } = slow.run(0);
    if (before !== null) context.cost(before);
    left.abort();
    await call;
    if (after !== null) context.cost(after);
    answer("late");
    await here.clock.advance(0);
    const late = here.events().filter((event) => event.type === "call-late");
    const microcents = (cost: Cost | null): number | null => cost?.microcents ?? null;
    expect(late.map(({ cost, booked }) => ({ cost: microcents(cost), booked: microcents(booked) }))).toEqual(events);
    expect(here.fl.spending.microcents).toBe(spent);
  });
});
