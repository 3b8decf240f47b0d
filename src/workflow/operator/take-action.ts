// What an operator does to a run: resumes it, cancels it, answers its questions, takes one of its actions. A run has one writer, so most of
// these are posted to the journal for the process that advances the run.

import { type Fault, FaultError, isFault } from "../../core/fault/fault.ts";
import { limitsAsMeant, type OfferedAction } from "../../core/flow/action.ts";
import { checkActionParams } from "../../core/flow/action-params.ts";
import { ACTION_IDS } from "../../core/flow/action-words.ts";
import type { Answer, Question } from "../../core/flow/interaction.ts";
import { isEnded, visitOf } from "../../core/flow/run-state.ts";
import type { Instruction } from "../../core/flow/visit.ts";
import type { KeyedMutex } from "../../host/keyed-mutex.ts";
import { dropQuestion } from "../../runtime/call/ask.ts";
import type { Workflow } from "../../workflow-model/stage.ts";
import { keepDefinition, openRun, type RunHolds, runOf } from "../advance/held-run.ts";
import { NodeResults } from "../advance/run-visit.ts";
import { knownRun } from "../report/run-reports.ts";
import type { Acted, ChangedWorkflow, RunReport, RunSummary } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { wakeRun } from "../../runtime/person/post-answer.ts";
import { noteAction, postAction, stoppedVisits } from "./instructions.ts";
import { heldElsewhere, isOver, notOffered, otherWorkflow } from "./run-faults.ts";
import { startSuccessor, successorOf } from "./successor.ts";

export interface OperatorDeps extends RunsDeps {
  readonly holds: RunHolds;
  /** One successor per run, by the run's name. */
  readonly successors: KeyedMutex;
  /** Tells the driver that the run has something to do. */
  readonly due: (run: string) => void;
}

export async function resumeRun(
  deps: OperatorDeps,
  run: string,
  workflow: Workflow | null,
  changed: ChangedWorkflow,
  by: string,
): Promise<void> {
  const { journal, clock, reader, library } = deps;
  const summary = await knownRun(deps, run);
  if (isEnded(summary)) throw new FaultError(isOver(run, summary));
  if (workflow !== null) {
    const isOther = workflow.digest !== summary.digest;
    if (isOther && changed === "refuse") throw new FaultError(otherWorkflow(run, summary));
    if (isOther && changed === "accept") await changeWorkflow(deps, run, summary, workflow, by);
    if (!isOther) library.add(workflow);
  }
  const { run: state, seq } = await reader.read(run);
  if (state !== null && stoppedVisits(state).length > 0) {
    const posted = { action: "resume", node: "", execution: 0, key: `resume:${seq}`, params: {}, by };
    await postAction(journal, run, { ...posted, at: clock.now() });
  } else await wakeRun(journal, run, clock.now());
  deps.due(run);
}

async function changeWorkflow(
  deps: OperatorDeps,
  run: string,
  summary: RunSummary,
  workflow: Workflow,
  by: string,
): Promise<void> {
  const held = await deps.holds.take(run, () => undefined);
  if (held === null) throw new FaultError(heldElsewhere(run));
  try {
    await keepDefinition(deps, workflow);
    const folded = await deps.reader.read(run);
    const session = await openRun(deps, folded, workflow, summary.limits);
    // Waiting visits start again under the changed workflow and may ask something else, so their questions are withdrawn.
    const asked = runOf(folded).visits.flatMap(({ pause }) => pause?.questions ?? []);
    const changed = { type: "workflow-changed", from: summary.digest, to: workflow.digest, by } as const;
    await session.record(
      [changed],
      asked.flatMap(({ id }) => dropQuestion(id)),
    );
    await session.leave();
  } finally {
    await held.release();
  }
}

export async function cancelRun(deps: OperatorDeps, run: string, by: string): Promise<void> {
  const summary = await knownRun(deps, run);
  if (isEnded(summary)) throw new FaultError(isOver(run, summary));
  const posted = { action: "cancel", node: "", execution: 0, key: "cancel", params: { cancel: true }, by };
  await postAction(deps.journal, run, { ...posted, at: deps.clock.now() });
  deps.due(run);
}

