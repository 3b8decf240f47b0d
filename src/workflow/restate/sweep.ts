// Finds runs that are due and that no process advances, and hands them over. The journal knows when each run is due, so nothing that
// Restate forgets is lost: a run that another program woke, a timer, or everything after Restate lost its disk.
// W1  One process of a journal sweeps at a time; another one takes over when it is gone.
// W2  A look costs as much as what became due since the last one. A full look, half a minute apart, finds what the others missed.
// W3  A run that stays due is handed over again after 30 s, then after twice as long each time: it may only wait in a queue.

import { defined } from "../../core/defined.ts";
import { type Clock, Moment, steadyNow } from "../../host/clock.ts";
import type { Journal, Timed } from "../../journal/journal.ts";
import type { HeldRun, RunHolds } from "../advance/held-run.ts";

export interface SweepDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly holds: RunHolds;
  /** The runs that a living process advances now. */
  readonly held: () => Promise<ReadonlySet<string>>;
  /** False when no worker has registered. */
  readonly hand: (run: string) => Promise<boolean>;
}

/** No run has this name: it holds the right to sweep. */
const KEY = "driver/sweep";
const FULL_EVERY_MS = 30_000;
const AGAIN_MS = 30_000;
const LONGEST_AGAIN_MS = 10 * 60_000;
/** Clocks of other machines may be behind by this much. */
const OVERLAP_MS = 5_000;
/** The process that woke a run hands it over itself. Only what has been due for longer is looked at. */
const SETTLE_MS = 1_000;
const PAGE = 256;

interface Handed {
  readonly wake: number;
  readonly afterMs: number;
  readonly notBefore: Moment;
}

export class Sweep {
  readonly #deps: SweepDeps;
  readonly #handed = new Map<string, Handed>();
  #right: HeldRun | null = null;
  #lookedUntil = 0;
  /** When it last looked at all that is due, in steady time. */
  #fullAt = -Infinity;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  /** Looks once, if this process has the right to. Rejects when Restate or the journal cannot be reached. */
  async look(): Promise<void> {
    const { clock, holds } = this.#deps;
    this.#right ??= await holds.take(KEY, () => void (this.#right = null));
    if (this.#right === null) return;
    const until = clock.now() - SETTLE_MS;
    const isFull = steadyNow(clock) - this.#fullAt >= FULL_EVERY_MS;
    const seen = new Set<string>();
    // What a look that fails has not handed over is found by a full one.
    this.#fullAt = isFull ? -Infinity : this.#fullAt;
    for await (const page of this.#due(until, isFull ? undefined : { at: this.#lookedUntil - OVERLAP_MS, key: "" })) {
      for (const { key } of page) seen.add(key);
      const taken = await this.#handAll(page.filter((due) => !this.#wasHanded(due)));
      if (!taken) return void (this.#fullAt = -Infinity);
    }
    this.#lookedUntil = until;
    if (!isFull) return;
    this.#fullAt = steadyNow(clock);
    for (const run of this.#handed.keys()) if (!seen.has(run)) this.#handed.delete(run);
  }

  /** Another process sweeps from here on. */
  async stop(): Promise<void> {
    await this.#right?.release();
    this.#right = null;
  }

  /** Due runs that no process advances, in pages, the one that has waited longest first. */
  async *#due(until: number, from: Pick<Timed, "at" | "key"> | undefined): AsyncIterable<readonly Timed[]> {
    const { journal, held } = this.#deps;
    for (let after = from; ;) {
      const query = { order: "oldest", until, limit: PAGE, ...defined({ after }) } as const;
      const page = await journal.keptByTime("wake", query);
      if (page.length > 0) {
        const busy = await held();
        yield page.filter(({ key }) => !busy.has(key));
      }
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  #wasHanded({ key, at }: Timed): boolean {
    const handed = this.#handed.get(key);
    return handed?.wake === at && handed.notBefore.at > this.#deps.clock.now();
  }

  /** False when there is no worker: nothing was handed over. */
  async #handAll(all: readonly Timed[]): Promise<boolean> {
    const { clock, hand } = this.#deps;
    const taken = await Promise.all(
      all.map(async ({ key, at: wake }) => {
        const before = this.#handed.get(key);
        const afterMs = before?.wake === wake ? Math.min(before.afterMs * 2, LONGEST_AGAIN_MS) : AGAIN_MS;
        if (!(await hand(key))) return false;
        this.#handed.set(key, { wake, afterMs, notBefore: new Moment(clock, clock.now() + afterMs) });
        return true;
      }),
    );
    return taken.every((one) => one);
  }
}
