// Programs and files say dollars; everything inside counts whole micro-cents.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetRule, microcentsOf, NO_BUDGET, usdOf } from "../../../src/core/flow/money.ts";

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
