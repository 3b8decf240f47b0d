import { describe, expect, it } from "vitest";
import { FAULT_CODES, traitsOf } from "../../../src/core/fault/catalogue.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { situation } from "../../../src/core/decide/situation.ts";
import { NO_CHAIN } from "../../../src/core/decide/fallback.ts";
import { NOWHERE } from "../../../src/core/policy/policy.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy/matrix.ts";

describe("a situation of which only the fault is known", () => {
  it("is the first failure of work that must not run twice, with nothing in its way", () => {
    const { fault: met, next, offers, ...others } = situation(fault("Overloaded"));
    expect(met.code).toBe("Overloaded");
    expect(others).toEqual({
      place: NOWHERE,
      attempt: 1,
      waitedMs: 0,
      now: 0,
      deadlineAt: null,
      breaker: "closed",
      retryBudgetLeft: true,
      idempotent: false,
      committed: false,
      chain: NO_CHAIN,
      alternatives: [],
      taken: [],
      denied: [],
      incidents: [],
      roll: 0.5,
    });
    expect([...offers]).toEqual(["surface", "fail"]);
    expect(next.target).toBeNull();
  });

  it("never leads to a retry of what may have happened", () => {
    const risky = FAULT_CODES.filter((code) => traitsOf(code).mayHaveHappened);
    expect(risky).not.toHaveLength(0);
    for (const code of risky)
      expect([code, decide(situation(fault(code)), DEFAULT_POLICY).recourse]).not.toContain("retry");
  });
});
