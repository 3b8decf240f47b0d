// The only place that looks at the time and sets timers. Everything else is given a Clock, so tests and simulations own time.
// C1  what is kept or shown follows the wall clock, also after somebody has set it.
// C2  a duration never depends on the wall clock: a time that a process holds on to moves with it (`Moment`), and what is
//     measured is measured in steady time (`steadyNow`).

export interface Clock {
  /** Epoch milliseconds of the wall clock. */
  now(): number;
  /** How far the wall clock has been set since the process started, as far as `now` has seen; negative when it was set back. */
  readonly shiftMs: number;
  /** Calls `wake` once, not before `delayMs` have passed; the returned function takes it back. */
  after(delayMs: number, wake: () => void): () => void;
  /** Calls `next` when everything that is ready now has run: one turn of the event loop. */
  soon(next: () => void): void;
  /** How far ahead a shared timer may be armed, so that a process that is done is not kept alive for long. */
  readonly tickMs: number;
}

/** Milliseconds that nobody can set: for the time between two moments of one process. */
export function steadyNow(clock: Clock): number {
  return clock.now() - clock.shiftMs;
}

/** A time that a process holds on to, such as a deadline. It stays as far away as it was when the wall clock is set. */
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
export const LONG_AGO = new Moment({ shiftMs: 0 }, -Infinity);

/** Node fires at once, with a warning, when asked to wait longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A wall clock that goes back or is this far ahead of when it was last looked at is held against the monotonic one. */
const LOOK_MS = 20;
/** The two differ by less than this because one of them counts whole milliseconds. */
const ROUNDING_MS = 3;

const startedAt = Date.now() - performance.now();
let seenAt = 0;
let shiftMs = 0;

export const systemClock: Clock = {
  now() {
    const wall = Date.now();
    if (wall < seenAt || wall - seenAt >= LOOK_MS) lookForShift(wall);
    seenAt = wall;
    return wall;
  },
  get shiftMs() {
    return shiftMs;
  },
  after: systemAfter,
  soon: (next) => void setImmediate(next),
  tickMs: 50,
};

function lookForShift(wall: number): void {
  const seenMs = Math.round(wall - startedAt - performance.now());
  if (Math.abs(seenMs - shiftMs) >= ROUNDING_MS) shiftMs = seenMs;
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
