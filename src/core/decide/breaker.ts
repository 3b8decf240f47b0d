// What decides whether a target may be asked: a circuit breaker, a pause it asked for, and a retry budget, as data. Processes that share
// a journal merge theirs. Every state of a breaker carries only its own facts, and these hold:
// B1  Closed admits all; open admits nothing until its time is up; half-open admits one probe at a time.
// B2  A result counts only in the generation its call was admitted in, so a late answer from before a break changes nothing.
//     Failures of calls that overlap in time are one observation of one outage: a failure counts only if none has been
//     counted since its call was admitted.
// B3  A neutral result (cancelled, permanent) neither counts nor keeps the next probe waiting.
// B4  A probe that never answers makes way for the next one after a while.
// B5  An isolated breaker stays so until a person releases it.
// B6  Breakers of one target that several processes hold are merged: all of them end up with the same one, in whatever order they
//     meet. What a person did last wins, then the newer generation.

import type { FaultCode } from "../fault/catalogue.ts";
import type { BreakerRule, RetryBudgetRule } from "../policy/policy.ts";
import type { Fault } from "../fault/fault.ts";

interface Common {
  /** Changes at every transition; tickets carry it. */
  readonly generation: number;
  /** How often it opened since it was last closed: makes the open time grow. */
  readonly opens: number;
  /** When a person last changed it; absent if no person did. */
  readonly byHandAt?: number;
}

/** The failure that opened a breaker, for the calls that it refuses. */
export interface BreakerCause {
  readonly code: FaultCode;
  /** Scrubbed: a breaker is kept in the journal. */
  readonly message: string;
}

/** Adds the cause to an open breaker; any other is returned unchanged. */
export function withCause(breaker: Breaker, cause: BreakerCause): Breaker {
  return breaker.state === "open" ? { ...breaker, cause } : breaker;
}

/** The state of a breaker, as data. */
export type Breaker =
  | (Common & {
      readonly state: "closed";
      /** Outages observed since the last success. */
      readonly failures: number;
      /** Outages observed in this generation, successes or not; a breaker that an older version kept has none. */
      readonly observed?: number;
      /** When it was closed, or its count of failures went back to zero. */
      readonly settledAt?: number;
    })
  | (Common & {
      readonly state: "open";
      readonly openedAt: number;
      readonly openMs: number;
      readonly cause?: BreakerCause | null;
    })
  | (Common & {
      readonly state: "half-open";
      readonly cause?: BreakerCause | null;
      readonly successes: number;
      readonly probes: number;
      readonly probeStartedAt: number | null;
    })
  | (Common & { readonly state: "isolated"; readonly since: number; readonly reason: string });

/** Whether a breaker is closed, open or probing. */
export type BreakerState = Breaker["state"];
/** What the end of a call means for its breaker. */
export type CallResult = "success" | "failure" | "neutral";

/** Given to an admitted call and handed back with its result. */
export interface Ticket {
  readonly generation: number;
  /** The number of the probe, 0 for an ordinary call. */
  readonly probe: number;
  /** How many outages had been observed when the call was admitted. */
  readonly observed: number;
}

/** Whether a breaker lets a call begin. */
export type Admission =
  | { readonly admitted: true; readonly breaker: Breaker; readonly ticket: Ticket }
  | { readonly admitted: false; readonly breaker: Breaker; readonly retryAt: number | null };

/** A breaker that has seen nothing yet. */
export const CLOSED: Breaker = Object.freeze({ state: "closed", failures: 0, observed: 0, generation: 0, opens: 0 });

