// Nodes of a run: their kinds, one visit of a node, and the fan-outs around it. These are the parts of a run's state.

import type { FaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { HeldReason } from "./call.ts";
import type { Question } from "./interaction.ts";

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
type CallWait = VisitCall & { readonly nextAt: number };

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
  /** The `path` of the node that fanned out. The join has it again. */
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

// The words of a run: what a node is, where it stands, where a path goes from it. Plain types and lists, no behaviour but names.

/** What a node is; a stage written in TypeScript is a `stage`. */
export const NODE_KINDS = [
  "agent",
  "command",
  "tool",
  "human_gate",
  "condition",
  "transform",
  "parallel",
  "merge",
  "stage",
] as const;
/** The kinds of nodes a workflow has. */
export type NodeKind = (typeof NODE_KINDS)[number];

interface NodeTraits {
  /** Its work is a text, which a person may replace: a prompt, or command lines. A stage in TypeScript receives it and may follow it. */
  readonly takesText: boolean;
  /** It runs commands of an allow-list: more of them can be allowed, and the last one that ran is what failed. */
  readonly runsCommands: boolean;
  /** Its output is a person's answer, so there is no part of it to accept. */
  readonly asksPerson: boolean;
}

const PLAIN: NodeTraits = { takesText: false, runsCommands: false, asksPerson: false };

const NODE_TRAITS: Readonly<Record<NodeKind, NodeTraits>> = {
  agent: { ...PLAIN, takesText: true },
  command: { ...PLAIN, takesText: true, runsCommands: true },
  tool: PLAIN,
  human_gate: { ...PLAIN, asksPerson: true },
  condition: PLAIN,
  transform: PLAIN,
  parallel: PLAIN,
  merge: PLAIN,
  stage: { ...PLAIN, takesText: true },
};

/** A node that was never begun has no kind yet: its text may be given, as for a stage. */
export function nodeTraits(kind: NodeKind | null): NodeTraits {
  return NODE_TRAITS[kind ?? "stage"];
}

/** The phases of an attempt, in their order. */
export const STAGE_PHASES = ["setup", "init", "check-gate", "act", "assert", "exit", "next"] as const;
export type StagePhase = (typeof STAGE_PHASES)[number];

/** One attempt of one visit of a node. */
export interface NodePlace {
  readonly node: string;
  /** How often the node has been entered, this time included: the round of a loop. */
  readonly execution: number;
  /** Workflow-level tries within this visit; what a call retries by itself is counted by the call. */
  readonly attempt: number;
}

/** Where a path goes when a node is over. */
export type Route =
  | { readonly kind: "to"; readonly nodes: readonly string[] }
  | {
      /** Paths that run side by side and meet again at `join`. */
      readonly kind: "fan";
      readonly nodes: readonly string[];
      readonly join: string;
      /** A failing branch stops the others. */
      readonly failFast: boolean;
    }
  /** This path is over; `outcome` names how, for the run it belongs to. */
  | { readonly kind: "end"; readonly outcome: string };

/** What to do about a node that has failed for good: its resolution policy. */
export const RESOLUTIONS = ["skip", "retry-later", "abort-workflow"] as const;
/** What happens to a run when one of its nodes has failed for good. */
export type Resolution = (typeof RESOLUTIONS)[number];

export type PauseReason =
  | "gate" //     a human gate
  | "question" // a call asks a person
  | "parked" //   a limit lifts at a known time
  | "budget" //   the money is used up, and a person may raise the limit
  | "stopped"; // a person stopped the process that ran it; it continues when a person resumes the run

export type SkipReason =
  | "gate" //           its own CheckGate or Assert said so
  | "resolution" //     it failed, and its resolution policy is to continue without it
  | "sibling-failed" // stopped, because a path beside it failed
  | "operator"; //      a person chose to continue without it

/** An operator's instruction for the node's next attempt. */
export interface Instruction {
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly by: string;
}

/** The target an operator has switched to; null when they have not. */
export function switchedTo(instruction: Instruction | null): string | null {
  const target = instruction?.params["target"];
  return typeof target === "string" ? target : null;
}

/** The place of a visit or an event, without its other fields. */
export function placeIn({ node, execution, attempt }: NodePlace): NodePlace {
  return { node, execution, attempt };
}

/** The name of a node's attempt as a turn of its session. */
export function turnOf({ node, execution, attempt }: NodePlace): string {
  return `${node}#${execution}.${attempt}`;
}

/** The node, visit and attempt a turn belongs to; null for a turn that is not an attempt. */
export function placeOf(turn: string): NodePlace | null {
  const found = /^(.+)#(\d+)\.(\d+)$/.exec(turn);
  if (found === null) return null;
  const [, node = "", execution, attempt] = found;
  return { node, execution: Number(execution), attempt: Number(attempt) };
}
