// Starts, advances and reads runs of workflows. operator/take-action.ts carries out what an operator does to a run.

import { classify } from "../core/classify/classify.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import { fault, FaultError, isFault } from "../core/fault/fault.ts";
import type { Redactor } from "../core/fault/redact.ts";
import type { Locale } from "../core/fault/words/words.ts";
import { type Answer, answerAsSaid } from "../core/flow/interaction.ts";
import { isEnded, type RunState } from "../core/flow/run-state.ts";
import type { Visit } from "../core/flow/visit.ts";
import type { Entry } from "../core/record/event.ts";
import type { SessionState } from "../core/record/replay.ts";
import { createRunStream, type RunStreamEvent } from "../core/record/run-stream.ts";
import type { Session } from "../runtime/session/session.ts";
import { beginRun, openRun, RunHolds, runOf } from "./advance/held-run.ts";
import { KeyedMutex } from "../host/keyed-mutex.ts";
import { lazyPart } from "../host/lazy-part.ts";
import { readRunFile, RunFiles } from "./report/run-files.ts";
import { audited, type Deed } from "../journal/audit.ts";
import { findQuestion } from "../journal/open-questions.ts";
import { alreadyThere, heldElsewhere, noRun, stopping } from "./operator/run-faults.ts";
import { answerQuestion, cancelRun, type OperatorDeps, resumeRun, takeAction } from "./operator/take-action.ts";
import { heldRuns, listRuns, pageOfRuns } from "./report/list-runs.ts";
import { endOf, knownRun, redactorOf, showRun, summaryFor } from "./report/run-reports.ts";
import { type ExportFormat, exportRun, keptOutput } from "./report/export-run.ts";
import { DEFAULT_BY, resolveRunsOptions, type RunsDeps, type RunsOptions } from "./runs-options.ts";
import { checkOptions } from "../options/check-options.ts";
import {
  ACT_OPTIONS,
  type Acted,
  type ActOptions,
  type IncidentReport,
  type ReportOptions,
  RESUME_OPTIONS,
  type ResumeOptions,
  type RunEnd,
  type RunReport,
  type Runs,
  RUNS_FILTER,
  type RunsFilter,
  type RunsPage,
  type RunSummary,
  START_OPTIONS,
  type StartOptions,
} from "./runs-api.ts";
import { Slice } from "./advance/slice.ts";
import { tracedRun } from "../telemetry/run-trace.ts";
import type { Workflow, WorkflowOutline } from "../workflow-model/stage.ts";
import { spentBy } from "./advance/summary.ts";
import type { Journal } from "../journal/journal.ts";
import { DEFAULT_LIMITS } from "./define.ts";
import { openActions } from "./operator/instructions.ts";

/** Loaded by the first reader: a program that only advances runs needs none of it. */
const reports = lazyPart(() => import("./report/incident-report.ts"));

type Params = Readonly<Record<string, unknown>>;

/** A run this process is advancing; its session is null until it is open. */
interface Active {
  slice: Slice | null;
  session: Session | null;
  isStopped: boolean;
  isDraining: boolean;
  readonly done: Promise<RunEnd>;
}

/** Runs of the given workflows: start, resume, act, answer, list. */
export function createRuns(options: RunsOptions): WorkflowRuns {
  return new WorkflowRuns(resolveRunsOptions(options));
}

/** The runs of some workflows. */
export class WorkflowRuns implements Runs {
  readonly #deps: RunsDeps;
  readonly #holds: RunHolds;
  /** Runs this process is advancing now. */
  readonly #active = new Map<string, Active>();
  readonly #operator: OperatorDeps;
  readonly #onDue = new Set<(run: string) => void>();

  constructor(deps: RunsDeps) {
    this.#deps = deps;
    this.#holds = new RunHolds(deps);
    const due = (run: string): void => this.#due(run);
    this.#operator = { ...deps, holds: this.#holds, successors: new KeyedMutex(), due };
  }

