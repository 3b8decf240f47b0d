import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CODES, type FaultCode, traitsOf } from "../../../src/core/fault/catalogue.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import {
  effectivePolicy,
  NO_CHANGES,
  type PolicyChanges,
  policyFor,
  type SeenSituation,
  seenSituation,
  type Situation,
  situation,
  situationOf,
} from "../../../src/core/decide/situation.ts";
import {
  type ChainState,
  type NextTarget,
  nextTarget,
  NO_CHAIN,
  scopeOf,
  type Target,
} from "../../../src/core/decide/fallback.ts";
import { NOWHERE, type Policy, type PolicyRow, type Retry, rowFor } from "../../../src/core/policy/policy.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy/matrix.ts";
import { situations } from "./arbitraries.ts";

const RETRY: Retry = {
  ...{ maxAttempts: 2, jitter: 0, maxWaitMs: 5, maxTotalWaitMs: 5 },
  backoff: { kind: "fixed", initialMs: 5, maxMs: 5, multiplier: 1 },
};

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

describe("what a journal entry records of a situation", () => {
  const real = situations.map((given): Situation => ({
    ...given,
    chain: given.chain.targets.length === 0 ? NO_CHAIN : given.chain,
  }));

  it("is enough to know everything that was decided on", () => {
    fc.assert(
      fc.property(real, (decided) => {
        const offers = new Set([...situation(decided.fault).offers, ...decided.offers]);
        const saw = JSON.parse(JSON.stringify(seenSituation(decided, NO_CHANGES, {}, decided.fault))) as SeenSituation;
        const { tool } = decided.place;
        const again = situationOf({ tool, fault: decided.fault }, saw, decided.now);
        const next = nextTarget(decided.chain, scopeOf(decided.fault));
        expect(again).toEqual({ situation: { ...decided, offers, next }, changes: NO_CHANGES });
      }),
      { numRuns: 200 },
    );
  });

  const LIMIT = fault("RateLimited", { resetAt: 5_000 });
  const TARGET: Target = {
    ...{ id: "a", endpoint: "e", account: "k", model: "m", capabilities: [] },
    ...{ contextWindowTokens: Infinity, available: true, backAt: 1_000 },
  };
  const chainOf = (details: Partial<Target>): ChainState => ({ ...NO_CHAIN, targets: [{ ...TARGET, ...details }] });
  const { available: _available, backAt: _backAt, contextWindowTokens: _window, ...SEEN } = TARGET;
  const seenChain = (details: object): object => ({
    chain: { targets: [{ ...SEEN, ...details }], current: 0, needs: [], minContextTokens: 0 },
  });

  it.each<[string, Partial<Omit<Situation, "fault">>, object]>([
    ["nothing else", {}, {}],
    [
      "the stage and the provider",
      { place: { ...NOWHERE, stage: "s", provider: "p" } },
      { place: { surface: NOWHERE.surface, stage: "s", provider: "p" } },
    ],
    ["a second attempt", { attempt: 2 }, { attempt: 2 }],
    ["an earlier wait", { waitedMs: 7 }, { waitedMs: 7 }],
    ["a deadline", { deadlineAt: 0 }, { deadlineAt: 0 }],
    ["an open breaker", { breaker: "open" }, { breaker: "open" }],
    ["a spent budget", { retryBudgetLeft: false }, { noRetryBudget: true }],
    ["work that may run twice", { idempotent: true }, { idempotent: true }],
    ["an answer that has begun", { committed: true }, { committed: true }],
    ["a target that can answer", { chain: chainOf({}) }, seenChain({})],
    ["a target with a window", { chain: chainOf({ contextWindowTokens: 9 }) }, seenChain({ contextWindowTokens: 9 })],
    [
      "a target that comes back",
      { chain: chainOf({ available: false, backAt: 3 }) },
      seenChain({ unavailable: true, backAt: 3 }),
    ],
    [
      "a target that never does",
      { chain: chainOf({ available: false, backAt: Infinity }) },
      seenChain({ unavailable: true, backAt: null }),
    ],
    ["other tools", { alternatives: ["b"] }, { alternatives: ["b"] }],
    ["one more offer", { offers: new Set(["surface", "fail", "skip"]) }, { offers: ["skip"] }],
    ["what was taken", { taken: ["compact"] }, { taken: ["compact"] }],
    ["what was denied", { denied: ["retry"] }, { denied: ["retry"] }],
    [
      "an incident",
      { incidents: [{ recourse: "retry", worked: true, at: 1 }] },
      { incidents: [{ recourse: "retry", worked: true, at: 1 }] },
    ],
  ])("is the place and the roll, and besides only what is unusual: %s", (_what, details, expected) => {
    const decided = situation(LIMIT, { now: 1_000, ...details });
    expect(seenSituation(decided, NO_CHANGES, {}, LIMIT)).toEqual({
      place: { surface: NOWHERE.surface },
      roll: 0.5,
      ...expected,
    });
  });

  it.each([
    ["as it was written", LIMIT, LIMIT, {}],
    ["at another time", fault("RateLimited", { resetAt: 4_000 }), LIMIT, { resetAt: 4_000 }],
    ["never", fault("RateLimited"), LIMIT, { resetAt: null }],
  ])("names the reset time that was decided on where the entry has another: %s", (_what, met, written, expected) => {
    const seen = seenSituation(situation(met), NO_CHANGES, {}, written);
    expect(seen).toEqual({ place: { surface: NOWHERE.surface }, roll: 0.5, ...expected });
    const again = situationOf({ tool: "", fault: written }, seen, 0).situation.fault;
    expect(again.resetAt).toBe(met.resetAt);
    expect("resetAt" in again).toBe(met.resetAt !== undefined);
  });

  it.each<[true | undefined, string, object]>([
    [true, "", { unattended: true }],
    [true, "review", {}],
    [undefined, "", {}],
  ])("says that a report was decided as runs decide: unattended %s, stage %j", (unattended, stage, expected) => {
    const decided = situation(LIMIT, { place: { ...NOWHERE, stage } });
    const {
      place: _place,
      roll: _roll,
      ...others
    } = seenSituation(decided, NO_CHANGES, unattended === undefined ? {} : { unattended }, LIMIT);
    expect(others).toEqual(expected);
  });

  it.each<[string, PolicyChanges, object]>([
    ["nothing", NO_CHANGES, {}],
    ["its retries", { ...NO_CHANGES, retry: { maxAttempts: 2 } }, { changes: { retry: { maxAttempts: 2 } } }],
    [
      "endless waits",
      { ...NO_CHANGES, retry: { maxWaitMs: Infinity } },
      { changes: { retry: { maxWaitMs: Number.MAX_VALUE } } },
    ],
    [
      "retries before a fallback",
      { ...NO_CHANGES, retryBeforeFallback: RETRY },
      { changes: { retryBeforeFallback: RETRY } },
    ],
    ["that it does not learn", { ...NO_CHANGES, learns: false }, { changes: { learns: false } }],
  ])("has what the tool declares about retries: %s", (_what, changes, expected) => {
    const { place: _place, roll: _roll, ...others } = seenSituation(situation(LIMIT), changes, {}, LIMIT);
    expect(others).toEqual(expected);
  });
});

