// Carries out bulk actions, wave by wave. Several processes may do this on one journal. Holds these:
// K1  A bulk action is carried out by one process at a time; another one continues it when that process dies.
// K2  A run is acted on once, however often processes die: what is about to be done is in the journal first, with the key of the offer.
// K3  A wave begins when every run of the wave before has ended or waits. An abort counts before the next run is acted on.

import { classify } from "../../core/classify/classify.ts";
import { type Fault, isFaultError } from "../../core/fault/fault.ts";
import { isEnded } from "../../core/flow/run-state.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import { warn } from "../../journal/warnings.ts";
import type { RunHolds } from "../advance/held-run.ts";
import type { Runs, RunSummary } from "../runs-api.ts";
import {
  abortWish,
  type Bulk,
  type BulkStatus,
  type BulkStep,
  concernOf,
  hasFailedAgain,
  isSettled,
  keepBulk,
  keepSteps,
  listBulks,
  offerOf,
  pendingStep,
  readBulk,
  wavesOf,
} from "./bulk.ts";

export interface BulkDriverDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly holds: RunHolds;
  readonly runs: Pick<Runs, "show" | "act">;
}

/** Options of `bulks.driver`. */
export interface BulkDriverOptions {
  /** Called when a run was acted on, so that it is advanced at once. */
  readonly onActed?: () => void;
}

/** How often it looks for bulk actions and aborts of other processes. */
const LOOK_EVERY_MS = 1_000;
const MAX_AT_ONCE = 100;

export class BulkDriver {
  readonly #deps: BulkDriverDeps;
  readonly #onActed: () => void;
  readonly #active = new Map<string, Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #isRunning = false;
  #disarm: () => void = () => undefined;

  constructor(deps: BulkDriverDeps, { onActed = () => undefined }: BulkDriverOptions = {}) {
    this.#deps = deps;
    this.#onActed = onActed;
  }

  start(): void {
    this.#isRunning = true;
    void this.#look();
  }

