// Calls functions of the program that must not fail the work around them: listeners and hooks. Whatever such a function throws, at
// once or in a promise, is reported and goes no further.

/** Passed the error as it was thrown. Must not throw. */
export type Suppress = (error: unknown) => void;

/**
 * The listener with its failures suppressed. Only the first one is reported: a listener that fails usually fails for every event.
 * Returns a promise where the listener does, so that a caller can wait for it.
 */
export function guarded<Args extends readonly unknown[]>(
  listener: (...args: Args) => unknown,
  report: Suppress,
): (...args: Args) => Promise<void> | undefined {
  let hasReported = false;
  const suppress: Suppress = (error) => {
    if (hasReported) return;
    hasReported = true;
    report(error);
  };
  return (...args) => {
    try {
      const result = listener(...args);
      return isThenable(result) ? Promise.resolve(result).then(() => undefined, suppress) : undefined;
    } catch (error) {
      suppress(error);
      return undefined;
    }
  };
}

/** A hook's synchronous answer; undefined when it throws. A hook that returns a promise is a mistake and is reported, too. */
export function answerAtOnce<T>(hook: () => T, suppress: Suppress): T | undefined {
  try {
    const answer = hook();
    if (!isThenable(answer)) return answer;
    const late = (): void => suppress(new TypeError("it answered with a promise, and has to answer at once"));
    Promise.resolve(answer).then(late, suppress);
  } catch (error) {
    suppress(error);
  }
  return undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"
  );
}
