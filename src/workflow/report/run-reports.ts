// One run as people look at it, with what can be done about it. Nothing here changes anything.

import { describeRun } from "../../core/flow/run-words.ts";
import { FaultError } from "../../core/fault/fault.ts";
import { createRedactor, type Redactor } from "../../core/fault/redact.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { actionsFor, focusOf, type OfferedAction } from "../../core/flow/action.ts";
import { isEnded, type RunState } from "../../core/flow/run-state.ts";
import { copyRun } from "../../core/flow/run.ts";
import type { Visit } from "../../core/flow/visit.ts";
import type { Journal } from "../../journal/journal.ts";
import { readOutput, secretsOf, summaryOf } from "../advance/summary.ts";
import { filesOf } from "./run-files.ts";
import { noRun } from "../operator/run-faults.ts";
import type { RunEnd, RunReport, RunSummary } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";

/** null when there is no such run. */
export async function showRun(deps: RunsDeps, run: string, locale: Locale = deps.locale): Promise<RunReport | null> {
  const { journal, clock, reader } = deps;
  const kept = await summaryFor(deps, run);
  if (kept === null) return null;
  const { run: folded, spending, seq } = await reader.read(run);
  if (folded === null) return null;
  const state = copyRun(folded);
  const { files, folder } = await filesOf(journal, run);
  const questions = questionsOf(state);
  const answered = await answeredOf(
    journal,
    questions.map(({ id }) => id),
  );
  const actions = await offeredFor({ ...deps, locale }, run, state, seq);
  const seen = withoutAnswered(state, answered);
  return {
    summary: summaryOf(run, seen, spending.microcents, Math.max(clock.now(), kept.updatedAt)),
    state: seen,
    spending,
    // A question that is already answered needs nothing from a person.
    questions: questions.filter(({ id }) => !answered.has(id)),
    actions: actions.filter(({ question }) => !answered.has(question)),
    files,
    folder,
  };
}

/** A visit whose questions are all answered runs as soon as a process advances the run. Its pause stays, without questions, as the sign of that. */
function withoutAnswered(state: RunState, answered: ReadonlySet<string>): RunState {
  if (answered.size === 0) return state;
  const visits = state.visits.map((visit): Visit => {
    const { pause } = visit;
    if (pause === null || pause.questions.length === 0) return visit;
    const questions = pause.questions.filter(({ id }) => !answered.has(id));
    const isAnswered = questions.length === 0;
    const left = { ...pause, questions, wakeAt: isAnswered ? null : pause.wakeAt };
    return { ...visit, state: isAnswered ? "running" : visit.state, pause: left };
  });
  return { ...state, visits };
}

/** Which of these questions have an answer in the journal. */
export async function answeredOf(journal: Journal, questions: readonly string[]): Promise<ReadonlySet<string>> {
  const answers = await Promise.all(questions.map((id) => journal.kept("answer", id)));
  return new Set(questions.filter((_id, index) => answers[index] !== null && answers[index] !== undefined));
}

async function offeredFor(
  { journal, locale, library }: RunsDeps,
  run: string,
  state: RunState,
  lastSeq: number,
): Promise<readonly OfferedAction[]> {
  const workflow = await library.findReadable(state);
  const focus = focusOf(state);
  const node = focus?.node ?? "";
  const hasFailed = focus !== null && focus.fault !== null && focus.state !== "completed";
  const partial = hasFailed ? await readOutput(journal, run, focus) : undefined;
  const about = {
    run,
    state,
    targets: workflow?.targetsOf(node) ?? [],
    sendBackTo: workflow?.sendBackTo(node) ?? null,
    hasPartialOutput: partial !== undefined && partial !== null,
    lastSeq,
  };
  return actionsFor(about, locale);
}

export async function redactorOf(deps: RunsDeps, run: string): Promise<Redactor> {
  const { journal, redactor, library } = deps;
  const workflow = await library.findReadable(await knownRun(deps, run));
  return createRedactor(await secretsOf(journal, run, workflow), redactor);
}

/** `known`: the run as this process has folded it; without it the journal is read. */
export async function endOf(
  { reader, clock, locale }: RunsDeps,
  run: string,
  known: RunState | null = null,
): Promise<RunEnd> {
  const state = known ?? (await reader.read(run)).run;
  if (state === null) throw new FaultError(noRun(run));
  const { status, outcome, fault } = state;
  const { wakeAt } = summaryOf(run, state, 0, clock.now());
  return { run, status, outcome, message: describeRun(state, locale), fault, wakeAt, questions: questionsOf(state) };
}

function questionsOf(state: RunState): RunReport["questions"] {
  return isEnded(state) ? [] : state.visits.flatMap(({ pause }) => pause?.questions ?? []);
}

export async function summaryFor({ journal }: RunsDeps, run: string): Promise<RunSummary | null> {
  return ((await journal.kept("run", run)) ?? null) as RunSummary | null;
}

export async function knownRun(deps: RunsDeps, run: string): Promise<RunSummary> {
  const summary = await summaryFor(deps, run);
  if (summary === null) throw new FaultError(noRun(run));
  return summary;
}
