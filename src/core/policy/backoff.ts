// How long to wait before an attempt. Pure: chance comes in as a roll in [0, 1).

import type { Backoff, Retry } from "./policy.ts";

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
