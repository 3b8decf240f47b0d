// The events of a run as watchers see them: types only. A public, versioned contract: fields and types may be added, none changes
// its meaning, and readers ignore those they do not know.

import type { FaultClass, FaultCode } from "../fault/catalogue.ts";
import type { FaultIssue } from "../fault/fault.ts";
import type { HeldReason } from "../flow/call.ts";
import type { AnswerSchema, InteractionKind, SelectOption } from "../flow/interaction.ts";
import type { Spending } from "../flow/money.ts";
import type { NodeKind, PauseReason, Resolution, SkipReason, StagePhase } from "../flow/visit.ts";
import type { RunLimits } from "../flow/run-event.ts";

export const RUN_STREAM_VERSION = 1;

/** What failed, in words for the person who uses the agent. No evidence, no cause, no text of a provider. */
export interface StreamFailure {
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly message: string;
  /** What to do now. */
  readonly next: string;
  /** The matrix's id, or the workflow's own word; null while it depends on how the node ends. */
  readonly outcome: string | null;
  /** `run/turn` or `run/turn/call`: finds the internal record. */
  readonly correlationId: string;
  /** Who failed, by the operator's own name: `east/llama-3`. Left out when the fault does not say. */
  readonly target?: string;
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
}

export interface StreamQuestion {
  readonly id: string;
  readonly kind: InteractionKind;
  readonly prompt: string;
  readonly options: readonly SelectOption[];
  /** JSON Schema of the answer, for a form, and what was wrong with the input it replaces; absent when neither is known. */
  readonly schema?: AnswerSchema;
  readonly issues?: readonly FaultIssue[];
  /** null: it waits without a time limit. */
  readonly expiresAt: number | null;
}

/** What the calls of one attempt did: the transport's redo, as against the workflow's, which is `attempt`. */
export interface AttemptWork {
  readonly callAttempts: number;
  readonly spentMicrocents: number;
}

/** Where a path goes: to nodes, or to its end under a name. */
export interface StreamRoute {
  readonly next: readonly string[];
  readonly end: string | null;
}

export interface RunStreamData {
  "run.started": {
    readonly workflow: string;
    readonly workflowVersion: string;
    readonly inputs: unknown;
    readonly start: readonly string[];
    readonly limits: RunLimits;
    readonly predecessor: string | null;
    /** Finished visits of that run, as `node#execution`. */
    readonly inherited: readonly string[];
    /** The action it was started by; null for a run of its own. */
    readonly action: string | null;
  };
  "node.started": { readonly kind: NodeKind };
  "node.phase": { readonly phase: StagePhase };
  "node.retrying": AttemptWork & {
    readonly nextAttempt: number;
    readonly of: number;
    readonly nextAt: number;
    /** It comes again behind the other nodes. */
    readonly deferred: boolean;
    readonly failure: StreamFailure;
  };
  "node.failed": AttemptWork & StreamRoute & { readonly resolution: Resolution; readonly failure: StreamFailure };
  "node.skipped": StreamRoute & { readonly reason: SkipReason; readonly failure: StreamFailure | null };
  "node.completed": AttemptWork & StreamRoute & { readonly output: unknown };
  "node.paused": {
    readonly why: PauseReason;
    readonly wakeAt: number | null;
    readonly questions: readonly StreamQuestion[];
    readonly failure: StreamFailure | null;
  };
  "node.resumed": { readonly why: PauseReason; readonly by: string };
  "gate.paused": { readonly questions: readonly StreamQuestion[]; readonly wakeAt: number | null };
  "gate.resumed": {
    readonly answer: "accepted" | "rejected" | "timeout" | null;
    /** Yes, no, or the id of an option; null for a text, which may be private. */
    readonly decision: boolean | string | null;
    readonly by: string;
  };
  "call.retrying": {
    readonly call: string;
    readonly target: string;
    /** The number of the call's coming attempt; each call counts from 1, independently of `attempt`. */
    readonly callAttempt: number;
    readonly of: number | null;
    readonly reason: FaultCode | HeldReason;
    readonly nextAt: number;
  };
  "call.switched": { readonly call: string; readonly from: string; readonly to: string; readonly why: FaultCode };
  /** An answer was not usable: the model is asked again and told what was wrong. */
  "call.regenerating": { readonly call: string; readonly target: string; readonly why: FaultCode };
  /** The spending of the whole run so far. */
  "cost.updated": Spending;
  "budget.warning": { readonly spentMicrocents: number; readonly maxCostMicrocents: number };
  "budget.paused": {
    readonly spentMicrocents: number;
    /** What the next attempt may cost. */
    readonly estimateMicrocents: number;
    readonly maxCostMicrocents: number;
    readonly questions: readonly StreamQuestion[];
  };
  "run.paused": { readonly why: PauseReason | "retry"; readonly wakeAt: number | null };
  "run.resumed": { readonly interrupted: readonly string[] };
  "run.instructed": { readonly action: string; readonly key: string; readonly by: string };
  "run.timeout": { readonly elapsedMs: number; readonly timeoutMs: number | null };
  "run.completed": Spending & { readonly outcome: string; readonly durationMs: number };
  "run.failed": Spending & {
    readonly outcome: string;
    readonly durationMs: number;
    /** Empty when none did. */
    readonly failedNode: string;
    readonly failure: StreamFailure | null;
  };
  "run.cancelled": Spending & { readonly outcome: string; readonly durationMs: number };
  "run.superseded": { readonly successor: string };
}

export type RunStreamType = keyof RunStreamData;

interface Envelope<Type extends RunStreamType> {
  readonly version: typeof RUN_STREAM_VERSION;
  /** From 1, without gaps, within the run. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly run: string;
  readonly type: Type;
  /** Empty for an event of the whole run. */
  readonly node: string;
  /** 0 for an event of the whole run. */
  readonly execution: number;
  /** The attempt of the node, which the workflow retries. 0 for an event of the whole run. */
  readonly attempt: number;
  /** `seq`: the journal's number of the entry that the event was made from. */
  readonly data: RunStreamData[Type] & { readonly seq: number };
}

/** An event of a run, as those who watch it get it. */
export type RunStreamEvent = { readonly [Type in RunStreamType]: Envelope<Type> }[RunStreamType];

// How much an event of a run matters to a person who reads many of them. The rest follows from the table.

/** From little to much: a step, something that a person should know, a failure. */
export const RUN_EVENT_LEVELS = ["info", "warning", "error"] as const;
type RunEventLevel = (typeof RUN_EVENT_LEVELS)[number];

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
