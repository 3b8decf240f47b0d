// Something that waits and can be cancelled while it does: the wait then ends at once.

import type { Fault } from "../core/fault/fault.ts";
import { type Clock, Moment } from "../host/clock.ts";
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
    const { clock } = this;
    const until = new Moment(clock, at);
    while (clock.now() < until.at && this.cancelled === null) await this.waitOnce(until.at);
    return this.cancelled === null;
  }

  /** Waits until then, or until `wake` is called. */
  async waitOnce(at: number): Promise<void> {
    await this.within(new Promise<never>(() => undefined), at);
  }

  /** Waits for `work`. null: the time is up, or `wake` was called. */
  async within<T>(work: Promise<T>, at: number): Promise<T | null> {
    const { clock } = this;
    let disarm: () => void = () => undefined;
    const left = new Promise<null>((resolve) => {
      if (Number.isFinite(at)) disarm = clock.after(at - clock.now(), () => resolve(null));
      this.wake = () => resolve(null);
    });
    try {
      return await Promise.race([work, left]);
    } finally {
      disarm();
      this.wake = null;
    }
  }
}