describe("the policy of one tool's calls", () => {
  const rows = (match: PolicyRow["match"]): Policy =>
    ({
      ...DEFAULT_POLICY,
      rows: [{ match, retry: null, then: ["fail"], origin: { layer: "file", at: "a test" } }],
    }) as const;
  const place = { surface: "tool", provider: "p", tool: "t", stage: "" } as const;

  it.each<[PolicyRow["match"], number]>([
    [{}, 1],
    [{ surface: ["tool"] }, 1],
    [{ surface: ["http"] }, 0],
    [{ provider: ["p"] }, 1],
    [{ provider: ["q"] }, 0],
    [{ tool: ["t"] }, 1],
    [{ tool: ["u"] }, 0],
    [{ stage: ["another"] }, 1],
    [{ surface: ["tool"], provider: ["p"], tool: ["u"] }, 0],
  ])("has only the rows that can match there: %j", (match, count) => {
    expect(effectivePolicy(rows(match), place, NO_CHANGES).own.rows).toHaveLength(count);
  });

  it("retries as the tool declares", () => {
    const { own: declared } = effectivePolicy(DEFAULT_POLICY, place, { ...NO_CHANGES, retry: { maxAttempts: 7 } });
    expect(rowFor(declared, fault("Overloaded"), place).retry).toMatchObject({ maxAttempts: 7 });
  });

  it("learns as the policy says, unless the tool declares that it does not", () => {
    expect(effectivePolicy(DEFAULT_POLICY, place, NO_CHANGES).own.learnsAfter).toBe(DEFAULT_POLICY.learnsAfter);
    expect(effectivePolicy(DEFAULT_POLICY, place, { ...NO_CHANGES, learns: false }).own.learnsAfter).toBe(0);
  });

  it("is the same before a fallback, unless the tool declares retries for that", () => {
    const same = effectivePolicy(DEFAULT_POLICY, place, NO_CHANGES);
    expect(same.beforeFallback).toBe(same.own);
    const sooner = effectivePolicy(DEFAULT_POLICY, place, { ...NO_CHANGES, retryBeforeFallback: RETRY });
    expect(rowFor(sooner.beforeFallback, fault("Overloaded"), place).retry).toMatchObject({ maxAttempts: 2 });
    expect(rowFor(sooner.own, fault("Overloaded"), place)).toEqual(rowFor(same.own, fault("Overloaded"), place));
  });

  const own = { ...DEFAULT_POLICY, name: "own" };
  const beforeFallback = { ...DEFAULT_POLICY, name: "before" };
  const target = { id: "b" } as Target;
  const to = (next: Partial<NextTarget>): NextTarget => ({
    target: null,
    sharesTheFailure: false,
    passedOver: [],
    ...next,
  });
  const chain: ChainState = {
    ...{ current: 0, needs: ["tools"], minContextTokens: 0 },
    targets: [{ id: "a", capabilities: ["tools"] } as unknown as Target],
  };

  it.each<[string, FaultCode, ChainState, NextTarget, string, boolean]>([
    ["no chain", "NetworkTimeout", NO_CHAIN, to({ target }), "own", true],
    ["no other target", "NetworkTimeout", chain, to({}), "own", true],
    [
      "only a target that shares the failure",
      "NetworkTimeout",
      chain,
      to({ target, sharesTheFailure: true }),
      "own",
      true,
    ],
    ["another target", "Overloaded", chain, to({ target }), "before", true],
    ["another target after silence", "NetworkTimeout", chain, to({ target }), "before", false],
    ["a target that cannot continue", "Overloaded", { ...chain, needs: ["prefill"] }, to({ target }), "before", false],
    ["no target that can continue", "Overloaded", { ...chain, needs: ["prefill"] }, to({}), "own", false],
    ["a target that is not in the chain", "Overloaded", { ...chain, current: 5 }, to({}), "own", false],
  ])("with %s", (_what, code, state, next, name, retries) => {
    const policy = policyFor({ fault: fault(code), chain: state, next }, { own, beforeFallback });
    expect(policy.name).toBe(name);
    expect(policy.rows.some(({ retry }) => retry !== null)).toBe(retries);
    expect(policy.rows).toHaveLength(DEFAULT_POLICY.rows.length);
  });
});
