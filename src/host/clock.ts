// The only place that looks at the time and sets timers. Everything else is given a Clock, so tests and simulations own time.

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `wake` once, not before `delayMs` have passed; the returned function takes it back. */
  after(delayMs: number, wake: () => void): () => void;
  /** Calls `next` when everything that is ready now has run: one turn of the event loop. */
  soon(next: () => void): void;
  /** How far ahead a shared timer may be armed, so that a process that is done is not kept alive for long. */
  readonly tickMs: number;
}

/** Node fires at once, with a warning, when asked to wait longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: systemAfter,
  soon: (next) => void setImmediate(next),
  tickMs: 50,
};

function systemAfter(delayMs: number, wake: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      if (leftMs > stepMs) arm(leftMs - stepMs);
      else wake();
    }, stepMs);
  };
  arm(Number.isFinite(delayMs) ? Math.max(0, Math.ceil(delayMs)) : LONGEST_TIMER_MS);
  return () => clearTimeout(timer);
}
