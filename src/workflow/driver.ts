// Decides who advances which run, and when, on one machine: a loop over the times at which runs are due. Several processes
// may do this on one journal. The journal is the truth, so a driver promises only three things:
// V1  A run is advanced by one of them at a time.
// V2  A run with something to do is advanced.
// V3  A wake-up time survives crashes, because it is in the journal.

import { classify } from "../core/classify/classify.ts";
import type { Fault } from "../core/fault/fault.ts";
import { type Clock, Moment, steadyNow } from "../host/clock.ts";
import { guarded } from "../host/foreign-code.ts";
import type { Journal, Timed } from "../journal/journal.ts";
import { callable, checkOptions, number, shape, whole } from "../options/check-options.ts";
import { warn } from "../journal/warnings.ts";
import { isUnderWay } from "./advance/summary.ts";
import type { RunEnd } from "./runs-api.ts";

/** What a driver needs of runs. */
export interface Advances {
  advance(run: string): Promise<RunEnd>;
  /** Resolves when the nodes that run here have ended; their runs begin no other node here. */
  drain(): Promise<void>;
  stop(): Promise<void>;
  /** Calls the listener with a run that this process has given something to do; returns how to stop that. */
  onDue?(listener: (run: string) => void): () => void;
}

/** Options of `createDriver`. */
export interface DriverOptions {
  /** Runs that are advanced at the same time. */
  readonly maxRuns?: number;
  /** How often it looks for runs that others have started or woken. */
  readonly lookEveryMs?: number;
  /** Called when a run was advanced as far as it went. */
  readonly onAdvanced?: (end: RunEnd) => void;
  /** Called when a run could not be advanced; it is tried again. */
  readonly onWarning?: (run: string, fault: Fault) => void;
}

const DRIVER_OPTIONS = shape<DriverOptions>({
  maxRuns: whole(1),
  lookEveryMs: number(1),
  onAdvanced: callable,
  onWarning: callable,
});

/** The loop that advances runs. Several processes may run one on the same journal. */
export interface Driver {
  start(): void;
  /** Looks for due runs at once. */
  poke(): void;
  /** Starts nothing more, waits until the nodes that run here have ended, and leaves their runs to other drivers. */
  drain(): Promise<void>;
  /** Stops as a crash would: the next driver continues what is being done. */
  stop(): Promise<void>;
}

/** How long to wait before a run is tried again that could not be advanced: another process has it, or the store is away. */
export const TROUBLE_MS = 2_000;
/** How many wakes are read in one page. */
const PAGE = 64;
/** How often it looks for runs that a dead process has abandoned, and at everything that is due, even if it has seen it before. */
const ABANDONED_EVERY_MS = 15_000;
/** Clocks of other machines may be behind by this much. */
const OVERLAP_MS = 5_000;
/** Sorts after every other key. */
const LAST_KEY = "\u{10ffff}";

