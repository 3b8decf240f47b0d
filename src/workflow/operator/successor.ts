// What the successor of a failed run takes over: finished nodes keep their outputs, the failed node starts again, and the operator's
// instruction says what to do differently.

import { fault, FaultError, isFault } from "../../core/fault/fault.ts";
import { actionHas, type OfferedAction } from "../../core/flow/action.ts";
import type { Instruction, Visit } from "../../core/flow/visit.ts";
import type { Inheritance, RunLimits } from "../../core/flow/run-event.ts";
import { executionsOf, raisedLimits, type RunState } from "../../core/flow/run-state.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import { keepOutput, readInputs, readOutput, secretsOf, summaryOf } from "../advance/summary.ts";
import { createRedactor } from "../../core/fault/redact.ts";
import type { SessionState } from "../../core/record/replay.ts";
import { fieldOf } from "../../core/try-read.ts";
import { beginRun, type NewRun } from "../advance/held-run.ts";
import { failureFeedback, inheritInstructions } from "./instructions.ts";
import { summaryFor } from "../report/run-reports.ts";
import type { Acted, RunReport } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";

interface Succession {
  readonly inherited: Inheritance;
  readonly instruction: Instruction;
  readonly limits: RunLimits;
}

/** What the successor takes over from the failed run when this action is taken. */
function successionOf(
  state: RunState,
  { node, execution }: OfferedAction,
  instruction: Instruction,
  now: number,
): Succession {
  const failed = state.visits.findLast(
    (visit) => visit.node === node && (execution === 0 || visit.execution === execution),
  );
  if (failed === undefined) {
    const message = `the run has no visit of ${node} to continue from; show the run to see where it failed`;
    throw new FaultError(fault("NotFound", { message, context: { stage: node } }));
  }
  const limits = raisedLimits(state.limits, instruction.params);
  const to = instruction.params["to"];
  // Sibling paths that have ended stay ended and still decide the outcome; its own path starts again.
  const ends = state.ends.filter((end) => end.node !== node);
  const retried = { ...unstarted(failed, now), instruction };
  // Sent to another node: the failed visit stays failed, and the path continues from that node.
  const isSentBack = typeof to === "string";
  const visits = state.visits.map((visit) =>
    visit !== failed ? inheritedVisit(visit, now) : isSentBack ? finished(visit) : retried,
  );
  // The new visit takes the failed visit's place in the fan-out, if there is one, so that its path arrives at the join.
  if (isSentBack) visits.push({ ...retried, node: to, execution: executionsOf(state, to) + 1, kind: null });
  return { inherited: { visits, fans: state.fans, ends }, instruction, limits };
}

/** The outputs of the visits that stay, under the new run's name. */
async function inheritOutputs(
  journal: Journal,
  from: string,
  to: string,
  { visits }: Inheritance,
): Promise<readonly Keep[]> {
  const keeps: Keep[] = [];
  for (const visit of visits) {
    // An accepted partial output belongs to a visit that is still `ready`: the new run completes it with that output.
    if (visit.state === "ready" && !actionHas(visit.instruction?.action, "accepts-output")) continue;
    const output = await readOutput(journal, from, visit);
    if (output !== undefined) keeps.push(keepOutput(to, visit, output));
  }
  return keeps;
}

/** A finished visit stays finished. A visit that the failure stopped starts again beside the failed one. */
function inheritedVisit(visit: Visit, now: number): Visit {
  const isOver = visit.state === "completed" || visit.state === "failed" || visit.state === "skipped";
  return isOver && visit.skipped !== "sibling-failed" ? finished(visit) : unstarted(visit, now);
}

/** A finished visit in the new run. Its cost stays with the old run. */
function finished(visit: Visit): Visit {
  return { ...visit, inherited: true, spentMicrocents: 0, callAttempts: 0, pause: null, instruction: null };
}

/** As it was before its first attempt. */
function unstarted(visit: Visit, now: number): Visit {
  const fresh = {
    attempt: 1,
    of: 0,
    state: "ready",
    phase: null,
    notBefore: now,
    pause: null,
    instruction: null,
  } as const;
  return {
    ...visit,
    ...fresh,
    skipped: null,
    fault: null,
    startedAt: 0,
    endedAt: 0,
    callAttempts: 0,
    spentMicrocents: 0,
    targets: [],
    target: null,
    inherited: false,
  };
}

