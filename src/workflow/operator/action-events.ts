// Turns a posted action into the events that carry it out. Most actions give the node another attempt. `send-back` ends the
// waiting node as failed and starts another node with the feedback about that failure.

import { matrixOutcome } from "../../core/fault/vocabulary.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import { executionsOf, type RunState, visitOf } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import { failureFeedback } from "../advance/failure-feedback.ts";
import type { PostedAction } from "./posted-actions.ts";
import type { Workflow } from "../../workflow-model/stage.ts";

export function eventsOf(
  posted: PostedAction,
  state: RunState,
  workflow: Pick<Workflow, "stages">,
  output: unknown,
): readonly RunEvent[] {
  const { action, node, execution, key, params, by } = posted;
  const instructed = { type: "run-instructed", action, node, execution, key, params, by } as const;
  if (params["resume"] === true) return [instructed, ...stoppedVisits(state).map((visit) => resumed(visit, by))];
  const visit = visitOf(state, posted);
  const { to } = params;
  if (typeof to !== "string" || visit === undefined || !isWaiting(visit) || visit.fault === null) return [instructed];
  const stage = workflow.stages.get(node);
  const failed: RunEvent = {
    type: "node-failed",
    node,
    execution,
    // A ready visit has its next attempt ahead: the attempt before it is the one that failed.
    attempt: Math.max(1, visit.state === "ready" ? visit.attempt - 1 : visit.attempt),
    fault: visit.fault,
    outcome: matrixOutcome(visit.fault.code, stage?.role ?? "coder"),
    resolution: stage?.rules.resolution ?? "abort-workflow",
    route: { kind: "to", nodes: [to] },
  };
  const found = failureFeedback(visit.fault, output);
  const next = { node: to, execution: executionsOf(state, to) + 1, params: { ...params, found } };
  return [failed, { ...instructed, ...next }];
}

/** Visits that were running when a person stopped their process. */
export function stoppedVisits({ visits }: Pick<RunState, "visits">): readonly Visit[] {
  return visits.filter(({ pause }) => pause?.why === "stopped");
}

function resumed({ node, execution, attempt }: Visit, by: string): RunEvent {
  return { type: "node-resumed", node, execution, attempt, why: "stopped", answer: null, by };
}

function isWaiting({ state }: Visit): boolean {
  return state === "paused" || state === "ready";
}