/** Makes the loop that advances runs when they have something to do. */
export function createDriver(
  runs: Advances,
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  options: DriverOptions = {},
): Driver {
  checkOptions("createDriver", options, DRIVER_OPTIONS);
  const { maxRuns = 16, lookEveryMs = 1_000 } = options;
  const onAdvanced = listening("onAdvanced", options.onAdvanced);
  const onWarning = listening("onWarning", options.onWarning);
  const active = new Set<string>();
  const notBefore = new Map<string, Moment>();
  /** Other functions change these flags while one waits, so each reads them again. */
  const flags = { isRunning: false, isLooking: false, isPoked: false };
  /** When it last looked for abandoned runs, in steady time. */
  let lookedForAbandonedAt = -Infinity;
  /**
   * Everything that was due before this time is done; -Infinity when that is not known. Reading from the beginning costs PostgreSQL time,
   * because it also passes over replaced wakes that it has not cleaned up yet.
   */
  let doneUntil = -Infinity;
  const isStopped = (): boolean => !flags.isRunning;
  const wasPoked = (): boolean => flags.isPoked;
  let disarm: () => void = () => undefined;
  let unsubscribe: () => void = () => undefined;

  async function look(): Promise<void> {
    if (!flags.isRunning) return;
    flags.isLooking = true;
    flags.isPoked = false;
    let nextMs = lookEveryMs;
    try {
      nextMs = Math.min(nextMs, await advanceAll(clock.now()));
    } catch (error) {
      // A driver that was stopped meanwhile may have lost its journal to `close`.
      if (!isStopped()) onWarning("", classify({ surface: "store", error, observedAt: clock.now() }));
    }
    flags.isLooking = false;
    // It may have missed runs that became due while it looked.
    arm(wasPoked() ? 0 : nextMs);
  }

  const mustLookForAbandoned = (): boolean => steadyNow(clock) - lookedForAbandonedAt >= ABANDONED_EVERY_MS;

  /** Advances what is due; returns in how many ms the next one is. */
  async function advanceAll(now: number): Promise<number> {
    const isFull = notBefore.size > 0 || mustLookForAbandoned();
    const from = isFull ? -Infinity : Math.min(doneUntil, now) - OVERLAP_MS;
    doneUntil = -Infinity;
    // A run that ends makes room and wakes this loop.
    if (isStopped() || active.size >= maxRuns) return Infinity;
    let nextMs = Infinity;
    // The only question while nothing is due.
    let first = await firstAfter({ at: from, key: "" });
    const due = new Set<string>();
    if (first !== undefined && first.at <= now) {
      nextMs = await advanceDue(from, now, due);
      if (isStopped() || active.size >= maxRuns) return nextMs;
      first = await firstAfter({ at: now, key: LAST_KEY });
    }
    // Other processes have advanced those that are no longer due.
    if (from === -Infinity) for (const run of notBefore.keys()) if (!due.has(run)) notBefore.delete(run);
    await advanceAbandoned(now);
    if (!wasPoked()) doneUntil = now;
    return first === undefined ? nextMs : Math.min(nextMs, first.at - now);
  }

  async function firstAfter(after: Pick<Timed, "at" | "key">): Promise<Timed | undefined> {
    const [first] = await journal.keptByTime("wake", { order: "oldest", after, limit: 1 });
    return first;
  }

  /** Advances due runs, the longest waiting first, and adds them to `due`. Returns in how many ms the first run that must wait may be tried again. */
  async function advanceDue(from: number, now: number, due: Set<string>): Promise<number> {
    let nextMs = Infinity;
    for (let after: Pick<Timed, "at" | "key"> = { at: from, key: "" }; ;) {
      const page = await journal.keptByTime("wake", { order: "oldest", until: now, limit: PAGE, after });
      for (const { key } of page) {
        // It may have been stopped while it looked.
        if (isStopped() || active.size >= maxRuns) return nextMs;
        due.add(key);
        const at = notBefore.get(key)?.at ?? 0;
        if (at > now) nextMs = Math.min(nextMs, at - now);
        else if (!active.has(key)) advance(key);
      }
      after = page.at(-1) ?? after;
      if (page.length < PAGE) return nextMs;
    }
  }

  /**
   * Advances runs whose process died. Their wake-up times may be wrong, because the clock of that process may have been ahead. Their holds
   * follow the clock of the store.
   */
  async function advanceAbandoned(now: number): Promise<void> {
    if (!mustLookForAbandoned()) return;
    for (const { key, until } of await journal.holds()) {
      if (until > now || (notBefore.get(key)?.at ?? 0) > now || !(await isUnderWay(journal, key))) continue;
      if (isStopped() || active.size >= maxRuns) return;
      if (!active.has(key)) advance(key);
    }
    lookedForAbandonedAt = steadyNow(clock);
  }

  function advance(run: string): void {
    active.add(run);
    void runs
      .advance(run)
      .then(
        (end) => {
          notBefore.delete(run);
          onAdvanced(end);
        },
        (error: unknown) => {
          notBefore.set(run, new Moment(clock, clock.now() + TROUBLE_MS));
          onWarning(run, classify({ surface: "node", error, observedAt: clock.now() }));
        },
      )
      .finally(() => {
        active.delete(run);
        poke();
      });
  }

  function arm(delayMs: number): void {
    disarm();
    if (flags.isRunning) disarm = clock.after(delayMs, () => void look());
  }

  function poke(): void {
    flags.isPoked = true;
    doneUntil = -Infinity;
    if (!flags.isLooking) arm(0);
  }

  function leave(): void {
    flags.isRunning = false;
    unsubscribe();
    disarm();
  }

  return {
    start() {
      flags.isRunning = true;
      unsubscribe();
      unsubscribe = runs.onDue?.(poke) ?? unsubscribe;
      poke();
    },
    poke,
    async drain() {
      leave();
      await runs.drain();
    },
    async stop() {
      leave();
      await runs.stop();
    },
  };
}

/** A listener that throws must not stop the driver. */
export function listening<Args extends readonly unknown[]>(
  name: string,
  listener: (...args: Args) => unknown = () => undefined,
): (...args: Args) => unknown {
  return guarded(listener, (error) =>
    warn(classify({ surface: "node", error }), `calling the driver's ${name} (later failures are not reported)`),
  );
}

// A driver warns each time it looks in vain. People want to read that once.

const AGAIN_MS = 60_000;

/** Calls the listener with the same message about the same subject, such as a run, once a minute at most. */
export function oncePerMinute<T extends Pick<Fault, "message">>(
  clock: Clock,
  listener: (subject: string, news: T) => void,
): (subject: string, news: T) => void {
  const calledAt = new Map<string, number>();
  return (subject, news) => {
    const now = clock.now();
    const key = `${subject} ${news.message}`;
    if (now - (calledAt.get(key) ?? -Infinity) < AGAIN_MS) return;
    for (const [old, at] of calledAt) if (now - at >= AGAIN_MS) calledAt.delete(old);
    calledAt.set(key, now);
    listener(subject, news);
  };
}
