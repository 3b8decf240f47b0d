// The slowest a stream may be. Only the time counts in which more was waited for: a slow reader is no slow model, and neither is
// one that thinks.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";

const WINDOW_MS = 10_000;

export class Speed {
  private readonly clock: Clock;
  private readonly leastPerSecond: number;
  private waitsSince = 0;
  private waitedMs = 0;
  private countedFrom = 0;

  constructor(clock: Clock, leastPerSecond: number) {
    this.clock = clock;
    this.leastPerSecond = leastPerSecond;
  }

  waits(): void {
    this.waitsSince = steadyNow(this.clock);
  }

  /** So many characters have come since the stream began. */
  came(characters: number, isThinking: boolean): void {
    // How long the first word takes is another limit's business.
    if (isThinking || this.countedFrom === 0) return this.countFrom(characters);
    this.waitedMs += steadyNow(this.clock) - this.waitsSince;
    if (this.waitedMs < WINDOW_MS) return;
    const perSecond = ((characters - this.countedFrom) * 1_000) / this.waitedMs;
    if (perSecond < this.leastPerSecond) throw new FaultError(this.tooSlow(perSecond));
    this.countFrom(characters);
  }

  private countFrom(characters: number): void {
    this.countedFrom = characters;
    this.waitedMs = 0;
  }

  private tooSlow(perSecond: number): ReturnType<typeof fault> {
    return fault("NetworkTimeout", {
      message: `the stream brought ${perSecond.toFixed(1)} characters a second; ${this.leastPerSecond} are the least allowed`,
      context: { phase: "speed", limit: this.leastPerSecond },
    });
  }
}
