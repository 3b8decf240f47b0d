// A circuit breaker as data. Every state carries only its own facts, and these hold:
// B1  closed admits all; open admits nothing until its time is up; half-open admits one probe at a time.
// B2  a result counts only in the generation its call was admitted in, so a late answer from before a break changes nothing.
// B3  a neutral result (cancelled, permanent) neither counts nor keeps the probe's place.
// B4  a probe that never answers gives up its place after a while.
// B5  an isolated breaker stays so until a person releases it.

import type { BreakerRule } from "../policy/policy.ts";

interface Common {
  /** Changes at every transition; tickets carry it. */
  readonly generation: number;
  /** How often it opened since it was last closed: makes the open time grow. */
  readonly opens: number;
}

export type Breaker =
  | (Common & { readonly state: "closed"; readonly failures: number })
  | (Common & { readonly state: "open"; readonly openedAt: number; readonly openMs: number })
  | (Common & {
      readonly state: "half-open";
      readonly successes: number;
      readonly probes: number;
      readonly probeStartedAt: number | null;
    })
  | (Common & { readonly state: "isolated"; readonly since: number; readonly reason: string });

export type BreakerState = Breaker["state"];
export type CallResult = "success" | "failure" | "neutral";

/** Given to an admitted call and handed back with its result. */
export interface Ticket {
  readonly generation: number;
  /** The number of the probe, 0 for an ordinary call. */
  readonly probe: number;
}

export type Admission =
  | { readonly admitted: true; readonly breaker: Breaker; readonly ticket: Ticket }
  | { readonly admitted: false; readonly breaker: Breaker; readonly retryAt: number | null };

export const CLOSED: Breaker = Object.freeze({ state: "closed", failures: 0, generation: 0, opens: 0 });

/** May a call go now? Time alone moves open to half-open, so asking may change the state. */
export function admit(breaker: Breaker, rule: BreakerRule, now: number): Admission {
  switch (breaker.state) {
    case "closed":
      return { admitted: true, breaker, ticket: { generation: breaker.generation, probe: 0 } };
    case "open": {
      const probeAt = breaker.openedAt + breaker.openMs;
      if (now < probeAt) return { admitted: false, breaker, retryAt: probeAt };
      const generation = breaker.generation + 1;
      return probe(
        { state: "half-open", generation, opens: breaker.opens, successes: 0, probes: 0, probeStartedAt: null },
        now,
      );
    }
    case "half-open": {
      if (breaker.probeStartedAt === null) return probe(breaker, now);
      const givesUpAt = breaker.probeStartedAt + rule.probeTimeoutMs;
      return now < givesUpAt ? { admitted: false, breaker, retryAt: givesUpAt } : probe(breaker, now);
    }
    case "isolated":
      return { admitted: false, breaker, retryAt: null };
  }
}

function probe(breaker: Extract<Breaker, { state: "half-open" }>, now: number): Admission {
  const probes = breaker.probes + 1;
  return {
    admitted: true,
    breaker: { ...breaker, probes, probeStartedAt: now },
    ticket: { generation: breaker.generation, probe: probes },
  };
}

export function record(breaker: Breaker, rule: BreakerRule, ticket: Ticket, result: CallResult, now: number): Breaker {
  if (ticket.generation !== breaker.generation) return breaker;
  switch (breaker.state) {
    case "closed": {
      if (result === "neutral") return breaker;
      if (result === "success") return breaker.failures === 0 ? breaker : { ...breaker, failures: 0 };
      const failures = breaker.failures + 1;
      return failures >= rule.failures ? open(breaker, rule, now) : { ...breaker, failures };
    }
    case "half-open": {
      // Only the probe that holds the place may answer, and once; an earlier one gave it up.
      if (ticket.probe !== breaker.probes || breaker.probeStartedAt === null) return breaker;
      if (result === "failure") return open(breaker, rule, now);
      if (result === "neutral") return { ...breaker, probeStartedAt: null };
      const successes = breaker.successes + 1;
      return successes >= rule.successes
        ? { state: "closed", failures: 0, generation: breaker.generation + 1, opens: 0 }
        : { ...breaker, successes, probeStartedAt: null };
    }
    case "open":
    case "isolated":
      return breaker;
  }
}

function open(breaker: Breaker, rule: BreakerRule, now: number): Breaker {
  const openMs = Math.min(rule.openMs * rule.growth ** Math.min(breaker.opens, 64), rule.maxOpenMs);
  return { state: "open", generation: breaker.generation + 1, opens: breaker.opens + 1, openedAt: now, openMs };
}

/** A person takes the target out of service … */
export function isolate(breaker: Breaker, reason: string, now: number): Breaker {
  return { state: "isolated", generation: breaker.generation + 1, opens: breaker.opens, since: now, reason };
}

/** … and back into it. Also closes an open breaker by hand. */
export function release(breaker: Breaker): Breaker {
  return { state: "closed", failures: 0, generation: breaker.generation + 1, opens: 0 };
}
