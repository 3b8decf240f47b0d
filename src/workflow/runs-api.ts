// What can be done with runs of workflows, as every surface sees it: the library, the CLI, the daemon.

import type { Fault } from "../core/fault/fault.ts";
import type { OfferedAction } from "../core/flow/action.ts";
import type { Answer, Question } from "../core/flow/interaction.ts";
import type { RunLimits } from "../core/flow/run-event.ts";
import type { RunState, RunStatus } from "../core/flow/run.ts";
import type { Spending } from "../core/flow/money.ts";
import type { RunStreamEvent } from "../core/record/run-stream.ts";
import { anything, having, mapOf, oneOf, shape, text, whole } from "../options/kind.ts";
import type { Workflow } from "../workflow-model/stage.ts";

/** A run in one line: kept beside its events and written with them. */
export interface RunSummary {
  readonly run: string;
  readonly workflow: string;
  readonly version: string;
  readonly digest: string;
  readonly file: string | null;
  readonly status: RunStatus;
  readonly outcome: string;
  /** The nodes it is at, or the one that failed. */
  readonly nodes: readonly string[];
  /** The target that was asked or that answered last; null before the first one, left out by older programs. */
  readonly target?: string | null;
  /** What it failed with; null otherwise. */
  readonly code: string | null;
  readonly questions: readonly string[];
  readonly wakeAt: number | null;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly endedAt: number;
  readonly spentMicrocents: number;
  readonly limits: RunLimits;
  readonly predecessor: string | null;
  readonly successor: string | null;
}

/** Everything about one run: summary, state, questions and what can be done. */
export interface RunReport {
  readonly summary: RunSummary;
  readonly state: RunState;
  readonly spending: Spending;
  readonly questions: readonly Question[];
  /** What an operator can do now. */
  readonly actions: readonly OfferedAction[];
  /** Files kept about failed stages, relative to the run's folder. */
  readonly files: readonly string[];
  /** Where those are; null when the journal lives in memory. */
  readonly folder: string | null;
}

/** Options of `runs.start`. */
export interface StartOptions {
  /** The inputs of the run. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Names the run; made when left out. */
  readonly run?: string;
}

/** A definition that is not the one the run was started with. */
export type ChangedWorkflow =
  | "refuse" //     ResumeMismatch
  | "accept" //     go on with the one there is now; finished nodes are kept
  | "as-started"; // go on with the text the journal has kept

/** Options of `runs.resume`. */
export interface ResumeOptions {
  /** What to do when the workflow has changed since the run was started. */
  readonly changed?: ChangedWorkflow;
  /** Who resumes the run, for the record. */
  readonly by?: string;
}

/** Options of `runs.act`. */
export interface ActOptions {
  /** What the action needs: a text, a target, limits. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** From the offer: the same key does nothing twice. */
  readonly key?: string;
  /** Who acts, for the record. */
  readonly by?: string;
}

export const START_OPTIONS = shape<StartOptions>({ inputs: mapOf(anything), run: text });
export const RESUME_OPTIONS = shape<ResumeOptions>({ changed: oneOf(["refuse", "accept", "as-started"]), by: text });
export const ACT_OPTIONS = shape<ActOptions>({ params: mapOf(anything), key: text, by: text });
export const RUNS_FILTER = shape<RunsFilter>({
  status: oneOf(["running", "paused", "completed", "failed", "cancelled"]),
  workflow: text,
  limit: whole(0),
  after: having("the last run of a page, with run and startedAt", "run", "startedAt"),
});

/** The result of an action. */
export interface Acted {
  /** The run to look at now: the same, or its successor. */
  readonly run: string;
  /** False when the same action had been taken before. */
  readonly did: boolean;
}

/** Which runs to list. */
export interface RunsFilter {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly limit?: number;
  /** Only those behind this one: the last of a page leads to the next. */
  readonly after?: Pick<RunSummary, "run" | "startedAt">;
}

/** How a run stands when nothing more happens by itself, or not yet. */
export interface RunEnd {
  readonly run: string;
  readonly status: RunStatus;
  readonly outcome: string;
  /** For people: what is done, what is missing and why, what it waits for. */
  readonly message: string;
  readonly fault: Fault | null;
  readonly wakeAt: number | null;
  readonly questions: readonly Question[];
}

/** Starts, advances and answers runs. */
export interface Runs {
  /** Writes the run down; it is advanced by a driver. Refuses inputs that do not fit. */
  start(workflow: Workflow, options?: StartOptions): Promise<string>;
  /** Advances it here and now until it is over or has to wait. Refused while another process does. */
  advance(run: string): Promise<RunEnd>;
  /** Checks that the run can go on with this workflow, and wakes it. */
  resume(run: string, workflow: Workflow | null, options?: ResumeOptions): Promise<void>;
  list(filter?: RunsFilter): Promise<readonly RunSummary[]>;
  /** null when there is no such run. */
  show(run: string): Promise<RunReport | null>;
  /** Takes an operator's action. */
  act(run: string, action: string, options?: ActOptions): Promise<Acted>;
  answer(question: string, answer: Answer, by?: string): Promise<boolean>;
  cancel(run: string, by?: string): Promise<void>;
  /** Every event of the run, those before included, until it is over. */
  watch(run: string, listener: (event: RunStreamEvent) => void, after?: number): () => void;
}
