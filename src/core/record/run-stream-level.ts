// How much an event of a run matters to a person who reads many of them. The rest follows from the table.

import type { RunStreamType } from "./run-stream-event.ts";

/** From little to much: a step, something that a person should know, a failure. */
export const RUN_EVENT_LEVELS = ["info", "warning", "error"] as const;
export type RunEventLevel = (typeof RUN_EVENT_LEVELS)[number];

const LEVELS: Readonly<Record<RunStreamType, RunEventLevel>> = {
  "run.started": "info",
  "node.started": "info",
  "node.phase": "info",
  "node.retrying": "warning",
  "node.failed": "error",
  "node.skipped": "warning",
  "node.completed": "info",
  "node.paused": "warning",
  "node.resumed": "info",
  "gate.paused": "warning",
  "gate.resumed": "info",
  "call.retrying": "warning",
  "call.switched": "warning",
  "call.regenerating": "warning",
  "cost.updated": "info",
  "budget.warning": "warning",
  "budget.paused": "warning",
  "run.paused": "warning",
  "run.resumed": "info",
  "run.instructed": "info",
  "run.timeout": "error",
  "run.completed": "info",
  "run.failed": "error",
  "run.cancelled": "warning",
  "run.superseded": "info",
};

export function levelOf({ type }: { readonly type: RunStreamType }): RunEventLevel {
  return LEVELS[type];
}
