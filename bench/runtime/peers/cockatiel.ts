// cockatiel 4: wrap(retry, breaker, timeout), as its documentation composes them.

import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  handleAll,
  handleWhen,
  retry,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from "cockatiel";
import type { Ending, Guarded, Settings, Settled, Work } from "../subject.ts";

export function guardWithCockatiel(work: Work, settings: Settings): Guarded {
  const retrying = retry(
    handleWhen((error) => !(error instanceof BrokenCircuitError)),
    { maxAttempts: settings.maxAttempts - 1 },
  );
  // Without `abortOnReturn: false` every successful call pays for an abort that it does not need.
  const limit = timeout(settings.timeoutMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false });
  const policy = wrap(retrying, breakerOf(settings), limit);
  return { call: () => policy.execute((context) => work(context)), endingOf };
}

export function guardWithCockatielBreaker(work: Work, settings: Settings): Guarded {
  const breaker = breakerOf(settings);
  return { call: () => breaker.execute(() => work(null)), endingOf };
}

const breakerOf = ({ failuresToOpen, openMs }: Settings) =>
  circuitBreaker(handleAll, { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failuresToOpen) });

function endingOf(settled: Settled): Ending {
  if (!("error" in settled)) return "done";
  if (settled.error instanceof BrokenCircuitError) return "refused";
  return settled.error instanceof TaskCancelledError ? "timed-out" : "failed";
}
