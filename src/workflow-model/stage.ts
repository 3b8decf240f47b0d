// A stage as its author writes it: the seven phases as functions, and what is to be done when an attempt fails. A node of a
// YAML workflow is one of these too; nothing runs that is not a stage.

import type { FaultCode } from "../core/fault/catalogue.ts";
import type { Fault } from "../core/fault/fault.ts";
import type { Answer, QuestionPayload } from "../core/flow/interaction.ts";
import type { Instruction, NodeKind, Route } from "../core/flow/node.ts";
import type { StageRules } from "../core/flow/stage.ts";
import type { Policy } from "../core/policy/policy.ts";
import type { Faultline } from "../faultline.ts";
import type { Turn } from "../runtime/session/turn.ts";

/** A node that has been visited, as the nodes after it see it. */
export interface NodeResult {
  readonly status: "completed" | "failed" | "skipped";
  /** undefined when there is none. */
  readonly output: unknown;
  readonly execution: number;
  readonly attempts: number;
  /** What failed, without what is not for models; null when nothing did. */
  readonly fault: { readonly class: string; readonly code: FaultCode; readonly message: string } | null;
}

/** What a stage can see: read only. */
export interface StageScope {
  readonly run: string;
  readonly node: string;
  readonly execution: number;
  readonly attempt: number;
  /** Of the run, exact. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The last visit of each node that is over, by its id; not of those on paths that run beside this one. */
  readonly nodes: Readonly<Record<string, NodeResult>>;
  /** How often a node has been entered so far. */
  readonly executionsOf: (node: string) => number;
  /** What the attempt before this one failed with; null for the first. */
  readonly lastFault: Fault | null;
  /** What an operator wants to be different this time; null when nobody said anything. */
  readonly instruction: Instruction | null;
}

/** What Act works with. Calls made through it are written down, and answered from the journal after a crash. */
export interface ActTools {
  readonly faultline: Faultline;
  readonly turn: Turn;
  /** Fires when the attempt is given up. */
  readonly signal: AbortSignal;
  /** Rounds of the message loop that Act may make. */
  readonly turnCap: number;
  /** Puts a question and waits for it outside of memory: the attempt goes on when it is answered. Once in an attempt. */
  readonly ask: (ask: GateQuestion) => Promise<Answer>;
  /** Raw output, for the file that is kept when the stage fails. */
  readonly raw: (text: string) => void;
  /** Money this node's agent may spend in this run, what it spent before taken off; Infinity without a limit. */
  readonly budgetLeftMicrocents: () => number;
}

export interface GateQuestion {
  readonly payload: QuestionPayload;
  /** null: as long as it takes. */
  readonly timeoutMs: number | null;
}

export interface ActResult {
  readonly output: unknown;
  /** The message loop was ended by the turn cap: a branch, and no error. */
  readonly capHit: boolean;
}

export type GateVerdict =
  | { readonly verdict: "proceed" }
  | { readonly verdict: "retry" | "skip"; readonly reason: string };

export type AssertVerdict =
  | { readonly verdict: "ok" }
  | { readonly verdict: "skip"; readonly reason: string }
  /** `fault`: what is told about it; made from the reason when left out. */
  | { readonly verdict: "retry" | "fail"; readonly reason: string; readonly fault?: Fault };

/** How the stage ended, for Exit and Next. */
export interface StageEnding {
  readonly status: "completed" | "skipped" | "failed";
  readonly output: unknown;
  readonly capHit: boolean;
  /** null when completed. */
  readonly fault: Fault | null;
}

/** A stage with everything decided. */
export interface Stage {
  readonly id: string;
  readonly kind: NodeKind;
  readonly rules: StageRules;
  readonly turnCap: number;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Of its agent in one run; 0 without bound. */
  readonly maxCostMicrocents: number;
  /** Whose outcome ids an output fault of this stage gets; null for `coder` and everything else. */
  readonly role: "reviewer" | "tester" | null;
  /** What keeps it from doing what an operator told it, `instruction`: asked before the action is taken, so it must do nothing. null: nothing. */
  readonly refusal: (scope: StageScope) => Promise<Fault | null> | Fault | null;
  /** Fills the stage's context: the only phase that may. */
  readonly setup: (scope: StageScope) => unknown;
  /** Composes the request; what it throws fails the attempt. */
  readonly init: (context: unknown, scope: StageScope) => Promise<string> | string;
  readonly checkGate: (context: unknown, scope: StageScope) => Promise<GateVerdict> | GateVerdict;
  readonly act: (request: string, tools: ActTools, scope: StageScope, context: unknown) => Promise<ActResult>;
  readonly assert: (result: ActResult, scope: StageScope, context: unknown) => Promise<AssertVerdict> | AssertVerdict;
  /** Teardown, and the output as the nodes after it see it. */
  readonly exit: (ending: StageEnding, scope: StageScope, context: unknown) => unknown;
  /** Where to go; null for a failed stage lets its resolution policy decide. */
  readonly next: (ending: StageEnding, scope: StageScope) => Promise<Route | null> | Route | null;
}

export interface WorkflowLimits {
  readonly maxParallel: number;
  readonly maxNodes: number;
  readonly timeoutMs: number;
  readonly maxCostMicrocents: number;
  readonly onExceed: "warn" | "pause_for_approval" | "fail";
}

/** A workflow with everything decided, whether it was written in TypeScript or in YAML. */
export interface Workflow {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** Of all that makes it what it is. */
  readonly digest: string;
  /** The text it was read from, kept in the journal so that a run can go on without the file; null for TypeScript. */
  readonly source: WorkflowSource | null;
  readonly limits: WorkflowLimits;
  /** Values that must not get out of its runs, besides secret inputs: the keys of its providers. */
  readonly secrets: readonly string[];
  /** The policy for the calls of its runs; null for the runtime's own. */
  readonly policy: Policy | null;
  readonly start: readonly string[];
  readonly stages: ReadonlyMap<string, Stage>;
  /** Reads the inputs of a run: a fault that names the field, or the inputs with what was left out filled in. */
  readonly readInputs: (given: unknown) => WorkflowInputs | Fault;
  /** The targets of an agent node by name, in their order; empty for every other node. */
  readonly targetsOf: (node: string) => readonly string[];
  /** The node that can put right what failed here, the coder; null when there is none. */
  readonly sendBackTo: (node: string) => string | null;
}

export interface WorkflowInputs {
  readonly values: Readonly<Record<string, unknown>>;
  /** The same, with secret ones masked: for events and pages. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** The secret ones alone. */
  readonly secret: Readonly<Record<string, unknown>>;
}

export interface WorkflowSource {
  readonly file: string;
  readonly text: string;
  /** The files it refers to, by the name it uses. */
  readonly files: Readonly<Record<string, string>>;
}
