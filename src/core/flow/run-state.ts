// The state of a run, and the small questions that are asked of it.

import type { Fault } from "../fault/fault.ts";
import type { NodePlace } from "./node.ts";
import type { PathEnd, RunLimits } from "./run-event.ts";
import type { Fan, Visit } from "./visit.ts";

export type RunStatus = "running" | "paused" | "completed" | "failed" | "cancelled";

/** Folded in place, like the session it belongs to. Plain data: a snapshot is a copy. */
export interface RunState {
  readonly workflow: string;
  readonly version: string;
  digest: string;
  readonly file: string | null;
  limits: RunLimits;
  readonly predecessor: string | null;
  successor: string | null;
  status: RunStatus;
  outcome: string;
  /** What ended it, and where. */
  fault: Fault | null;
  failedNode: string;
  startedAt: number;
  endedAt: number;
  /** In the order in which they were entered; ready visits in the order in which they will run. */
  visits: Visit[];
  fans: Record<string, Fan>;
  /** Paths that have ended. */
  ends: PathEnd[];
  /** Keys of actions that were taken. */
  actions: string[];
  /** A person wants it to end. */
  cancelledBy: string | null;
  /** The visit it fails because of: nothing is begun any more, and the end is written when everything has stopped. */
  failing: { readonly node: string; readonly execution: number; readonly outcome: string } | null;
}

export function isEnded({ status }: Pick<RunState, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function visitOf(state: RunState, { node, execution }: Omit<NodePlace, "attempt">): Visit | undefined {
  return state.visits.findLast((visit) => visit.node === node && visit.execution === execution);
}

/** How often the node has been entered so far. */
export function executionsOf({ visits }: Pick<RunState, "visits">, node: string): number {
  return visits.reduce((most, visit) => (visit.node === node ? Math.max(most, visit.execution) : most), 0);
}

export function keyOf({ node, execution }: Pick<Visit, "node" | "execution">): string {
  return `${node}#${execution}`;
}

/** The limits with an operator's changes. Limits of a stage are left to the stage. */
export function raisedLimits(limits: RunLimits, params: Readonly<Record<string, unknown>>): RunLimits {
  const { maxParallel, maxNodes, timeoutMs, maxCostMicrocents } = {
    ...limits,
    ...(params["limits"] as Partial<RunLimits> | undefined),
  };
  return { maxParallel, maxNodes, timeoutMs, maxCostMicrocents };
}