/** False when another answer was first. */
export async function answerQuestion(
  { journal, faultline, due }: OperatorDeps,
  question: string,
  answer: Answer,
  by: string,
): Promise<boolean> {
  const asked = (await journal.kept("question", question)) as Question | null;
  const isFirst = await faultline.answer(question, answer, by);
  due(asked?.session ?? "");
  return isFirst;
}

/** Takes an action that the report offers. With a key it is taken once, however often it is asked for. */
export async function takeAction(
  deps: OperatorDeps,
  report: RunReport,
  given: Instruction,
  key: string | null,
): Promise<Acted> {
  const { run } = report.summary;
  const { action } = given;
  const before = key === null ? null : await deps.journal.kept("action", `${run}/${key}`);
  if (before !== null && before !== undefined) return { run: await successorOf(deps, run, before), did: false };
  const offered = report.actions.find((one) => one.id === action && (key === null || one.key === key));
  // Another click was first: the run already has a successor.
  const isAction = ACTION_IDS.some((id) => id === action);
  if (offered === undefined && isAction && report.state.successor !== null)
    return { run: report.state.successor, did: false };
  if (offered === undefined) throw new FaultError(notOffered(run, action, report));
  const checked = checkActionParams(offered, given.params, report.questions);
  if (isFault(checked)) throw new FaultError(checked);
  const instruction = { ...given, params: limitsAsMeant(offered, report.state, checked.params) };
  const refused = await refusalOf(deps, report, offered, instruction);
  if (refused !== null) throw new FaultError(refused);
  return carryOut(deps, report, offered, instruction);
}

/**
 * Asks the node whether it can carry out the action, because an action that could only fail is refused at once. The node checks again
 * when it runs. null: it can, or this process does not have the workflow.
 */
async function refusalOf(
  { library, journal }: OperatorDeps,
  { summary, state }: RunReport,
  offered: OfferedAction,
  { action, params, by }: Instruction,
): Promise<Fault | null> {
  const visit = visitOf(state, offered);
  const stage = visit === undefined ? undefined : (await library.findReadable(state))?.stages.get(visit.node);
  if (visit === undefined || stage === undefined) return null;
  // This action replaces the visit's earlier instruction. Grants for the whole run still count.
  const scope = await new NodeResults(summary.run, journal).scopeFor(state, { ...visit, instruction: null });
  const granted = scope.instruction?.params["granted"] ?? {};
  return stage.refusal({ ...scope, instruction: { action, params: { ...params, granted }, by } });
}

async function carryOut(
  deps: OperatorDeps,
  report: RunReport,
  offered: OfferedAction,
  instruction: Instruction,
): Promise<Acted> {
  const { run } = report.summary;
  const { params, by } = instruction;
  switch (offered.effect) {
    case "answer": {
      // A question cannot hold an answer with a comment, so the gate gets it as an instruction.
      if ("text" in params) return instruct(deps, run, offered, instruction);
      const isFirst = await answerQuestion(deps, offered.question, params["answer"] as Answer, by);
      return noteDone(deps, run, offered, by, isFirst);
    }
    case "resume":
      await resumeRun(deps, run, null, "refuse", by);
      return noteDone(deps, run, offered, by, true);
    case "cancel":
      await cancelRun(deps, run, by);
      return noteDone(deps, run, offered, by, true);
    case "successor": {
      const acted = await deps.successors.run(run, () => startSuccessor(deps, report, offered, instruction));
      deps.due(acted.run);
      return acted;
    }
    case "instruct":
      return instruct(deps, run, offered, instruction);
  }
}

async function noteDone(
  { journal, clock }: OperatorDeps,
  run: string,
  { id: action, key }: OfferedAction,
  by: string,
  did: boolean,
): Promise<Acted> {
  await noteAction(journal, run, { action, node: "", execution: 0, key, params: {}, by, at: clock.now() });
  return { run, did };
}

async function instruct(
  { journal, clock, due }: OperatorDeps,
  run: string,
  { node, execution, key }: OfferedAction,
  { action, params, by }: Instruction,
): Promise<Acted> {
  const did = await postAction(journal, run, { action, node, execution, key, params, by, at: clock.now() });
  due(run);
  return { run, did };
}
