// The records of a turn trace, for programs that read them: names and units are fixed. `ToolError` has every field of the
// tool error handling specification under the specification's name.

import type { BreakerState } from "../decide/breaker.ts";
import type { Decision } from "../decide/decision.ts";
import type { SiClass } from "../fault/vocabulary.ts";
import type { Cost } from "../flow/money.ts";
import type { TurnStatus } from "./event.ts";

export interface TracePlace {
  readonly timestamp: string;
  readonly session_id: string;
  readonly seq: number;
  /** null for what belongs to no turn, no call, no tool, or to one whose beginning is not among the entries. */
  readonly turn_id: string | null;
  readonly call_id: string | null;
  readonly tool_id: string | null;
}

export interface TracedFault {
  readonly error: string;
  readonly class: string;
  readonly code: string;
}

/** Fields of each kind of record, besides those of its place. */
interface Details {
  readonly ToolError: TracedFault & {
    readonly tool_id: string;
    readonly classification: SiClass;
    readonly circuit_breaker_state: BreakerState;
    /** How often it was tried again before this. */
    readonly retry_count: number;
    readonly decision: Decision["recourse"];
    readonly attempt: number;
    /** False when the fault came before an attempt could start, or was decided about once more. */
    readonly attempted: boolean;
    /** The rule that named the fault, and the row of the policy that spoke. */
    readonly rule: string;
    readonly policy_row: string;
    /** The decision, and why the other recourses were rejected. */
    readonly because: readonly string[];
    readonly delay_ms: number | null;
    readonly next_at: string | null;
    readonly duration_ms: number | null;
    readonly cost: Cost | null;
  };
  readonly ToolSucceeded: {
    readonly attempt: number;
    readonly retry_count: number;
    readonly duration_ms: number;
    readonly cost: Cost | null;
    /** Items of a partial result that failed. */
    readonly item_errors: number;
  };
  readonly ToolCancelled: TracedFault;
  readonly LateResult: {
    readonly ok: boolean;
    readonly error: string | null;
    readonly attempt: number;
    readonly duration_ms: number;
    readonly cost: Cost | null;
  };
  /** A node that ended without running because of another one … */
  readonly CascadeSkip: Unrun;
  readonly CascadeDefault: Unrun;
  readonly CascadeFail: Unrun;
  /** … or because the time was up, or the turn cancelled. */
  readonly NodeSkipped: Unrun;
  readonly NodeDefaulted: Unrun;
  readonly NodeFailed: Unrun;
  readonly QuestionAsked: {
    readonly question_id: string;
    readonly kind: string;
    readonly prompt: string;
    /** null: it waits without a time limit. */
    readonly expires_at: string | null;
  };
  readonly QuestionAnswered: { readonly question_id: string; readonly answer: string; readonly by: string };
  readonly BreakerChanged: { readonly from: BreakerState; readonly to: BreakerState };
  readonly RequestAdapted: { readonly changes: readonly string[] };
  readonly CallHeld: { readonly reason: string; readonly until: string };
  readonly TargetPaused: { readonly target: string; readonly until: string };
  readonly BudgetWarned: { readonly spent_microcents: number; readonly max_cost_microcents: number };
  readonly BudgetExceeded: {
    readonly spent_microcents: number;
    readonly reserved_microcents: number;
    readonly estimate_microcents: number;
    readonly max_cost_microcents: number;
  };
  readonly FaultSuppressed: TracedFault & { readonly reason: string };
  readonly TurnEnded: { readonly status: TurnStatus; readonly error: string | null };
}

interface Unrun extends TracedFault {
  readonly node: string;
  /** The node it needed; null when time or cancellation ended it. */
  readonly needs: string | null;
}

export type TraceRecordOf<Type extends keyof Details> = TracePlace & { readonly event_type: Type } & Details[Type];
export type TraceEventType = keyof Details;
/** One record of a trace. */
export type TraceRecord = { [Type in TraceEventType]: TraceRecordOf<Type> }[TraceEventType];
