// One visit of a node, and the fan-outs its path may stand in: the parts a run's state is made of.

import type { Fault } from "../fault/fault.ts";
import type { Question } from "./interaction.ts";
import type { Instruction, NodeKind, PauseReason, SkipReason, StagePhase } from "./node.ts";

export type VisitState = "ready" | "running" | "paused" | "completed" | "failed" | "skipped";

/** One visit of a node. */
export interface Visit {
  readonly node: string;
  readonly execution: number;
  kind: NodeKind | null;
  attempt: number;
  /** How many attempts it may have; 0 until that was said. */
  of: number;
  state: VisitState;
  phase: StagePhase | null;
  /** Not started, or started again, before this. */
  notBefore: number;
  pause: { readonly why: PauseReason; readonly questions: readonly Question[]; readonly wakeAt: number | null } | null;
  /** The fan-out its path belongs to; empty for the main path. */
  readonly fan: string;
  /** Why it was passed over; null when it was not. */
  skipped: SkipReason | null;
  /** What failed last. */
  fault: Fault | null;
  instruction: Instruction | null;
  startedAt: number;
  endedAt: number;
  /** Attempts of calls, all together: what the transport did, as against `attempt`. */
  callAttempts: number;
  spentMicrocents: number;
  inherited: boolean;
}

/** Paths that run side by side until they meet again. */
export interface Fan {
  readonly join: string;
  readonly failFast: boolean;
  /** The fan-out this one stands in. */
  readonly outer: string;
  /** Paths that have not arrived. */
  open: number;
}
