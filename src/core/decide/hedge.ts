// Hedging: when a target is silent for longer than usual, a second attempt goes to another target. This file decides when, and where
// to. The first of the two that shows content answers the call. `runtime/call/hedge.ts` sends the second attempt.

import { type ChainState, nextTarget, type Target } from "./fallback.ts";

/** When a target counts as silent for too long: after this many milliseconds, or after its own 95th percentile. */
export type HedgeAfter = number | "p95";

/** How long a target took until it showed something. */
export interface SeenSilence {
  readonly attempts: number;
  readonly p95Ms: number | null;
}

/** A percentile of fewer attempts than this says little. */
export const HEDGE_SAMPLES = 20;
/** How long to wait for a target with too few attempts: for the first content of a stream, and for a whole answer. */
export const HEDGE_DEFAULT_MS = { stream: 5_000, whole: 30_000 } as const;

/** How long a target may be silent before a second attempt is sent. */
export function hedgeDelayMs(after: HedgeAfter, seen: SeenSilence | null, isStream: boolean): number {
  if (after !== "p95") return after;
  const isKnown = seen !== null && seen.attempts >= HEDGE_SAMPLES && seen.p95Ms !== null;
  return isKnown ? Math.ceil(seen.p95Ms) : HEDGE_DEFAULT_MS[isStream ? "stream" : "whole"];
}

/** A call whose target has been silent for long enough. */
export interface SilentCall {
  readonly chain: ChainState;
  /** The target in charge has shown something, or the call is over. */
  readonly isAnswering: boolean;
  /** The target may do the work a second time, and its retry budget is not spent. */
  readonly mayTake: (target: Target) => boolean;
}

/** The target of the second attempt; null: none is sent. */
export function hedgeTarget({ chain, isAnswering, mayTake }: SilentCall): Target | null {
  if (isAnswering) return null;
  // What silences one model often silences its whole endpoint.
  const { target } = nextTarget(chain, "endpoint");
  return target !== null && mayTake(target) ? target : null;
}
