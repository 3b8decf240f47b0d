// Programs and files say dollars; everything inside counts whole micro-cents.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetRule, checkBudget, microcentsOf, NO_BUDGET, usdOf } from "../../../src/core/flow/money.ts";

describe("dollars", () => {
  it("become micro-cents and come back without loss", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e14 }), (microcents) => microcentsOf(usdOf(microcents)) === microcents),
    );
  });

  it("that are more than nothing never become 0, which means no limit", () => {
    expect(microcentsOf(1e-12)).toBe(1);
    expect(microcentsOf(0)).toBe(0);
    expect(microcentsOf(Infinity)).toBe(Infinity);
  });

  it("a budget keeps what its options leave out", () => {
    const base = budgetRule(NO_BUDGET, { maxUsd: 2, warnAtPercent: 50 });
    expect(base).toEqual({ maxCostMicrocents: 200_000_000, onExceed: "fail", warnAtPercent: 50 });
    expect(budgetRule(base, { onExceed: "warn" })).toEqual({ ...base, onExceed: "warn" });
  });
});

describe("a budget of 1000 that warns at 80 %", () => {
  const rule = { maxCostMicrocents: 1_000, onExceed: "fail", warnAtPercent: 80 } as const;

  it.each([
    [0, { warns: false, exceeds: false }],
    [799, { warns: false, exceeds: false }],
    [800, { warns: true, exceeds: false }],
    [1_000, { warns: true, exceeds: false }],
    [1_001, { warns: true, exceeds: true }],
  ])("counts what was spent, what is reserved and the estimate: %d in all", (total, verdict) => {
    for (const spent of [0, Math.floor(total / 3), total]) {
      for (const reserved of [0, Math.floor((total - spent) / 2), total - spent])
        expect(checkBudget(rule, spent, reserved, total - spent - reserved)).toEqual(verdict);
    }
  });

  it("has no limit at 0", () => {
    expect(checkBudget(NO_BUDGET, 1e12, 1e12, 1e12)).toEqual({ warns: false, exceeds: false });
  });
});