/** May a call go now? Time alone moves open to half-open, so asking may change the state. */
export function admit(breaker: Breaker, rule: BreakerRule, now: number): Admission {
  switch (breaker.state) {
    case "closed":
      return {
        admitted: true,
        breaker,
        ticket: { generation: breaker.generation, probe: 0, observed: breaker.observed ?? 0 },
      };
    case "open": {
      const probeAt = breaker.openedAt + breaker.openMs;
      if (now < probeAt) return { admitted: false, breaker, retryAt: probeAt };
      return probe(halfOpen(breaker), now);
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

function halfOpen(breaker: Breaker): Extract<Breaker, { state: "half-open" }> {
  const { opens } = breaker;
  const cause = "cause" in breaker ? (breaker.cause ?? null) : null;
  const generation = breaker.generation + 1;
  const facts = { generation, opens, cause, successes: 0, probes: 0, probeStartedAt: null };
  return { state: "half-open", ...facts, ...handOf(breaker) };
}

function probe(breaker: Extract<Breaker, { state: "half-open" }>, now: number): Admission {
  const probes = breaker.probes + 1;
  return {
    admitted: true,
    breaker: { ...breaker, probes, probeStartedAt: now },
    ticket: { generation: breaker.generation, probe: probes, observed: 0 },
  };
}

/** The breaker after a call has ended. */
export function record(breaker: Breaker, rule: BreakerRule, ticket: Ticket, result: CallResult, now: number): Breaker {
  if (ticket.generation !== breaker.generation) return breaker;
  switch (breaker.state) {
    case "closed": {
      if (result === "neutral") return breaker;
      if (result === "success") return breaker.failures === 0 ? breaker : { ...breaker, failures: 0, settledAt: now };
      const { observed = 0 } = breaker;
      if (ticket.observed !== observed) return breaker;
      const failures = breaker.failures + 1;
      return failures >= rule.failures ? open(breaker, rule, now) : { ...breaker, failures, observed: observed + 1 };
    }
    case "half-open": {
      // Only the latest probe may answer, and once; an earlier one has made way for it.
      if (ticket.probe !== breaker.probes || breaker.probeStartedAt === null) return breaker;
      if (result === "failure") return open(breaker, rule, now);
      if (result === "neutral") return { ...breaker, probeStartedAt: null };
      const successes = breaker.successes + 1;
      return successes >= rule.successes ? closed(breaker, now) : { ...breaker, successes, probeStartedAt: null };
    }
    case "open":
    case "isolated":
      return breaker;
  }
}

function open(breaker: Breaker, rule: BreakerRule, now: number): Breaker {
  const openMs = Math.min(rule.openMs * rule.growth ** Math.min(breaker.opens, 64), rule.maxOpenMs);
  const { generation, opens } = breaker;
  return { state: "open", generation: generation + 1, opens: opens + 1, openedAt: now, openMs, ...handOf(breaker) };
}

function closed(breaker: Breaker, now: number): Breaker {
  const generation = breaker.generation + 1;
  return { state: "closed", failures: 0, observed: 0, generation, opens: 0, settledAt: now, ...handOf(breaker) };
}

function handOf({ byHandAt }: Breaker): Pick<Breaker, "byHandAt"> {
  return byHandAt === undefined ? {} : { byHandAt };
}

/** The same breaker by a wall clock that was set: its open time and its probe's last as long as before. */
export function movedBy(breaker: Breaker, byMs: number): Breaker {
  if (breaker.state === "open") return { ...breaker, openedAt: breaker.openedAt + byMs };
  if (breaker.state !== "half-open" || breaker.probeStartedAt === null) return breaker;
  return { ...breaker, probeStartedAt: breaker.probeStartedAt + byMs };
}

/** A person takes the target out of service … */
export function isolate(breaker: Breaker, reason: string, now: number): Breaker {
  const { generation, opens } = breaker;
  return byHand(breaker, { state: "isolated", generation: generation + 1, opens, since: now, reason }, now);
}

/** … and back into it. Also closes an open breaker by hand. */
export function release(breaker: Breaker, now: number): Breaker {
  return byHand(breaker, closed(breaker, now), now);
}

/** A person lets the next call through as a probe, without waiting for the open time to end. A closed breaker is returned unchanged. */
export function letProbe(breaker: Breaker, now: number): Breaker {
  return breaker.state === "closed" ? breaker : byHand(breaker, halfOpen(breaker), now);
}

/** Acts of persons are ordered by time; one that follows another is later, also when the clock was set back in between. */
function byHand(before: Breaker, after: Breaker, now: number): Breaker {
  const { byHandAt = now - 1 } = before;
  return { ...after, byHandAt: Math.max(now, byHandAt + 1) };
}

// Merging (B6) picks the larger of two breakers by one total order, so it is commutative, associative and idempotent.

/** The breaker that two processes agree on when each holds one for the same target. Returns `own` when the two are equal. */
export function mergeBreakers(own: Breaker, other: Breaker): Breaker {
  return isHigher(rankOf(other), rankOf(own)) ? other : own;
}

type Rank = readonly (number | string)[];

/** If two breakers have the same generation, the more cautious state wins. */
const CAUTION: Readonly<Record<BreakerState, number>> = { "closed": 0, "half-open": 1, "open": 2, "isolated": 3 };

/** Every fact of a breaker, the most important first. */
function rankOf(breaker: Breaker): Rank {
  const { byHandAt = 0, generation, state, opens } = breaker;
  return [byHandAt, generation, CAUTION[state], ...factsOf(breaker), opens];
}

function factsOf(breaker: Breaker): Rank {
  switch (breaker.state) {
    case "closed":
      // If both saw the same outages, the one that has seen a success since is newer.
      return [breaker.observed ?? 0, -breaker.failures, breaker.settledAt ?? 0];
    case "half-open": {
      const { probes, successes, probeStartedAt } = breaker;
      // A probe that has ended is newer than the same probe still running.
      return [probes, successes, Number(probeStartedAt === null), probeStartedAt ?? 0, causeText(breaker.cause)];
    }
    case "open":
      return [breaker.openedAt + breaker.openMs, breaker.openedAt, causeText(breaker.cause)];
    case "isolated":
      return [breaker.since, breaker.reason];
  }
}

function causeText(cause: BreakerCause | null | undefined): string {
  return cause === null || cause === undefined ? "" : `${cause.code} ${cause.message}`;
}

function isHigher(one: Rank, other: Rank): boolean {
  const index = one.findIndex((fact, at) => fact !== other[at]);
  return (one[index] ?? "") > (other[index] ?? "");
}

// A wait that the other side asked for, as data. Pauses of one target that several processes hold are merged like breakers: what a
// person lifted stays lifted, and of two pauses the longer one holds.

export interface Pause {
  /** Epoch milliseconds; 0 when the target asked for no wait. */
  readonly until: number;
  /** The answer that asked for the wait. */
  readonly fault: Fault | null;
  /** When a person last ended a pause early; 0 if no person did. */
  readonly liftedAt: number;
}

export const NO_PAUSE: Pause = Object.freeze({ until: 0, fault: null, liftedAt: 0 });

/** A longer wait was asked for; a shorter one changes nothing. */
export function extendPause(pause: Pause, until: number, fault: Fault): Pause {
  return until <= pause.until ? pause : { ...pause, until, fault };
}

/** A person ends the pause. One that is over is returned unchanged. */
export function liftPause(pause: Pause, now: number): Pause {
  return pause.until <= now ? pause : { ...NO_PAUSE, liftedAt: Math.max(now, pause.liftedAt + 1) };
}

/** The pause that two processes agree on. Returns `own` when the two are equal. */
export function mergePauses(own: Pause, other: Pause): Pause {
  return isHigher(rankOfPause(other), rankOfPause(own)) ? other : own;
}

function rankOfPause({ liftedAt, until, fault }: Pause): Rank {
  return [liftedAt, until, causeText(fault)];
}

// A token bucket for retries, shared by all calls to one target. Every call earns a little, every retry costs one, so
// when everything fails at once the extra load stays a fixed share instead of multiplying.

/** How many retries a target has left, as data. */
export interface RetryBudget {
  readonly tokens: number;
  readonly at: number;
}

/** A retry budget that nothing has been taken from. */
export function fullBudget(rule: RetryBudgetRule, now: number): RetryBudget {
  return { tokens: rule.capacity, at: now };
}

/** A first attempt goes out. */
export function earn(budget: RetryBudget, rule: RetryBudgetRule, now: number): RetryBudget {
  // A full budget stays full until something is spent.
  return budget.tokens === rule.capacity ? budget : add(budget, rule, now, rule.perCall);
}

/** A retry wants to go out: null when the bucket is empty. */
export function spend(budget: RetryBudget, rule: RetryBudgetRule, now: number): RetryBudget | null {
  const filled = add(budget, rule, now, 0);
  return filled.tokens < 1 ? null : { ...filled, tokens: filled.tokens - 1 };
}

/** A retry of a schedule that has begun is sent even if the budget is empty: the debt is earned back by later calls. */
export function borrow(budget: RetryBudget, rule: RetryBudgetRule, now: number): RetryBudget {
  const filled = add(budget, rule, now, 0);
  return { ...filled, tokens: Math.max(filled.tokens - 1, -rule.capacity) };
}

/** What one process has done since it last wrote the budget that all processes share. */
export interface BudgetUse {
  /** First attempts that went out. */
  readonly earned: number;
  /** Retries that went out. */
  readonly spent: number;
}

/**
 * The budget that processes share, after one of them used some of it; `shared` is null before anyone did. The uses of several
 * processes add up in any order, as long as the budget is neither full nor at its limit in between.
 */
export function useBudget(
  shared: RetryBudget | null,
  rule: RetryBudgetRule,
  { earned, spent }: BudgetUse,
  now: number,
): RetryBudget {
  const { tokens, at } = shared ?? fullBudget(rule, now);
  // A time in the future means that the clock was set back: the budget fills from now on.
  const filled = add({ tokens, at: Math.min(at, now) }, rule, now, earned * rule.perCall);
  return { ...filled, tokens: Math.max(filled.tokens - spent, -rule.capacity) };
}

/** A clock that went back adds nothing and takes nothing. */
function add({ tokens, at }: RetryBudget, rule: RetryBudgetRule, now: number, extra: number): RetryBudget {
  const seconds = Math.max(0, now - at) / 1000;
  return { tokens: Math.min(rule.capacity, tokens + seconds * rule.perSecond + extra), at: Math.max(at, now) };
}
