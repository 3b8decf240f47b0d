// Effect 4: retry around timeout; it has no breaker.

import { Cause, Effect } from "effect";
import type { Ending, Guarded, Settings, Settled, Work } from "../subject.ts";

/** The function it is given takes no parameter, because Effect then makes no AbortController. */
export function guardWithEffect(work: Work, { maxAttempts, timeoutMs }: Settings): Guarded {
  const program = Effect.tryPromise({ try: () => work(null), catch: (error) => error }).pipe(
    Effect.timeout(timeoutMs),
    Effect.retry({ times: maxAttempts - 1 }),
  );
  return { call: () => Effect.runPromise(program), endingOf };
}

function endingOf(settled: Settled): Ending {
  if (!("error" in settled)) return "done";
  return Cause.isTimeoutError(settled.error) ? "timed-out" : "failed";
}