  /** Looks for new bulk actions and aborts at once. */
  poke(): void {
    for (const ring of [...this.#waiting]) ring();
    if (this.#isRunning) void this.#look();
  }

  /** Stops as a crash would: the next process continues. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.poke();
    this.#disarm();
    await Promise.all(this.#active.values());
  }

  async #look(): Promise<void> {
    const { journal, clock } = this.#deps;
    this.#disarm();
    this.#disarm = clock.after(LOOK_EVERY_MS, () => void this.#look());
    try {
      for (const { id } of await listBulks(journal, { limit: MAX_AT_ONCE, status: "running" })) {
        if (!this.#isRunning) return;
        if (!this.#active.has(id)) this.#active.set(id, this.#take(id));
      }
    } catch (error) {
      this.#warn(classify({ surface: "store", error }), "looking for bulk actions");
    }
  }

  async #take(id: string): Promise<void> {
    try {
      await this.#carryOut(id);
    } catch (error) {
      // The next look tries again.
      this.#warn(classify({ surface: "node", error }), `carrying out bulk action ${id}`);
    } finally {
      this.#active.delete(id);
    }
  }

  #warn(fault: Fault, what: string): void {
    if (this.#isRunning) warn(fault, what);
  }

  async #carryOut(id: string): Promise<void> {
    const { journal, clock, holds } = this.#deps;
    let isLost = false;
    const held = await holds.take(`bulk/${id}`, () => void (isLost = true));
    if (held === null) return;
    try {
      const report = await readBulk(journal, id);
      if (report === null) return;
      const steps = new Map(report.steps.map((step) => [step.run, step]));
      const isLeft = (): boolean => isLost || !this.#isRunning;
      const status = await this.#waves(report.bulk, steps, isLeft);
      if (status === null) return;
      const wish = await abortWish(journal, id);
      const abortedBy = status === "aborted" ? (wish?.by ?? "") : "";
      await keepBulk(journal, { ...report.bulk, status, abortedBy, endedAt: clock.now() });
    } finally {
      await held.release();
    }
  }

  /** How it ended; null when this process leaves it to another one. */
  async #waves(
    bulk: Bulk,
    steps: Map<string, BulkStep>,
    isLeft: () => boolean,
  ): Promise<Exclude<BulkStatus, "running"> | null> {
    const { journal } = this.#deps;
    const isAborted = async (): Promise<boolean> => (await abortWish(journal, bulk.id)) !== null;
    for (const wave of wavesOf(bulk)) {
      for (const run of wave) {
        if (isLeft()) return null;
        if (await isAborted()) return "aborted";
        const step = steps.get(run) ?? pendingStep(run);
        if (step.state === "pending" || step.state === "acting") steps.set(run, await this.#act(bulk, step));
      }
      const isOver = async (): Promise<boolean> => isLeft() || (await isAborted());
      await this.#untilSettled(bulk.id, wave, steps, isOver);
      if (isLeft()) return null;
      if (await isAborted()) return "aborted";
      if (hasFailedAgain(stepsOf(wave, steps), bulk.code)) return "stopped";
    }
    return "completed";
  }

  async #act(bulk: Bulk, { run, state, key: taken }: BulkStep): Promise<BulkStep> {
    const { journal, clock, runs } = this.#deps;
    const { id, action, params, by, code } = bulk;
    const note = async (step: Partial<BulkStep>): Promise<BulkStep> => {
      const noted = { ...pendingStep(run), ...step, at: clock.now() };
      await keepSteps(journal, id, [noted]);
      return noted;
    };
    const report = await runs.show(run);
    // An action that was begun is taken again under its key, which does nothing twice.
    const isBegun = state === "acting";
    const offered = report === null || isBegun || concernOf(report, code) !== null ? null : offerOf(report, action);
    const key = isBegun ? taken : (offered?.key ?? "");
    if (key === "") return note({ state: "refused" });
    if (!isBegun) await note({ state: "acting", key });
    try {
      const { run: now } = await runs.act(run, action, { params, key, by });
      return await note({ state: "running", key, now });
    } catch (error) {
      if (!isFaultError(error)) throw error;
      return await note({ state: "refused", key, code: error.fault.code });
    } finally {
      this.#onActed();
    }
  }

  async #untilSettled(
    id: string,
    wave: readonly string[],
    steps: Map<string, BulkStep>,
    isOver: () => Promise<boolean>,
  ): Promise<void> {
    const { journal, clock } = this.#deps;
    const watched = new Set(stepsOf(wave, steps).map(({ now }) => now));
    const bell = new Bell(clock);
    const unsubscribe = journal.subscribe(({ session, event }) => {
      if (watched.has(session) && (event.type.startsWith("run-") || event.type.startsWith("node-"))) bell.ring();
    });
    this.#waiting.add(bell.ring);
    try {
      for (;;) {
        const open = stepsOf(wave, steps).filter((step) => !isSettled(step));
        const now = await Promise.all(open.map((step) => settledStep(journal, step, clock.now())));
        const changed = now.filter(isSettled);
        for (const step of changed) steps.set(step.run, step);
        await keepSteps(journal, id, changed);
        if (changed.length === open.length || (await isOver())) return;
        await bell.wait(LOOK_EVERY_MS);
      }
    } finally {
      unsubscribe();
      this.#waiting.delete(bell.ring);
    }
  }
}

/** Wakes a loop that waits, also when it rang just before. */
class Bell {
  readonly #clock: Clock;
  #isRung = false;
  #resolve: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly ring = (): void => {
    this.#isRung = true;
    this.#resolve();
  };

  async wait(atMostMs: number): Promise<void> {
    const disarm = this.#clock.after(atMostMs, this.ring);
    if (!this.#isRung) await new Promise<void>((resolve) => (this.#resolve = resolve));
    disarm();
    this.#isRung = false;
  }
}

function stepsOf(wave: readonly string[], steps: ReadonlyMap<string, BulkStep>): readonly BulkStep[] {
  return wave.map((run) => steps.get(run) ?? pendingStep(run));
}

/** A running step as its run stands now. A run with an action that no process has started yet is due, so it counts as running. */
export async function settledStep(journal: Journal, step: BulkStep, now: number): Promise<BulkStep> {
  if (step.state !== "running") return step;
  const summary = (await journal.kept("run", step.now)) as RunSummary | null;
  if (summary === null) return { ...step, state: "refused", at: now };
  const { status, code, updatedAt } = summary;
  if (isEnded(summary)) {
    return { ...step, state: status === "completed" ? "completed" : "failed", code, at: updatedAt };
  }
  if (status !== "paused") return step;
  const wake = await journal.kept("wake", step.now);
  const isDue = typeof wake === "number" && wake <= now;
  return isDue ? step : { ...step, state: "waiting", code, at: updatedAt };
}
