// The clock of one runtime. When the wall clock was set, it first moves the times that the runtime holds (pauses, breakers,
// outages) and then returns the new time. Code that asks for the time before it looks at one of them compares like
// with like, and pays nothing for it.

import type { Clock } from "../host/clock.ts";

export class RuntimeClock implements Clock {
  /** How far the wall clock had been set when the times were last moved. */
  shiftMs: number;
  readonly tickMs: number;
  private readonly host: Clock;
  private readonly moveTimes: (byMs: number) => void;

  constructor(host: Clock, moveTimes: (byMs: number) => void) {
    this.host = host;
    this.shiftMs = host.shiftMs;
    this.tickMs = host.tickMs;
    this.moveTimes = moveTimes;
  }

  now(): number {
    const now = this.host.now();
    if (this.host.shiftMs !== this.shiftMs) this.follow();
    return now;
  }

  after(delayMs: number, wake: () => void): () => void {
    return this.host.after(delayMs, wake);
  }

  soon(next: () => void): void {
    this.host.soon(next);
  }

  private follow(): void {
    const byMs = this.host.shiftMs - this.shiftMs;
    this.shiftMs += byMs;
    this.moveTimes(byMs);
  }
}
