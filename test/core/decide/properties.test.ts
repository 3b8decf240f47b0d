// What must always hold, over random situations and over whole calls played to their end. Seeds print on failure.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decide,
  rowFor,
  situation,
  traitsOf,
  type Decision,
  type Policy,
  type Recourse,
  type Situation,
  type Target,
} from "../../../src/core/index.ts";
import { faults, policies, roll, situations } from "./arbitraries.ts";
import { scopeOf, SCOPES_THAT_ADVANCE } from "../../../src/core/decide/fallback.ts";
import { withDeclared } from "../../../src/core/policy/policy.ts";
import { samples } from "../../support/grid.ts";

/** Recourses that start the same work again. */
const RUNS_AGAIN: ReadonlySet<Decision["recourse"]> = new Set([
  "retry",
  "refresh-credential",
  "fallback",
  "alternative",
  "compact",
  "regenerate",
  "park",
]);

function isAble({ capabilities, contextWindowTokens }: Target, { chain }: Situation): boolean {
  return chain.needs.every((need) => capabilities.includes(need)) && contextWindowTokens >= chain.minContextTokens;
}

/** What was refused, what was taken, what is left. */
function wholeList({ considered, recourse, left }: Decision): readonly Decision["recourse"][] {
  return [...considered.map((refused) => refused.recourse), recourse, ...left];
}

