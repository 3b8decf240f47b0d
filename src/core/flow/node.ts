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

/** The name of a node's attempt as a turn of its session. */
export function turnOf({ node, execution, attempt }: NodePlace): string {
  return `${node}#${execution}.${attempt}`;
}

/** The node, visit and attempt a turn belongs to; null for a turn that is no attempt. */
export function placeOf(turn: string): NodePlace | null {
  const found = /^(.+)#(\d+)\.(\d+)$/.exec(turn);
  if (found === null) return null;
  const [, node = "", execution, attempt] = found;
  return { node, execution: Number(execution), attempt: Number(attempt) };
}
