// A run is advanced by one process at a time: the one that holds its key in the journal. It renews the hold while it works. A
// process that is known to be dead loses its holds at once, any other one when a hold has run out.
// R1  setting the wall clock takes no run from a process that is alive: after it was set, others judge holds by the time as it
//     was before, until every process that is alive has renewed.
// R2  Setting the clock back does not leave a run with a dead process: once every living process has had time to renew, a hold that
//     ends later than a new hold would is stale.

import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import type { Worker } from "../../host/worker.ts";
import type { Hold, Journal } from "../../journal/journal.ts";

/** Long enough for a busy machine, short enough for a person who waits. */
const HOLD_MS = 15_000;

export interface HeldRun {
  release(): Promise<void>;
}

export interface HoldDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly worker: Worker;
}

/** The holds of one process. */
export class RunHolds {
  readonly #home: HoldDeps;
  #shiftMs: number;
  /** How far the wall clock was set lately, and when this process noticed it, or started (in steady time). */
  #setByMs = 0;
  #noticedAt: number;

  constructor(home: HoldDeps) {
    this.#home = home;
    this.#noticedAt = steadyNow(home.clock);
    this.#shiftMs = home.clock.shiftMs;
  }

  /** Resolves with null when another process has the run. `lost` is called when another one took it over later. */
  async take(run: string, lost: () => void): Promise<HeldRun | null> {
    const { journal, clock, worker } = this.#home;
    if (!(await this.#ask(run)).granted) return null;
    let isOver = false;
    let disarm: () => void = () => undefined;
    const renew = (): void => {
      disarm = clock.after(HOLD_MS / 3, () => {
        journal.hold(run, worker.name, clock.now() + HOLD_MS, clock.now()).then(
          ({ granted }) => {
            if (isOver) return;
            if (granted) renew();
            else lost();
          },
          (error: unknown) => {
            // A store that does not answer now may answer the next time.
            const { retryable } = traitsOf(classify({ surface: "store", error }).code);
            if (isOver) return;
            if (retryable) renew();
            else lost();
          },
        );
      });
    };
    renew();
    return {
      async release() {
        isOver = true;
        disarm();
        await journal.letGo(run, worker.name);
      },
    };
  }

  async #ask(run: string): Promise<Hold> {
    const { journal, clock, worker } = this.#home;
    const now = clock.now();
    const isRecent = this.#wasSetRecently(now);
    const until = now + HOLD_MS;
    const asked = await journal.hold(run, worker.name, until, isRecent ? now - Math.max(0, this.#setByMs) : now);
    if (asked.granted) return asked;
    const isLeft = worker.isGone(asked.owner) || (!isRecent && asked.until > until);
    return isLeft ? journal.takeFrom(run, asked.owner, worker.name, until) : asked;
  }

  /** Whether holds may still be there that were made before the wall clock was set. */
  #wasSetRecently(now: number): boolean {
    const { shiftMs } = this.#home.clock;
    const steady = now - shiftMs;
    const isRecent = steady - this.#noticedAt < HOLD_MS;
    if (shiftMs === this.#shiftMs) return isRecent;
    this.#setByMs = shiftMs - this.#shiftMs + (isRecent ? this.#setByMs : 0);
    this.#shiftMs = shiftMs;
    this.#noticedAt = steady;
    return true;
  }
}
