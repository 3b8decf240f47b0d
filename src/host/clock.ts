// The only place that looks at the time and sets timers. Everything else is given a Clock, so tests and simulations own time.
// C1  What is stored or shown follows the wall clock, also after it was set.
// C2  A duration never depends on the wall clock. Code that measures uses steady time (`steadyNow`). A time that a process
//     holds moves with the wall clock: a `Moment` on its own, and everything a runtime holds by `RuntimeClock`.

/** Time, as a program or a test gives it. */
export interface Clock {
  /** Epoch milliseconds of the wall clock. */
  now(): number;
  /** How far the wall clock was set since the process started, as far as `now` has noticed. Negative: it was set back. */
  readonly shiftMs: number;
  /** Calls `wake` once, not before `delayMs` have passed; the returned function takes it back. */
  after(delayMs: number, wake: () => void): () => void;
  /** Calls `next` when everything that is ready now has run: one turn of the event loop. */
  soon(next: () => void): void;
  /** How far ahead a shared timer may be armed, so that a process that is done is not kept alive for long. */
  readonly tickMs: number;
}

/** Milliseconds that setting the wall clock does not change, to measure time within one process. */
export function steadyNow(clock: Clock): number {
  return clock.now() - clock.shiftMs;
}

/** A time that a process holds, such as a deadline. Setting the wall clock brings it neither nearer nor further away. */
export class Moment {
  private readonly clock: Pick<Clock, "shiftMs">;
  private readonly steadyAt: number;

  constructor(clock: Pick<Clock, "shiftMs">, at: number) {
    this.clock = clock;
    this.steadyAt = at - clock.shiftMs;
  }

  /** Epoch milliseconds, by the wall clock as it is set now. */
  get at(): number {
    return this.steadyAt + this.clock.shiftMs;
  }
}

export const NEVER = new Moment({ shiftMs: 0 }, Infinity);

/** Node fires at once, with a warning, when asked to wait longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** `now` compares the wall clock with the monotonic one when it went back, or is this far ahead of the last look. */
const LOOK_MS = 20;
/** The two clocks differ by less than this because the wall clock counts whole milliseconds. */
const ROUNDING_MS = 3;

/** The monotonic clock. Not `performance`, which costs a program two milliseconds when it is first used. */
const monotonicMs = (): number => process.uptime() * 1000;
const startedAt = Date.now() - monotonicMs();
/** A field, not a variable: V8 makes a new number on the heap whenever a variable of a module gets one this large. */
const last = { wall: 0 };

// `shiftMs` is a plain field because every call reads it: a getter here cost a successful call a quarter of its time.
const system = {
  shiftMs: 0,
  now(): number {
    const wall = Date.now();
    if (wall < last.wall || wall - last.wall >= LOOK_MS) lookForShift(wall);
    last.wall = wall;
    return wall;
  },
  after: systemAfter,
  soon: (next: () => void) => void setImmediate(next),
  tickMs: 50,
};

export const systemClock: Clock = system;

function lookForShift(wall: number): void {
  const seenMs = Math.round(wall - startedAt - monotonicMs());
  if (Math.abs(seenMs - system.shiftMs) >= ROUNDING_MS) system.shiftMs = seenMs;
}

/**
 * A timer that does not keep the process alive, for work in the background that no caller waits for. It follows real time, also in a
 * program that brought its own clock.
 */
export function afterIdle(delayMs: number, wake: () => void): () => void {
  const timer = setTimeout(wake, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}

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
