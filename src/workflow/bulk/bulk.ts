// One action on many runs that failed alike, as data. It is carried out in waves: one run, then five, then more at a time. A wave in
// which at least half of the runs fail again is the last one.

import { defined } from "../../core/defined.ts";
import { type ActionId, focusOf, type OfferedAction } from "../../core/flow/action.ts";
import { tagOf } from "../../journal/keep-kinds.ts";
import type { Journal, Keep, Timed } from "../../journal/journal.ts";
import type { RunReport, RunSummary } from "../runs-api.ts";

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

// Bulk actions in the journal: the bulk under its id, each of its runs under `id/run/…`, a wish to abort under `id/abort`.

/** Bulk actions, the one that was started last first. */
export interface BulksQuery {
  readonly limit: number;
  readonly status?: BulkStatus;
  /** Only those on this group of failures. */
  readonly fingerprint?: string;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<Bulk, "id" | "startedAt">;
}

interface Wish {
  readonly by: string;
  readonly at: number;
}

/** False when there is a bulk of this id already. */
export function beginBulk(journal: Journal, bulk: Bulk): Promise<boolean> {
  return journal.keepFirst({ kind: "bulk", key: bulk.id, value: bulk });
}

export async function keepBulk(journal: Journal, bulk: Bulk): Promise<void> {
  await journal.keep([{ kind: "bulk", key: bulk.id, value: bulk }]);
}

export async function keepSteps(journal: Journal, id: string, steps: readonly BulkStep[]): Promise<void> {
  await journal.keep(steps.map((step): Keep => ({ kind: "bulk", key: `${id}/run/${step.run}`, value: step })));
}

/** The first wish counts. */
export async function wishAbort(journal: Journal, id: string, wish: Wish): Promise<void> {
  await journal.keepFirst({ kind: "bulk", key: `${id}/abort`, value: wish });
}

export async function abortWish(journal: Journal, id: string): Promise<Wish | null> {
  return (await journal.kept("bulk", `${id}/abort`)) as Wish | null;
}

/** null when there is none of that id. */
export async function readBulk(journal: Journal, id: string): Promise<BulkReport | null> {
  const kept = await journal.keptAll("bulk", id);
  const bulk = kept.find(({ key }) => key === id)?.value as Bulk | undefined;
  if (bulk === undefined) return null;
  const steps = new Map(
    kept
      .filter(({ key }) => key.startsWith(`${id}/run/`))
      .map(({ value }) => value as BulkStep)
      .map((step) => [step.run, step]),
  );
  const wish = kept.find(({ key }) => key === `${id}/abort`)?.value as Wish | undefined;
  return {
    bulk: aborted(bulk, wish ?? null),
    steps: bulk.runs.map((run) => steps.get(run) ?? pendingStep(run)),
  };
}

export async function listBulks(
  journal: Journal,
  { limit, status, fingerprint, after }: BulksQuery,
): Promise<readonly Bulk[]> {
  const tags = [
    ...(status === undefined ? [] : [tagOf("status", status)]),
    ...(fingerprint === undefined ? [] : [tagOf("fingerprint", fingerprint)]),
  ];
  const found: readonly Timed[] = await journal.keptByTime("bulk", {
    order: "newest",
    limit,
    ...(tags.length === 0 ? {} : { tags }),
    ...(after === undefined ? {} : { after: { at: after.startedAt, key: after.id } }),
  });
  return found.map(({ value }) => value as Bulk);
}

/** A wish counts at once, also while the process that acts has not seen it. */
function aborted(bulk: Bulk, wish: Wish | null): Bulk {
  if (wish === null || bulk.status !== "running") return bulk;
  return { ...bulk, status: "aborted", abortedBy: wish.by, endedAt: wish.at };
}

// Which runs a group of failures concerns, and what could be done about each of them.

/** Why a run that met the failure needs nothing. */
type NotConcerned =
  | "succeeded" //     it got over it
  | "running" //       it is still being advanced
  | "cancelled"
  | "other-failure"; // it stands because of something else

/** Why an action is not taken on a run. */
export type WhyPassedOver = NotConcerned | "not-offered";

/** More runs are not acted on at once. */
const MAX_BULK_RUNS = 1_000;
const PAGE = 500;

/** The runs that met a failure of the group, the one that was begun last first; each as the run that continues it, and once. */
export async function runsOf(journal: Journal, fingerprint: string): Promise<readonly string[]> {
  const runs = new Set<string>();
  for (let after: string | undefined; runs.size < MAX_BULK_RUNS;) {
    const page = await journal.faultRuns(fingerprint, { limit: PAGE, ...defined({ after }) });
    for (const run of page) runs.add(await newestOf(journal, run));
    after = page.at(-1);
    if (page.length < PAGE) break;
  }
  return [...runs].slice(0, MAX_BULK_RUNS);
}

/** The run, or the last of its successors. */
async function newestOf(journal: Journal, from: string): Promise<string> {
  const seen = new Set<string>();
  let run = from;
  for (;;) {
    const successor = ((await journal.kept("run", run)) as RunSummary | null)?.successor ?? null;
    seen.add(run);
    if (successor === null || seen.has(successor)) return run;
    run = successor;
  }
}

export function concernOf({ summary, state }: RunReport, code: string): NotConcerned | null {
  if (summary.status === "completed") return "succeeded";
  if (summary.status === "cancelled") return "cancelled";
  if (summary.status === "running") return "running";
  const stands = focusOf(state)?.fault?.code ?? state.fault?.code ?? summary.code;
  return stands === code ? null : "other-failure";
}

/** The offer of an action about the failure, if the run has it and it needs nothing that is not in `params`. */
export function offerOf({ actions }: RunReport, action: string): OfferedAction | null {
  return actions.find(({ id }) => id === action) ?? null;
}
