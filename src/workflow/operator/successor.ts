// What the successor of a failed run takes over: finished nodes keep their outputs, the failed node starts again, and the operator's
// instruction says what to do differently. `start-successor.ts` starts the run.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { OfferedAction } from "../../core/flow/action.ts";
import type { Instruction } from "../../core/flow/node.ts";
import type { Inheritance, RunLimits } from "../../core/flow/run-event.ts";
import { executionsOf, raisedLimits, type RunState } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import { keepOutput, readOutput } from "../advance/run-values.ts";

export interface Succession {
  readonly inherited: Inheritance;
  readonly instruction: Instruction;
  readonly limits: RunLimits;
}

/** What the successor takes over from the failed run when this action is taken. */
export function successionOf(
  state: RunState,
  { id, node, execution }: OfferedAction,
  params: Readonly<Record<string, unknown>>,
  by: string,
  now: number,
): Succession {
  const failed = state.visits.findLast(
    (visit) => visit.node === node && (execution === 0 || visit.execution === execution),
  );
  if (failed === undefined) {
    const message = `the run has no visit of ${node} to continue from; show the run to see where it failed`;
    throw new FaultError(fault("NotFound", { message, context: { stage: node } }));
  }
  const instruction = { action: id, params, by };
  const limits = raisedLimits(state.limits, params);
  const to = params["to"];
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

const ACCEPT = "accept-partial";

/** The outputs of the visits that stay, under the new run's name. */
export async function inheritOutputs(
  journal: Journal,
  from: string,
  to: string,
  { visits }: Inheritance,
): Promise<readonly Keep[]> {
  const keeps: Keep[] = [];
  for (const visit of visits) {
    // An accepted partial output belongs to a visit that is still `ready`: the new run completes it with that output.
    if (visit.state === "ready" && visit.instruction?.action !== ACCEPT) continue;
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
