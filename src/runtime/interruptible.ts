// Something that waits and can be cancelled while it does: the wait then ends at once.

import type { Fault } from "../core/fault/fault.ts";
import type { Clock } from "../host/clock.ts";
import type { Cancellable } from "./scope.ts";

export class Interruptible implements Cancellable {
  cancelled: Fault | null = null;
  /** Ends the wait it is in; null when it is in none. */
  wake: (() => void) | null = null;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  cancel(why: Fault): void {
    this.cancelled ??= why;
    this.wake?.();
  }

  /** Waits; false when it was cancelled meanwhile. */
  async waitUntil(at: number): Promise<boolean> {
    const clock = this.clock;
    for (let now = clock.now(); now < at && this.cancelled === null; now = clock.now()) {
      await new Promise<void>((resolve) => {
        const disarm = clock.after(at - now, resolve);
        this.wake = () => {
          disarm();
          resolve();
        };
      });
      this.wake = null;
    }
    return this.cancelled === null;
  }
}
