// What happens in a run, for those who watch it: one typed, versioned stream without gaps, made from its journal entries.

export const RUN_STREAM_VERSION = 1;

export const RUN_STREAM_TYPES = [
  "run.started",
  "node.started",
  "node.phase",
  "node.retrying",
  "node.failed",
  "node.skipped",
  "node.completed",
  "node.paused",
  "node.resumed",
  "gate.paused",
  "gate.resumed",
  "call.retrying",
  "call.switched",
  "cost.updated",
  "budget.warning",
  "budget.paused",
  "run.paused",
  "run.resumed",
  "run.instructed",
  "run.timeout",
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.superseded",
] as const;
export type RunStreamType = (typeof RUN_STREAM_TYPES)[number];

/** One event of a run. Readers ignore types and fields they do not know. */
export interface RunStreamEvent {
  readonly version: typeof RUN_STREAM_VERSION;
  /** From 1, without gaps, within the run. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly run: string;
  readonly type: RunStreamType;
  /** Empty for an event of the whole run. */
  readonly node: string;
  /** 0 for an event of the whole run. */
  readonly execution: number;
  /** Of the node: what the workflow redoes. 0 for an event of the whole run. */
  readonly attempt: number;
  /** The journal's number of the entry it was made from: `read(run, seq)` gives what comes after. */
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}