describe("any decision", () => {
  function holds(check: (decision: Decision, seen: Situation, policy: Policy) => void): void {
    fc.assert(
      fc.property(situations, policies, (seen, policy) => {
        check(decide(seen, policy), seen, policy);
      }),
      { numRuns: samples(1_250, 5_000) },
    );
  }

  it("never retries more often than the row says, the first attempt included", () => {
    holds((decision, seen, policy) => {
      if (decision.recourse !== "retry") return;
      expect(decision.attempt).toBe(seen.attempt + 1);
      expect(decision.attempt).toBeLessThanOrEqual(rowFor(policy, seen.fault, seen.place).retry?.maxAttempts ?? 0);
    });
  });

  it("never waits past the deadline, nor longer than the row allows", () => {
    holds((decision, seen, policy) => {
      if (decision.recourse !== "retry") return;
      const { retry } = rowFor(policy, seen.fault, seen.place);
      expect(decision.delayMs).toBeLessThanOrEqual(retry?.maxWaitMs ?? 0);
      expect(seen.waitedMs + decision.delayMs).toBeLessThanOrEqual(retry?.maxTotalWaitMs ?? 0);
      if (seen.deadlineAt !== null) expect(seen.now + decision.delayMs).toBeLessThan(seen.deadlineAt);
    });
  });

  it("never runs again what may have happened, unless it is idempotent", () => {
    holds((decision, seen) => {
      if (!traitsOf(seen.fault.code).mayHaveHappened || seen.idempotent) return;
      expect(RUNS_AGAIN.has(decision.recourse)).toBe(false);
    });
  });

  it("never starts over once part of the answer is out", () => {
    holds((decision, seen) => {
      if (seen.committed) expect(RUNS_AGAIN.has(decision.recourse)).toBe(false);
    });
  });

  it("never retries against an open breaker, an empty budget or a server's no", () => {
    holds((decision, seen) => {
      if (
        seen.breaker === "open" ||
        seen.breaker === "isolated" ||
        !seen.retryBudgetLeft ||
        seen.fault.context["shouldRetry"] === false
      )
        expect(decision.recourse).not.toBe("retry");
    });
  });

  it("keeps a wait the server named exactly", () => {
    holds((decision, seen) => {
      if (decision.recourse !== "retry") return;
      const { retryAfterMs, resetAt } = seen.fault;
      const named = resetAt === undefined ? retryAfterMs : Math.max(0, resetAt - seen.now);
      expect(decision.serverWait).toBe(named !== undefined);
      if (named !== undefined) expect(decision.delayMs).toBe(named);
    });
  });

  it("lets cancellation win", () => {
    holds((decision, seen) => {
      if (traitsOf(seen.fault.code).cancels) expect(decision.recourse).toBe("fail");
    });
  });

  it("switches only to a target that is able, up, and does not share the fault", () => {
    holds((decision, seen) => {
      if (decision.recourse !== "fallback") return;
      const next = seen.chain.targets.find(({ id }) => id === decision.target);
      expect(next?.available).toBe(true);
      expect(seen.chain.needs.every((need) => next?.capabilities.includes(need))).toBe(true);
      const { scope, lifts } = traitsOf(seen.fault.code);
      const [failed] = seen.chain.targets;
      if (failed === undefined || next === undefined) return;
      const same = (domain: "endpoint" | "account" | "model"): boolean => failed[domain] === next[domain];
      // Where a row falls back for a fault that is not about a target, such as a CLI's own configuration, its twin may be asked.
      if (SCOPES_THAT_ADVANCE.has(scopeOf(seen.fault)))
        expect(same("endpoint") && same("account") && same("model")).toBe(false);
      // A refused key is refused for each of its models. Where a limit may be one model's, the answer says whose it is.
      if (scope === "account" && !lifts) expect(same("endpoint") && same("account")).toBe(false);
      if (scope !== "endpoint" && scope !== "network") return;
      const elsewhere = seen.chain.targets
        .slice(1)
        .filter((target) => target.endpoint !== failed.endpoint && target.available && isAble(target, seen));
      if (elsewhere.length > 0) expect(same("endpoint")).toBe(false);
    });
  });

  it("takes nothing that is not offered, and nothing twice that is allowed once", () => {
    holds((decision, seen) => {
      const { recourse } = decision;
      if (recourse === "retry" || recourse === "fail") return;
      expect(seen.offers.has(recourse)).toBe(true);
      expect(seen.taken).not.toContain(recourse);
    });
  });

  it("is the same decision every time, and says why not for everything before it", () => {
    holds((decision, seen, policy) => {
      expect(decide(seen, policy)).toEqual(decision);
      if (traitsOf(seen.fault.code).cancels) return;
      const row = rowFor(policy, seen.fault, seen.place);
      const [first, ...others] = wholeList(decision);
      expect(first).toBe("retry");
      // `fail` ends every list, even one that does not name it.
      expect(others.filter((recourse) => recourse !== "fail").toSorted()).toEqual(
        withDeclared(row.then, seen.offers)
          .filter((recourse) => recourse !== "fail")
          .toSorted(),
      );
    });
  });

  it("keeps the row's order but for what worked the last times", () => {
    holds((decision, seen, policy) => {
      const { then } = rowFor(policy, seen.fault, seen.place);
      const worked = (recourse: Decision["recourse"]): boolean => {
        const last = seen.incidents.filter((incident) => incident.recourse === recourse).slice(0, policy.learnsAfter);
        return (
          policy.learnsAfter > 0 && last.length === policy.learnsAfter && last.every((incident) => incident.worked)
        );
      };
      const plain = wholeList(decision).filter((recourse) => then.includes(recourse as Recourse) && !worked(recourse));
      expect(plain).toEqual(then.filter((recourse) => plain.includes(recourse)));
      if (decision.preferred === null) return;
      expect(decision.preferred).toBe(decision.recourse);
      expect(worked(decision.preferred)).toBe(true);
      expect(RUNS_AGAIN.has(decision.preferred)).toBe(true);
    });
  });

  it("does nothing a person has refused", () => {
    holds((decision, seen) => {
      if (decision.recourse !== "fail") expect(seen.denied).not.toContain(decision.recourse);
    });
  });
});

describe("a call played to its end", () => {
  it("ends, with no more attempts than its rows allow and no more waiting than they allow", () => {
    fc.assert(
      fc.property(
        policies,
        fc.constantFrom("http", "tool"),
        fc.array(fc.tuple(faults, roll), { minLength: 1, maxLength: 40 }),
        fc.nat(600_000),
        (policy, surface, failures, deadlineAt) => {
          let now = 0;
          let waitedMs = 0;
          let attempt = 1;
          let most = 1;
          for (const [met, chance] of failures) {
            const seen = situation(met, {
              place: { surface, provider: "", tool: "", stage: "" },
              idempotent: true,
              attempt,
              waitedMs,
              now,
              deadlineAt,
              roll: chance,
            });
            const decision = decide(seen, policy);
            const row = rowFor(policy, met, seen.place);
            most = Math.max(most, row.retry?.maxAttempts ?? 1);
            if (decision.recourse !== "retry") return;
            now += decision.delayMs;
            waitedMs += decision.delayMs;
            attempt = decision.attempt;
            expect(attempt).toBeLessThanOrEqual(most);
            expect(now).toBeLessThan(deadlineAt);
          }
        },
      ),
      { numRuns: samples(750, 3_000) },
    );
  });
});