  async start(workflow: Workflow, options: StartOptions = {}): Promise<string> {
    const { inputs = {}, run, by = DEFAULT_BY } = checkOptions("runs.start", options, START_OPTIONS);
    const id = run ?? this.#deps.chance.newId("run");
    await this.#audited({ what: "run.start", on: id, by, action: workflow.id }, () =>
      this.#start(id, workflow, inputs),
    );
    return id;
  }

  async #start(id: string, workflow: Workflow, inputs: Params): Promise<void> {
    const read = workflow.readInputs(inputs);
    if (isFault(read)) throw new FaultError(read);
    if ((await summaryFor(this.#deps, id)) !== null) throw new FaultError(alreadyThere(id));
    const { maxParallel, maxNodes, timeoutMs, maxCostMicrocents } = workflow.limits;
    const limits = {
      maxParallel,
      maxNodes,
      timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : null,
      maxCostMicrocents,
    };
    const beginning = { start: workflow.start, inherited: null, instruction: null, limits, predecessor: null };
    await beginRun(this.#deps, { run: id, workflow, inputs: read, keeps: [], ...beginning });
    this.#due(id);
  }

  /** Calls the listener with a run that this process has given something to do, so that a driver need not wait for its next look. */
  onDue(listener: (run: string) => void): () => void {
    this.#onDue.add(listener);
    return () => void this.#onDue.delete(listener);
  }

  /** The run is advanced here, or a driver may take it up. */
  #due(run: string): void {
    this.#active.get(run)?.slice?.poke();
    for (const listener of this.#onDue) listener(run);
  }

  async advance(run: string): Promise<RunEnd> {
    const known = this.#active.get(run);
    if (known !== undefined) return known.done;
    const begun = Promise.withResolvers<RunEnd>();
    const active: Active = { slice: null, session: null, isStopped: false, isDraining: false, done: begun.promise };
    this.#active.set(run, active);
    this.#advance(run, active)
      .finally(() => this.#active.delete(run))
      .then(begun.resolve, begun.reject);
    return begun.promise;
  }

  async #advance(run: string, active: Active): Promise<RunEnd> {
    const { journal, reader } = this.#deps;
    const summary = await knownRun(this.#deps, run);
    if (isEnded(summary)) {
      // An action may have been posted at the moment when the run ended.
      if ((await journal.kept("wake", run)) !== null) await journal.keep([{ kind: "wake", key: run, value: null }]);
      return endOf(this.#deps, run);
    }
    const lost = (): void => void active.session?.abandon(`run ${run} was taken over by another process`);
    const held = await this.#holds.take(run, lost);
    if (held === null) throw new FaultError(heldElsewhere(run));
    try {
      // Others may have advanced it before it was held.
      let folded = await reader.read(run);
      const state = runOf(folded);
      const workflow = await definitionOf(this.#deps, run, state);
      return await tracedRun({ run, workflow: state.workflow, traceparent: state.traceparent ?? null }, async () => {
        while (await this.#slice(run, folded, workflow, active)) folded = await reader.read(run);
        return endOf(this.#deps, run, active.session?.run);
      });
    } catch (error) {
      await active.session?.abandon(`run ${run} could not be advanced`);
      throw error;
    } finally {
      await held.release();
    }
  }

  /** Advances the run once. True: the limits have changed, and the session must be opened again with them. */
  async #slice(run: string, folded: SessionState, workflow: Workflow, active: Active): Promise<boolean> {
    const { limits, status } = await knownRun(this.#deps, run);
    if (isEnded({ status })) return false;
    const session = await openRun(this.#deps, folded, workflow, limits);
    active.session = session;
    const files = new RunFiles(this.#deps, session, workflow);
    const slice = new Slice({
      ...this.#deps,
      session,
      redactor: session.redactor,
      workflow,
      limits,
      spentBy: (node) => spentBy(runOf(folded), node),
      keepFiles: (visit, end) => files.keep(visit, end),
    });
    active.slice = slice;
    if (active.isDraining) slice.drain();
    if (active.isStopped) throw new FaultError(stopping(run));
    await this.#guard(slice);
    if (session.isOver) return false;
    await session.leave();
    return slice.hasNewLimits && !active.isDraining;
  }

  /** A bug ends the run, with an error, once. A store that does not answer does not end it: the run continues when the store is back. */
  async #guard(slice: Slice): Promise<void> {
    try {
      await slice.run();
    } catch (error) {
      const seen = classify({ surface: "node", error, observedAt: this.#deps.clock.now() });
      if (traitsOf(seen.code).scope === "host" && seen.class !== "Internal") throw error;
      const why = fault("Uncaught", {
        message: "the run could not continue because of an error inside Faultline",
        cause: seen,
      });
      await slice.breakOff(why);
    }
  }

  /** Masks the secrets of a run, in whatever is shown of it. */
  redactorOf(run: string): Promise<Redactor> {
    return redactorOf(this.#deps, run);
  }

  list(filter: RunsFilter = {}): Promise<readonly RunSummary[]> {
    return listRuns(this.#deps, checkOptions("runs.list", filter, RUNS_FILTER));
  }

  page(filter: RunsFilter, fits?: (run: RunSummary) => boolean): Promise<RunsPage> {
    return pageOfRuns(this.#deps, checkOptions("runs.page", filter, RUNS_FILTER), { fits });
  }

  /** The runs that a live process is advancing right now. */
  held(): Promise<ReadonlySet<string>> {
    return heldRuns(this.#deps);
  }

  show(run: string, locale?: Locale): Promise<RunReport | null> {
    return showRun(this.#deps, run, locale);
  }

  /** The output that a visit left, without secrets; undefined when it left none. */
  output(run: string, visit: Pick<Visit, "node" | "execution">): Promise<unknown> {
    return keptOutput(this.#deps, run, visit);
  }

  /** What is kept about a failed stage under a name of `RunReport.files`; null when there is nothing. */
  file(run: string, name: string): Promise<Uint8Array | null> {
    return readRunFile(this.#deps.journal, run, name);
  }

  /** The definition of a run as people see it; null when it is not known here. */
  async outlineOf(summary: RunSummary): Promise<WorkflowOutline | null> {
    return (await this.#deps.library.findReadable(summary))?.outline ?? null;
  }

  /** The run as lines of text, without line ends and without secrets. */
  export(run: string, format: ExportFormat, locale?: Locale): AsyncIterable<string> {
    return exportRun(this.#deps, run, format, locale);
  }

  async report(run: string, options: ReportOptions = {}): Promise<IncidentReport> {
    const { incidentReport } = await reports();
    return incidentReport(this.#deps, run, options);
  }

  /** Calls `take` with every entry of the run, oldest first. Later steps then read only newer entries. */
  readAll(run: string, take: (entry: Entry) => void): Promise<void> {
    return this.#deps.reader.readAll(run, take);
  }

  async resume(run: string, workflow: Workflow | null, options: ResumeOptions = {}): Promise<void> {
    const { changed = "refuse", by = DEFAULT_BY } = checkOptions("runs.resume", options, RESUME_OPTIONS);
    await this.#audited({ what: "run.resume", on: run, by }, () =>
      resumeRun(this.#operator, run, workflow, changed, by),
    );
  }

  /** Does it, and keeps a record of who did it. */
  #audited<T>(act: Deed, work: () => Promise<T>): Promise<T> {
    const { journal, clock, chance } = this.#deps;
    return audited({ journal, clock, newId: () => chance.newId("aud") }, act, work);
  }

  async act(run: string, action: string, options: ActOptions = {}): Promise<Acted> {
    const checked = checkOptions("runs.act", options, ACT_OPTIONS);
    const report = await this.show(run);
    if (report === null) throw new FaultError(noRun(run));
    return this.actOn(report, action, checked);
  }

  /** `act` for a caller that has read the run already. */
  async actOn(report: RunReport, action: string, { params = {}, key, by = DEFAULT_BY }: ActOptions): Promise<Acted> {
    const { run } = report.summary;
    const said = await this.#saidWith(report, params);
    const act = { what: "run.act", on: run, by, action, key: key ?? "", said };
    return this.#audited(act, () => takeAction(this.#operator, report, { action, params, by }, key ?? null));
  }

  async answer(question: string, answer: Answer, by = DEFAULT_BY): Promise<boolean> {
    const asked = await findQuestion(this.#deps.journal, question);
    const session = asked?.session ?? "";
    const said = asked === null ? "" : await this.#withoutSecrets(session, answerAsSaid(asked, answer));
    const act = { what: "question.answer", on: question, by, action: answer.status, said, session };
    return this.#audited(act, () => answerQuestion(this.#operator, question, answer, by));
  }

  /** An answer to the run's question, a comment, or both. */
  #saidWith({ summary, questions }: RunReport, params: Params): Promise<string> {
    const answers = questions.map((question) => answerAsSaid(question, params["answer"])).filter((said) => said !== "");
    const comment = typeof params["text"] === "string" ? [params["text"]] : [];
    return this.#withoutSecrets(summary.run, [...answers.slice(0, 1), ...comment].join(": "));
  }

  /** Also answers the questions of sessions that are not runs. */
  async #withoutSecrets(session: string, text: string): Promise<string> {
    const { journal, redactor } = this.#deps;
    const isRun = text !== "" && ((await journal.kept("run", session)) ?? null) !== null;
    return (isRun ? await this.redactorOf(session) : redactor).text(text);
  }

  cancel(run: string, by = DEFAULT_BY): Promise<void> {
    return this.#audited({ what: "run.cancel", on: run, by }, () => cancelRun(this.#operator, run, by));
  }

  watch(run: string, listener: (event: RunStreamEvent) => void, after = 0): () => void {
    const stream = createRunStream(run);
    return this.#deps.journal.subscribe(
      (entry) => {
        for (const event of stream.feed(entry)) if (event.sequence > after) listener(event);
      },
      { session: run, after: 0 },
    );
  }

  /** Resolves when the nodes that run here have ended. Their runs begin no other node here: another process continues them. */
  async drain(): Promise<void> {
    const all = [...this.#active.values()];
    for (const active of all) {
      active.isDraining = true;
      active.slice?.drain();
    }
    await Promise.allSettled(all.map(({ done }) => done));
  }

  /**
   * Stops advancing runs here. Without a name it stops as a crash would, and any other process may take the runs up. With the name
   * of the person who stops them, they stay paused until a person resumes them.
   */
  async stop(by?: string): Promise<void> {
    const all = [...this.#active.values()];
    // A run whose session is still being opened checks this flag when it is open.
    for (const active of all) active.isStopped = true;
    for (const { slice } of all) {
      await (by === undefined ? slice?.abandon("this process is stopping") : slice?.stop(by));
    }
    await Promise.allSettled(all.map(({ done }) => done));
  }
}

// The workflow that advances a run: the one it was started with, or a newer one that an operator accepted. A run that is to be cancelled
// needs none, so it can be cancelled where its definition is unknown or cannot be read.

async function definitionOf({ journal, library }: RunsDeps, run: string, state: RunState): Promise<Workflow> {
  return (await isToBeCancelled(journal, run, state)) ? withoutStages(state) : library.get(state);
}

async function isToBeCancelled(journal: Journal, run: string, state: RunState): Promise<boolean> {
  if (state.cancelledBy !== null) return true;
  const open = await openActions(journal, run, state);
  return open.some(({ params }) => params["cancel"] === true);
}

/** A workflow that begins nothing, for a run that is to be cancelled. */
function withoutStages({ workflow, version, digest }: RunState): Workflow {
  return {
    id: workflow,
    version,
    name: workflow,
    digest,
    source: null,
    secrets: [],
    limits: DEFAULT_LIMITS,
    policy: null,
    start: [],
    stages: new Map(),
    outline: { inputs: null, nodes: [], edges: [], tools: [] },
    readInputs: () => ({ values: {}, shown: {}, secret: {} }),
    targetsOf: () => [],
    sendBackTo: () => null,
  };
}