// Starts the successor that continues a failed run, at most one per run, and records it in the old run.

type Params = Readonly<Record<string, unknown>>;

export async function startSuccessor(
  deps: RunsDeps,
  report: RunReport,
  offered: OfferedAction,
  instruction: Instruction,
): Promise<Acted> {
  const { journal, clock, chance, library } = deps;
  const { summary, state } = report;
  const { run } = summary;
  const { node, execution, key } = offered;
  const chosen = { ...instruction, node, execution, key, at: clock.now(), successor: chance.newId("run") };
  // A run has at most one successor, however often an action was clicked.
  const isFirst = await journal.keepFirst({ kind: "action", key: `${run}/successor`, value: chosen });
  const successor = successorIn(isFirst ? chosen : await journal.kept("action", `${run}/successor`)) ?? run;
  const isThere = (await summaryFor(deps, successor)) !== null;
  if (!isThere) {
    // A process that crashed after it kept the choice has not started the run: this one does.
    const workflow = await library.get(state);
    const given = await withFeedback(deps, report, instruction, node);
    // Events show the redacted form. The exact words stay with the action, where the new run reads them.
    const redactor = createRedactor(await secretsOf(journal, run, workflow), deps.redactor);
    const shown = { ...instruction, params: redactor.value(given) as Params };
    const succession = successionOf(state, offered, shown, clock.now());
    const inputs = await readInputs(journal, run);
    const read = workflow.readInputs(inputs);
    const passedOn = isFault(read) ? { values: inputs, shown: {}, secret: {} } : read;
    const keeps: readonly Keep[] = [
      ...(await inheritOutputs(journal, run, successor, succession.inherited)),
      ...(await inheritInstructions(journal, run, state, successor)),
      { kind: "action", key: `${run}/${key}`, value: { ...chosen, successor } },
    ];
    const begun = { run: successor, workflow, inputs: passedOn, keeps, ...succession, start: [], predecessor: run };
    await beginUnlessThere(deps, begun);
  }
  await supersede(deps, run, successor);
  return { run: successor, did: isFirst };
}

/** Another process may have started the run at the same moment. */
async function beginUnlessThere(deps: RunsDeps, begun: NewRun): Promise<void> {
  try {
    await beginRun(deps, begun);
  } catch (error) {
    if ((await deps.journal.kept("run", begun.run)) === null) throw error;
  }
}

/** The run that an earlier click led to. Records it in the old run if a crash prevented that. */
export async function successorOf(deps: RunsDeps, run: string, taken: unknown): Promise<string> {
  const successor = successorIn(taken);
  if (successor !== null) await supersede(deps, run, successor);
  return successor ?? run;
}

/** The run an action led to; null when it stayed in the same run. */
function successorIn(kept: unknown): string | null {
  const successor = fieldOf(kept, "successor");
  return typeof successor === "string" ? successor : null;
}

/** Adds the failure's feedback for the actions that use it, and the node that gets the work back. */
async function withFeedback(
  { journal, library }: RunsDeps,
  { summary: { run }, state }: RunReport,
  { action, params }: Instruction,
  node: string,
): Promise<Params> {
  const isSentBack = actionHas(action, "sends-back");
  if (!isSentBack && !actionHas(action, "regenerates")) return params;
  // The new run has not seen the failure.
  const failed = state.visits.findLast((visit) => visit.node === node);
  const seen = failed?.fault ?? state.fault;
  if (!isSentBack) return { ...params, found: failureFeedback(seen, undefined) };
  const output = failed === undefined ? undefined : await readOutput(journal, run, failed);
  const to = (await library.get(state)).sendBackTo(node);
  return { ...params, found: failureFeedback(seen, output), to };
}

/** Records the successor in the old run, once. */
async function supersede({ faultline, reader, clock }: RunsDeps, run: string, successor: string): Promise<void> {
  const read = (): Promise<SessionState> => reader.read(run);
  await faultline.amendSession(read, ({ run: state, spending }) => {
    if (state?.successor !== null) return null;
    const summary = { ...summaryOf(run, state, spending.microcents, clock.now()), successor };
    return {
      events: [{ type: "run-superseded", successor }],
      keeps: [{ kind: "run", key: run, value: summary }],
    };
  });
}
