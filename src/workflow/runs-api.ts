// What can be done with runs of workflows, as every surface sees it: the library, the CLI, the daemon.

import { FAULT_CAUSES, type FaultCause } from "../core/fault/catalogue.ts";
import type { Fault } from "../core/fault/fault.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { OfferedAction } from "../core/flow/action.ts";
import type { Answer, Question } from "../core/flow/interaction.ts";
import type { RunLimits } from "../core/flow/run-event.ts";
import type { RunState, RunStatus } from "../core/flow/run-state.ts";
import type { RunLine } from "../core/flow/run-standing.ts";
import type { Spending } from "../core/flow/money.ts";
import type { IncidentFacts } from "../core/record/incident.ts";
import type { RunStreamEvent } from "../core/record/run-stream.ts";
import { anything, flag, having, mapOf, oneOf, shape, text, whole } from "../options/check-options.ts";
import type { Workflow } from "../workflow-model/stage.ts";

/** A run in one line: kept beside its events and written with them. */
export interface RunSummary extends RunLine {
  readonly run: string;
  readonly workflow: string;
  readonly version: string;
  readonly digest: string;
  readonly file: string | null;
  /** The attempt of the node that failed or is retried; 0 if nothing failed. Older programs leave it out. */
  readonly attempt?: number;
  /** How many attempts that node may have; 0 until that is known. */
  readonly of?: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly endedAt: number;
  readonly spentMicrocents: number;
  readonly limits: RunLimits;
  readonly predecessor: string | null;
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
  /** Who starts it, for the record. */
  readonly by?: string;
}

/** A definition that is not the one the run was started with. */
export type ChangedWorkflow =
  | "refuse" //     ResumeMismatch
  | "accept" //     continue with the changed workflow; finished nodes are kept
  | "as-started"; // continue with the definition that the journal has kept

/** The incident report about a run or session: as data, and as a Markdown page. */
export interface IncidentReport {
  readonly incident: IncidentFacts;
  readonly markdown: string;
}

/** Options of `runs.report`. */
export interface ReportOptions {
  /** The language of the report. Default: that of the runs. */
  readonly locale?: Locale;
  /** What a fault's message becomes in that language. Default: messages stay as they were recorded. */
  readonly messageIn?: (locale: Locale, message: string) => string;
}

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

export const START_OPTIONS = shape<StartOptions>({ inputs: mapOf(anything), run: text, by: text });
export const RESUME_OPTIONS = shape<ResumeOptions>({ changed: oneOf(["refuse", "accept", "as-started"]), by: text });
export const ACT_OPTIONS = shape<ActOptions>({ params: mapOf(anything), key: text, by: text });
export const RUNS_FILTER = shape<RunsFilter>({
  status: oneOf(["running", "paused", "completed", "failed", "cancelled"]),
  isOpen: flag,
  workflow: text,
  code: text,
  cause: oneOf(FAULT_CAUSES),
  target: text,
  since: whole(0),
  until: whole(0),
  superseded: flag,
  text: text,
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
  /** true: only runs that are not over. */
  readonly isOpen?: boolean;
  readonly workflow?: string;
  /** Only runs that failed, or wait, with this fault code. */
  readonly code?: string;
  /** Only runs that failed, or wait, with a fault of this cause. */
  readonly cause?: FaultCause;
  /** Only runs with this `target`. */
  readonly target?: string;
  /** Only runs that began at this time or later. */
  readonly since?: number;
  /** Only runs that began at this time or before. */
  readonly until?: number;
  /** false: without runs that were continued in another one. */
  readonly superseded?: boolean;
  /** Only runs whose id, workflow, code or nodes contain every word of this. */
  readonly text?: string;
  readonly limit?: number;
  /** Only those after this one: the last of a page leads to the next. */
  readonly after?: RunsPlace;
}

/** A place in the list of runs. */
export interface RunsPlace extends Pick<RunSummary, "run" | "startedAt"> {
  /** For a list with `text`: the search continues after this position. */
  readonly position?: number;
}

/** One page of a list of runs. */
export interface RunsPage {
  readonly runs: readonly RunSummary[];
  /** Where the next page starts; null at the end. A page with filters may be short although more follow. */
  readonly next: RunsPlace | null;
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
  /** Checks that the run can continue with this workflow, and wakes it. */
  resume(run: string, workflow: Workflow | null, options?: ResumeOptions): Promise<void>;
  list(filter?: RunsFilter): Promise<readonly RunSummary[]>;
  /** One page of the list, however many runs do not fit the filter. `fits` leaves out what no filter names. */
  page(filter: RunsFilter, fits?: (run: RunSummary) => boolean): Promise<RunsPage>;
  /** null when there is no such run. The words of actions are in `locale`, or in the language of these runs. */
  show(run: string, locale?: Locale): Promise<RunReport | null>;
  /**
   * The incident report about a run, or about any session of the journal: what happened, why, what it cost, who did what. Without
   * secrets, stacks and paths.
   */
  report(run: string, options?: ReportOptions): Promise<IncidentReport>;
  /** Takes an operator's action. */
  act(run: string, action: string, options?: ActOptions): Promise<Acted>;
  answer(question: string, answer: Answer, by?: string): Promise<boolean>;
  cancel(run: string, by?: string): Promise<void>;
  /** Every event of the run, those before included, until it is over. */
  watch(run: string, listener: (event: RunStreamEvent) => void, after?: number): () => void;
}
