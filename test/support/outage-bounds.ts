// What an outage may cost, by the default policy: which outages a call has to survive, and how many requests they may take.

import { DEFAULT_POLICY } from "../../src/core/index.ts";
import type { FaultCode } from "../../src/index.ts";
import { delayBounds, NOWHERE, type Retry, rowFor } from "../../src/core/policy/policy.ts";

export function retryOf(code: FaultCode): Retry {
  const { retry } = rowFor(DEFAULT_POLICY, { code }, NOWHERE);
  if (retry === null) throw new Error(`${code} is not retried`);
  return retry;
}

/** All waits of a schedule at their shortest: every outage shorter than this is to be survived. */
export function shortestMs(retry: Retry): number {
  let sumMs = 0;
  for (let attempt = 2; attempt <= retry.maxAttempts; attempt++) sumMs += delayBounds(retry, attempt).minMs;
  return sumMs;
}

/** Attempts of calls that wait go out at least half of the shortest wait apart. */
export function mostRequests(retry: Retry, callers: number, outageMs: number): number {
  return callers + 1 + Math.ceil(outageMs / (delayBounds(retry, 2).minMs / 2));
}
