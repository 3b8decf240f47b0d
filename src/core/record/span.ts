// What a timeline is made of: types only.

import type { BreakerState } from "../decide/breaker.ts";
import type { Decision } from "../decide/decision.ts";
import type { Fault } from "../fault/fault.ts";
import type { NodeStatus } from "../flow/round.ts";
import type { Cost } from "../flow/money.ts";
import type { NodePlace, PauseReason, Resolution } from "../flow/visit.ts";

export type SpanKind = "turn" | "call" | "attempt" | "wait";

/** `interrupted`: its process died, and another one took over. */
export type SpanStatus = NodeStatus | "running" | "waiting" | "interrupted";

/** What a wait waits for. */
export type WaitReason =
  | "queue" //   a free slot
  | "retry" //   the time of the next attempt
  | "paused" //  the other side asked for a pause
  | "paced" //   its limit is nearly reached
  | Exclude<PauseReason, "question">
  | "question";

export interface Span {
  readonly id: string;
  /** The span it is a part of; null for a turn, and for a call outside turns. */
  readonly parent: string | null;
  readonly kind: SpanKind;
  /** The turn or the call it belongs to; of a wait outside of calls, the visit as `node#execution`. */
  readonly name: string;
  /** For the attempt of a run's node, and everything in it. */
  readonly place: NodePlace | null;
  readonly startAt: number;
  /** null while it lasts. */
  endAt: number | null;
  status: SpanStatus;
  readonly why: WaitReason | null;
  /** When a wait is meant to end; null when that is not known. */
  readonly until: number | null;
  /** For turns and calls; null: none. */
  deadlineAt: number | null;
  tool: string;
  /** The attempt of the call or of the node; 0 for everything else. */
  readonly attempt: number;
  /** False for a decision without an attempt: a guard refused it, or another call's failed attempt counted for it, too. */
  readonly attempted: boolean;
  fault: Fault | null;
  /** The fingerprint of the group of failures that counts this one; null for everything that is not counted. */
  group: string | null;
  decision: Decision | null;
  /** What a failed node's attempt led to; null for everything else. */
  resolution: Resolution | "retry" | null;
  /** Where the flow sent the failure of a node; empty for everything else. */
  sentTo: readonly string[];
  breaker: BreakerState | null;
  cost: Cost | null;
  artefacts: readonly KeptFile[];
  /** Shortened and redacted, for people; null if there is none. */
  input: unknown;
  output: unknown;
}

/** An output that is kept as a file. */
export interface KeptFile {
  readonly name: string;
  readonly ref: string;
  readonly bytes: number;
  readonly cut: boolean;
}

/** A step of a plan. */
export interface GraphNode {
  readonly id: string;
  readonly turn: string;
  readonly round: number;
  readonly node: string;
  readonly tool: string;
  readonly label: string;
  readonly status: SpanStatus | "unstarted";
  readonly fault: Fault | null;
  /** The id of the failed step that it needed; null if it ended for a reason of its own. */
  readonly because: string | null;
  /** The span of its call; null when it was never called. */
  readonly span: string | null;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `cascade`: the one ended because of the other. */
  readonly kind: "need" | "cascade";
}

/** A path of a run that went from one node to the next. */
export interface Move {
  readonly from: string;
  readonly execution: number;
  readonly to: string;
  readonly at: number;
}
