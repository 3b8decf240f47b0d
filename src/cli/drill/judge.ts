// How an agent did in one drill. Pure.
// J1  A drill that played no fault proves nothing, so it does not count.
// J2  An agent that ends as if all were well has survived only if it printed the whole answer.

import type { ReceivedRequest } from "../../chaos/received.ts";
import type { Drill } from "./drills.ts";

export const VERDICTS = [
  "survived",
  "told",
  "wrong-answer",
  "hung",
  "crashed",
  "retried-too-hard",
  "wasted-money",
  "not-met",
] as const;

export type Verdict = (typeof VERDICTS)[number];

/** What was seen of one run. */
export interface DrillRun {
  /** Null: a signal ended it. */
  readonly exitCode: number | null;
  /** It was stopped at the time limit. */
  readonly timedOut: boolean;
  /** It printed the code word. */
  readonly hasAnswer: boolean;
  readonly durationMs: number;
  /** To the provider that fails. */
  readonly requests: readonly ReceivedRequest[];
  /** To the provider behind the gateway that does not. */
  readonly rescued: number;
}

/** A broken answer is paid for, too. So many times one question may be paid again. */
const MAX_PAID_AGAIN = 3;
/** Clocks and timers may be this much off. */
const EARLY_SHARE = 0.9;

/** `usual`: how many requests the task takes without a fault. */
export function judge(drill: Drill, seen: DrillRun, usual: number): Verdict {
  const { exitCode, timedOut, hasAnswer } = seen;
  const met = seen.requests.filter(({ fault }) => fault !== null);
  if (met.length === 0) return "not-met";
  if (timedOut) return "hung";
  if (exitCode === 0 && !hasAnswer) return "wrong-answer";
  const isTold = exitCode !== 0 && exitCode !== null && drill.lasts;
  if (exitCode !== 0 && !isTold) return "crashed";
  if (met.length > drill.mostTries * usual || isEarly(drill, seen.requests)) return "retried-too-hard";
  if (paidIn(seen) > usual * (1 + MAX_PAID_AGAIN)) return "wasted-money";
  return isTold ? "told" : "survived";
}

export function isGood(verdict: Verdict): boolean {
  return verdict === "survived" || verdict === "told";
}

/** How many requests the model worked on. */
export function paidIn({ requests, rescued }: DrillRun): number {
  return requests.filter(({ status }) => status === 200).length + rescued;
}

/** The same question again, sooner than the provider asked for. */
function isEarly({ retryAfterMs }: Drill, requests: readonly ReceivedRequest[]): boolean {
  return requests.some(
    (limited, index) =>
      limited.fault !== null &&
      requests
        .slice(index + 1)
        .some(({ at, body }) => at - limited.at < retryAfterMs * EARLY_SHARE && isSame(body, limited.body)),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}
