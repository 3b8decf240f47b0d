// What we want done about each fault, as data: rows, first match wins. Nothing here acts; `decide` reads it.

import { type FaultClass, type FaultCode, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { Surface } from "../classify/evidence.ts";

/** What can be done once retrying is over or not allowed. */
export const RECOURSES = [
  "refresh-credential", // once
  "fallback", //           the next provider or model of the chain
  "alternative", //        another tool
  "compact", //            once a turn; the next request must be strictly smaller
  "regenerate", //         once, with the validator's errors
  "default", //            the value declared for this case
  "partial", //            what did arrive
  "skip", //               continue without it
  "park", //               a durable wait until the fault lifts
  "ask", //                a person decides
  "surface", //            the model sees a typed error and reacts
  "fail",
] as const;
/** What can be done about a fault. */
export type Recourse = (typeof RECOURSES)[number];

/** What a tool, a step or a stage can declare for the case that it fails. Always honoured, whatever row is in charge. */
const DECLARABLE = ["alternative", "default", "skip"] as const satisfies readonly Recourse[];

/** Where a declared recourse goes in a row that does not name it: before everything that stands behind it here. */
const PLACE_OF_DECLARED: readonly Recourse[] = [
  "alternative",
  "partial",
  "default",
  "skip",
  "park",
  "ask",
  "surface",
  "fail",
];

/** A row's list with the declared recourses it does not name. To be asked first, a row names them behind `ask`. */
export function withDeclared(then: readonly Recourse[], offers: ReadonlySet<Recourse>): readonly Recourse[] {
  let list = then;
  for (const declared of DECLARABLE) {
    if (!offers.has(declared) || list.includes(declared)) continue;
    const later = PLACE_OF_DECLARED.slice(PLACE_OF_DECLARED.indexOf(declared) + 1);
    const at = list.findIndex((recourse) => later.includes(recourse));
    list = list.toSpliced(at === -1 ? list.length : at, 0, declared);
  }
  return list;
}

/** The ways in which waits can grow. */
export type BackoffKind = "fixed" | "linear" | "exponential";

/** How waits grow from attempt to attempt. Times are in milliseconds. */
export interface Backoff {
  readonly kind: BackoffKind;
  /** The wait before the second attempt. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** Growth per attempt; only `exponential` uses it. */
  readonly multiplier: number;
}

/** How often to try, and how long to wait between attempts. */
export interface Retry {
  /** All attempts, the first included. */
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** 0.2 spreads a computed wait by ±20 %. A wait the server asked for is never spread downwards. */
  readonly jitter: number;
  /** A single wait longer than this is not slept on: another recourse is taken. */
  readonly maxWaitMs: number;
  /** All waits of one call together; the time attempts take does not count. */
  readonly maxTotalWaitMs: number;
}

/** Every field given must match. `code` and `class` are the fault's, the rest is where it happened. */
export interface RowMatch {
  readonly class?: readonly FaultClass[];
  readonly code?: readonly FaultCode[];
  readonly surface?: readonly Surface[];
  readonly provider?: readonly string[];
  readonly tool?: readonly string[];
  readonly stage?: readonly string[];
}

/** Who wrote a row: shown wherever a decision is explained. */
export interface RowOrigin {
  readonly layer: "matrix" | "preset" | "adapter" | "tool" | "stage" | "file";
  /** A name, or `file:line`. */
  readonly at: string;
}

/** One row of a policy: which faults it is about, how often to retry, and what to do then. */
export interface PolicyRow {
  readonly match: RowMatch;
  /** null: one attempt only. */
  readonly retry: Retry | null;
  /** Tried in order; `fail` stands behind every list. */
  readonly then: readonly Recourse[];
  readonly origin: RowOrigin;
}

/** When a breaker opens, and for how long. Times are in milliseconds. */
export interface BreakerRule {
  /** Consecutive failures that open it. */
  readonly failures: number;
  /** Consecutive successful probes that close it. */
  readonly successes: number;
  /** How long its first opening lasts. */
  readonly openMs: number;
  /** Each opening without a recovery in between lasts this many times longer … */
  readonly growth: number;
  /** … up to this. */
  readonly maxOpenMs: number;
  /** Cap used while the operator has not set `maxOpenMs`. Chains set it for targets that have a fallback. */
  readonly defaultMaxOpenMs?: number;
  /** A probe that has not answered after this long no longer keeps the next one waiting. */
  readonly probeTimeoutMs: number;
  /** The unit that counts: a call with all its attempts, or each attempt. */
  readonly counts: "calls" | "attempts";
}

/** A token bucket shared by all calls to a target, so that retries cannot become a storm. */
export interface RetryBudgetRule {
  readonly capacity: number;
  /** What each first attempt earns: 0.2 allows one retry per five calls in the long run. */
  readonly perCall: number;
  /** A trickle, so that a quiet program may still retry. */
  readonly perSecond: number;
}

/** What to do about each fault: rows, of which the first that matches decides. */
export interface Policy {
  readonly name: string;
  readonly rows: readonly PolicyRow[];
  readonly breaker: BreakerRule;
  readonly retryBudget: RetryBudgetRule;
  /** After so many failures in a row a recourse is passed over for a while, after so many successes preferred; 0 switches memory off, more than 20 is never reached. */
  readonly learnsAfter: number;
  /** No person watches, so the built-in rows never ask. Absent: a person may be present. */
  readonly unattended?: true;
}

/** Where a fault happened, as far as rows can match on it. */
export interface Place {
  readonly surface: Surface;
  readonly provider: string;
  readonly tool: string;
  readonly stage: string;
}

export const NOWHERE: Place = Object.freeze({ surface: "node", provider: "", tool: "", stage: "" });

/** The row in charge. A policy that passed `lint` has one for every code; without one, nothing is tried. */
export function rowFor(policy: Policy, fault: Pick<Fault, "code">, place: Place): PolicyRow {
  return policy.rows.find((row) => matches(row.match, fault.code, place)) ?? NO_ROW;
}

const NO_ROW: PolicyRow = { match: {}, retry: null, then: ["fail"], origin: { layer: "matrix", at: "no row" } };

function matches(match: RowMatch, code: FaultCode, place: Place): boolean {
  return (
    matchesCode(match, code) &&
    (match.surface === undefined || match.surface.includes(place.surface)) &&
    (match.provider === undefined || match.provider.includes(place.provider)) &&
    (match.tool === undefined || match.tool.includes(place.tool)) &&
    (match.stage === undefined || match.stage.includes(place.stage))
  );
}

/** The codes a row can ever match, whatever the place. */
export function codesOf(match: RowMatch, all: readonly FaultCode[]): readonly FaultCode[] {
  return all.filter((code) => matchesCode(match, code));
}

function matchesCode(match: RowMatch, code: FaultCode): boolean {
  return (match.code?.includes(code) ?? true) && (match.class?.includes(traitsOf(code).class) ?? true);
}

/** What a row of a policy matches, in words. */
export function describeMatch(match: RowMatch): string {
  const parts = Object.entries(match).map(([field, values]) => `${field} ${(values as readonly string[]).join(" | ")}`);
  return parts.length === 0 ? "everything" : parts.join(", ");
}

// How long to wait before an attempt. Pure: chance comes in as a roll in [0, 1).

/** The wait before attempt `attempt` (2 is the first retry), before jitter. Finite for any attempt. */
export function baseDelayMs({ kind, initialMs, maxMs, multiplier }: Backoff, attempt: number): number {
  const step = Math.max(0, attempt - 2);
  const grown = {
    fixed: initialMs,
    linear: initialMs * (step + 1),
    // The exponent is capped so that a large attempt number overflows into the maximum and never into Infinity or NaN.
    exponential: initialMs * multiplier ** Math.min(step, 64),
  }[kind];
  return Math.min(grown, maxMs);
}

/** The shortest and the longest wait that jitter allows, in milliseconds. */
export interface DelayBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Jitter is applied after the cap, so the longest wait is the cap plus its jitter. */
export function delayBounds({ backoff, jitter }: Retry, attempt: number): DelayBounds {
  const base = baseDelayMs(backoff, attempt);
  return { minMs: Math.round(base * (1 - jitter)), maxMs: Math.round(base * (1 + jitter)) };
}

/** The wait before an attempt, in milliseconds, with its jitter. */
export function delayMs(retry: Retry, attempt: number, roll: number): number {
  const { minMs, maxMs } = delayBounds(retry, attempt);
  const share = roll >= 0 && roll < 1 ? roll : 0.5;
  return Math.max(0, Math.round(minMs + (maxMs - minMs) * share));
}

/** One wait of a retry schedule. */
export interface ScheduledWait extends DelayBounds {
  /** The attempt that follows the wait. */
  readonly attempt: number;
  readonly baseMs: number;
  /** All waits up to this one, at their longest. */
  readonly totalMaxMs: number;
  /** False when the row's total would be passed, so that this attempt never comes. */
  readonly reachable: boolean;
}

/** Every wait a row can lead to, as long as no server says otherwise. */
export function schedule(retry: Retry): readonly ScheduledWait[] {
  const waits: ScheduledWait[] = [];
  let totalMinMs = 0;
  let totalMaxMs = 0;
  for (let attempt = 2; attempt <= retry.maxAttempts; attempt++) {
    const bounds = delayBounds(retry, attempt);
    totalMinMs += bounds.minMs;
    totalMaxMs += bounds.maxMs;
    const reachable = totalMinMs <= retry.maxTotalWaitMs && bounds.minMs <= retry.maxWaitMs;
    waits.push({ attempt, baseMs: baseDelayMs(retry.backoff, attempt), ...bounds, totalMaxMs, reachable });
  }
  return waits;
}
