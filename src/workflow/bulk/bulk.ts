// One action on many runs that failed alike, as data. It is carried out in waves: one run, then five, then more at a time. A wave in
// which at least half of the runs fail again is the last one.

import type { ActionId } from "../../core/flow/action.ts";

/** How a bulk action stands. */
export type BulkStatus =
  | "running"
  | "completed" // every run was acted on
  | "stopped" //   a wave failed again, so the others were left alone
  | "aborted"; //  a person stopped it

/** One action on many runs. */
export interface Bulk {
  readonly id: string;
  /** The group of failures it is about. */
  readonly fingerprint: string;
  readonly code: string;
  readonly action: ActionId;
  readonly params: Readonly<Record<string, unknown>>;
  /** The sizes of the first waves; the last one holds for all that follow. */
  readonly pace: readonly number[];
  readonly runs: readonly string[];
  readonly by: string;
  readonly startedAt: number;
  readonly status: BulkStatus;
  readonly endedAt: number | null;
  /** Who aborted it; empty when it was not aborted. */
  readonly abortedBy: string;
}

/** How far one run of a bulk action is. */
export type BulkStepState =
  | "pending" //   its wave has not begun
  | "acting" //    the action is being taken
  | "running" //   the run continues
  | "completed"
  | "failed" //    the run failed again, or was cancelled
  | "waiting" //   the run waits for a time or a person
  | "refused"; //  the action was not possible

/** One run of a bulk action. */
export interface BulkStep {
  readonly run: string;
  readonly state: BulkStepState;
  /** The offer that was taken; makes sure that it is taken once. */
  readonly key: string;
  /** The run to look at now: the same one, or its successor. */
  readonly now: string;
  /** What it failed with, or what it waits because of; null otherwise. */
  readonly code: string | null;
  readonly at: number;
}

/** A bulk action with all its runs, in the order in which they are acted on. */
export interface BulkReport {
  readonly bulk: Bulk;
  readonly steps: readonly BulkStep[];
}

export const DEFAULT_PACE: readonly number[] = [1, 5, 20];

export function wavesOf({ runs, pace }: Pick<Bulk, "runs" | "pace">): readonly (readonly string[])[] {
  const waves: (readonly string[])[] = [];
  for (let at = 0, wave = 0; at < runs.length; wave++) {
    const size = pace[Math.min(wave, pace.length - 1)] ?? 1;
    waves.push(runs.slice(at, at + size));
    at += size;
  }
  return waves;
}

export function isSettled({ state }: Pick<BulkStep, "state">): boolean {
  return state !== "pending" && state !== "acting" && state !== "running";
}

/** Whether the wave says that more of the same would not help. Runs that could not be acted on say nothing. */
export function hasFailedAgain(wave: readonly BulkStep[], code: string): boolean {
  const tried = wave.filter(({ state }) => state !== "refused");
  const again = tried.filter((step) => step.state === "failed" || (step.state === "waiting" && step.code === code));
  return again.length > 0 && again.length * 2 >= tried.length;
}

export function pendingStep(run: string): BulkStep {
  return { run, state: "pending", key: "", now: run, code: null, at: 0 };
}
