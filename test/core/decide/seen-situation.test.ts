// What an entry records of a situation is enough to decide again: under the same policy and under any other.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, type Entry, fault, type Policy, type Situation } from "../../../src/core/index.ts";
import { effectivePolicy, type PolicyChanges, policyFor, seenSituation } from "../../../src/core/decide/situation.ts";
import { NO_CHAIN } from "../../../src/core/decide/fallback.ts";
import { replayUnder } from "../../../src/core/record/policy-replay.ts";
import { policyOfRuns } from "../../../src/core/policy/presets.ts";
import { policies, situations } from "./arbitraries.ts";
import { samples } from "../../support/grid.ts";

const retries = fc.record(
  { maxAttempts: fc.integer({ min: 1, max: 9 }), maxWaitMs: fc.constantFrom(0, 500, Infinity), jitter: fc.constant(0) },
  { requiredKeys: [] },
);
const retry = {
  maxAttempts: 2,
  backoff: { kind: "fixed", initialMs: 5, maxMs: 5, multiplier: 1 },
  jitter: 0,
  maxWaitMs: 500,
  maxTotalWaitMs: Infinity,
} as const;
const changes: fc.Arbitrary<PolicyChanges> = fc.record({
  retry: fc.option(retries),
  retryBeforeFallback: fc.constantFrom(null, retry),
  learns: fc.boolean(),
});
/** As the runtime makes them: a model can always be told, and a call can always fail. */
const real = situations.map((given): Situation => ({
  ...given,
  offers: new Set([...given.offers, "surface", "fail"]),
  chain: given.chain.targets.length === 0 ? NO_CHAIN : given.chain,
}));

function entryOf(
  situation: Situation,
  declared: PolicyChanges,
  written = situation.fault,
  inForceThen: Pick<Policy, "unattended"> = {},
): Entry {
  const decision = decide(situation, POLICY_OF_NO_INTEREST);
  const saw = seenSituation(situation, declared, inForceThen, written);
  const { tool } = situation.place;
  const event = { type: "call-decided", call: "c", tool, fault: written, decision, breaker: "closed", saw } as const;
  return JSON.parse(JSON.stringify({ session: "s", seq: 1, at: situation.now, event })) as Entry;
}

/** A call in a stage belongs to a run. */
function inForce(policy: Policy, { place }: Situation): Policy {
  return place.stage === "" ? policy : policyOfRuns(policy);
}

const POLICY_OF_NO_INTEREST = { rows: [] } as unknown as Policy;

describe("a recorded situation", () => {
  it("leads to the same decision under every policy", () => {
    fc.assert(
      fc.property(real, changes, policies, (situation, declared, policy) => {
        const effective = effectivePolicy(inForce(policy, situation), situation.place, declared);
        const decision = decide(situation, policyFor(situation, effective));
        expect(JSON.stringify(replayUnder(policy)(entryOf(situation, declared)))).toBe(JSON.stringify(decision));
      }),
      { numRuns: samples(750, 3_000) },
    );
  });

  it("of a report to a server is decided again as the server does it", () => {
    fc.assert(
      fc.property(real, policies, (situation, policy) => {
        const ofServer = policyOfRuns(policy);
        const decision = decide(situation, policyFor(situation, effectivePolicy(ofServer, situation.place, NOTHING)));
        const entry = entryOf(situation, NOTHING, situation.fault, ofServer);
        expect(JSON.stringify(replayUnder(policy)(entry))).toBe(JSON.stringify(decision));
      }),
    );
  });

  it("keeps the reset time that was decided about, where the entry names the first return of all targets", () => {
    fc.assert(
      fc.property(real, policies, fc.nat(9_000_000), (situation, policy, resetAt) => {
        const written = { ...situation.fault, resetAt };
        const effective = effectivePolicy(inForce(policy, situation), situation.place, NOTHING);
        const decision = decide(situation, policyFor(situation, effective));
        expect(JSON.stringify(replayUnder(policy)(entryOf(situation, NOTHING, written)))).toBe(
          JSON.stringify(decision),
        );
      }),
    );
  });

  it("is missing in entries of older programs, which cannot be decided again", () => {
    const { event, ...entry } = entryOf(usual(), NOTHING);
    const { saw: _saw, ...older } = event as Extract<Entry["event"], { readonly type: "call-decided" }>;
    const [policy] = fc.sample(policies, 1);
    expect(replayUnder(policy ?? POLICY_OF_NO_INTEREST)({ ...entry, event: older })).toBeNull();
  });

  it("is short where nothing is unusual", () => {
    const saw = seenSituation(usual(), NOTHING, {}, usual().fault);
    expect(saw).toEqual({ place: { surface: "node", provider: "openai", stage: "review" }, roll: 0.5 });
  });
});

const NOTHING: PolicyChanges = { retry: null, retryBeforeFallback: null, learns: true };

function usual(): Situation {
  const [some] = fc.sample(real, 1) as [Situation];
  const about = fault("RateLimited");
  return {
    ...some,
    fault: about,
    place: { surface: "node", provider: "openai", tool: "search", stage: "review" },
    attempt: 1,
    waitedMs: 0,
    deadlineAt: null,
    breaker: "closed",
    retryBudgetLeft: true,
    idempotent: false,
    committed: false,
    chain: NO_CHAIN,
    alternatives: [],
    offers: new Set(["surface", "fail"] as const),
    taken: [],
    denied: [],
    incidents: [],
    roll: 0.5,
  };
}
