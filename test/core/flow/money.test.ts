// Programs and files say dollars; everything inside counts whole micro-cents.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetRule, checkBudget, dollars, microcentsOf, NO_BUDGET, usdOf } from "../../../src/core/flow/money.ts";

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

  it.each([
    [0, "$0.00"],
    [1, "$0.00000001"],
    [12, "$0.00000012"],
    [123, "$0.00000123"],
    [1_234, "$0.0000123"],
    [99_999, "$0.001"],
    [123_456, "$0.00123"],
    [999_499, "$0.00999"],
    [1_000_000, "$0.01"],
    [1_234_567, "$0.0123"],
    [12_345_678, "$0.1235"],
    [101_000_000, "$1.01"],
    [123_456_789, "$1.2346"],
    [250_000_000_000, "$2500.00"],
    [-1_234, "$-0.0000123"],
    [-123_456_789, "$-1.2346"],
  ])("of %d micro-cents are shown as %s", (microcents, shown) => {
    expect(dollars(microcents)).toBe(shown);
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
