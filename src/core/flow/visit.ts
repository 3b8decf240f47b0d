// One visit of a node, and the fan-outs around it: the parts of a run's state.

import type { FaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { HeldReason } from "./call.ts";
import type { Question } from "./interaction.ts";
import type { Instruction, NodeKind, PauseReason, SkipReason, StagePhase } from "./node.ts";

export type VisitState =
  | "ready"
  | "running"
  | "paused"
  | "completed"
  | "failed"
  | "skipped"
  /** It had begun, or was about to, when its run ended. */
  | "cancelled";

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
  /** Where its path has parted from others, outermost first, as `node#execution.branch`; left out by older programs. */
  readonly path?: readonly string[];
  /** Why it was passed over; null when it was not. */
  skipped: SkipReason | null;
  /** The last failure. */
  fault: Fault | null;
  instruction: Instruction | null;
  startedAt: number;
  endedAt: number;
  /** Attempts of its calls, added up; `attempt` counts those of the visit. */
  callAttempts: number;
  spentMicrocents: number;
  /** The targets that its agent can ask; left out for nodes that ask none. */
  targets?: readonly string[];
  /** The target that was asked last: of a visit that succeeded, the one that answered. */
  target?: string | null;
  /** Calls of the attempt that runs which are not over, by id; left out by older programs. */
  calls?: Readonly<Record<string, VisitCall>>;
  inherited: boolean;
}

/** A call of a visit that is not over. */
export interface VisitCall {
  /** The target or tool in charge. */
  readonly target: string;
  /** The attempt that runs, or the one after the wait … */
  readonly attempt: number;
  /** … of so many; null until a retry has said it. */
  readonly of: number | null;
  /** What its last attempt failed with; null for none. */
  readonly code: FaultCode | null;
  /** Why its next attempt is held back; null when it waits because of a failure. */
  readonly held: HeldReason | null;
  /** When its next attempt begins; null while one runs. */
  readonly nextAt: number | null;
}

/** A wait in which nothing of the visit works. */
export type CallWait = VisitCall & { readonly nextAt: number };

/** What a visit waits for although it runs: all its calls wait. The one that continues first; null when something works. */
export function callWaitOf({ state, calls = {} }: Pick<Visit, "state" | "calls">, now: number): CallWait | null {
  const all = state === "running" ? Object.values(calls) : [];
  const waits = all.filter((call): call is CallWait => call.nextAt !== null && call.nextAt > now);
  if (waits.length < all.length) return null;
  return waits.toSorted((one, other) => one.nextAt - other.nextAt)[0] ?? null;
}

/** Paths that run side by side until they meet again. */
export interface Fan {
  readonly join: string;
  readonly failFast: boolean;
  /** The enclosing fan-out. */
  readonly outer: string;
  /** Paths that have not arrived. */
  open: number;
  /** Of the node that fanned out, and of the join again. */
  readonly path?: readonly string[];
}

/** It may still do something: one that is over stays over. */
export function isOpen({ state }: Pick<Visit, "state">): boolean {
  return state === "ready" || state === "running" || state === "paused";
}

/** Whether two visits may run at the same time: their paths parted at the same fork and have not met again. */
export function isBeside({ path: one = [] }: Pick<Visit, "path">, { path: other = [] }: Pick<Visit, "path">): boolean {
  const parted = one.findIndex((branch, index) => branch !== other[index]);
  const [mine, theirs] = [one[parted], other[parted]];
  // Forks on one path follow each other: paths that parted at an earlier fork have met again before the later one.
  return mine !== undefined && theirs !== undefined && forkOf(mine) === forkOf(theirs);
}

function forkOf(branch: string): string {
  return branch.slice(0, branch.lastIndexOf("."));
}
