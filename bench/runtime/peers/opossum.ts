// p-retry 9 around opossum 10, which brings breaker and timeout; and each of them alone.

import CircuitBreaker from "opossum";
import pRetry from "p-retry";
import type { Ending, Guarded, Settings, Settled, Work } from "../subject.ts";

export function guardWithPRetryAndOpossum(work: Work, settings: Settings): Guarded {
  const breaker = breakerOf(work, settings);
  const options = {
    retries: settings.maxAttempts - 1,
    minTimeout: 0,
    shouldRetry: ({ error }: { readonly error: Error }) => codeOf(error) !== "EOPENBREAKER",
  };
  return { call: () => pRetry(() => breaker.fire(), options), endingOf };
}

export function guardWithOpossum(work: Work, settings: Settings): Guarded {
  const breaker = breakerOf(work, settings);
  return { call: () => breaker.fire(), endingOf };
}

export function guardWithPRetry(work: Work, { maxAttempts }: Settings): Guarded {
  const options = { retries: maxAttempts - 1, minTimeout: 0 };
  return { call: () => pRetry(() => work(null), options), endingOf };
}

/**
 * It opens by error rate: more than 80 % of at least so many calls, so that two failures of three keep it closed and nothing but
 * failures opens it. Percentiles, on by default, are off: with them each failure sorts all latencies of the last ten seconds.
 */
const breakerOf = (work: Work, { timeoutMs, failuresToOpen, openMs }: Settings) =>
  new CircuitBreaker(() => work(null), {
    timeout: timeoutMs,
    resetTimeout: openMs,
    errorThresholdPercentage: 80,
    volumeThreshold: failuresToOpen,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });

function endingOf(settled: Settled): Ending {
  if (!("error" in settled)) return "done";
  const code = codeOf(settled.error);
  if (code === "EOPENBREAKER") return "refused";
  return code === "ETIMEDOUT" ? "timed-out" : "failed";
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
