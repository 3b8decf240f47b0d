// A stage as its author writes it: the seven phases as functions, and what to do when an attempt fails. A node of a YAML workflow
// is compiled to a stage too; only stages run.

import type { FaultCode } from "../core/fault/catalogue.ts";
import type { Fault } from "../core/fault/fault.ts";
import type { Answer, QuestionPayload } from "../core/flow/interaction.ts";
import type { Instruction, NodeKind, Route } from "../core/flow/visit.ts";
import type { StageRules } from "../core/flow/stage.ts";
import type { Policy } from "../core/policy/policy.ts";
import type { Faultline } from "../faultline.ts";
import type { Turn } from "../runtime/session/turn.ts";

/** A visited node, as later nodes see it. */
export interface NodeResult {
  readonly status: "completed" | "failed" | "skipped";
  /** undefined if there is none. */
  readonly output: unknown;
  readonly execution: number;
  readonly attempts: number;
  /** What failed, reduced to what models may read; null if nothing did. */
  readonly fault: { readonly class: string; readonly code: FaultCode; readonly message: string } | null;
}

/** What a stage can see. Read-only. */
export interface StageScope {
  readonly run: string;
  readonly node: string;
  readonly execution: number;
  readonly attempt: number;
  /** The run's inputs, unmasked. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The last finished visit of each node, by id. Nodes on parallel paths are not included. */
  readonly nodes: Readonly<Record<string, NodeResult>>;
  /** How many times a node has been entered so far. */
  readonly executionsOf: (node: string) => number;
  /** The fault of the previous attempt; null for the first. */
  readonly lastFault: Fault | null;
  /** An operator's instruction for this attempt; null if there is none. */
  readonly instruction: Instruction | null;
}

/** What Act works with. Calls made through it are recorded, and answered from the journal after a crash. */
export interface ActTools {
  readonly faultline: Faultline;
  readonly turn: Turn;
  /** Fires when the attempt is cancelled. */
  readonly signal: AbortSignal;
  /** Rounds of the message loop that Act may make. */
  readonly turnCap: number;
  /** Asks a person. The wait is durable: the attempt resumes when the answer arrives. Allowed once per attempt. */
  readonly ask: (ask: GateQuestion) => Promise<Answer>;
  /** Raw output, for the file that is kept when the stage fails. */
  readonly raw: (text: string) => void;
  /** What this node's agent may still spend in this run; Infinity without a limit. */
  readonly budgetLeftMicrocents: () => number;
}

/** What a gate asks a person. */
export interface GateQuestion {
  readonly payload: QuestionPayload;
  /** null: no limit. */
  readonly timeoutMs: number | null;
}

/** What the Act phase of a stage came to. */
export interface ActResult {
  readonly output: unknown;
  /** The turn cap ended the message loop. A branch, not an error. */
  readonly capHit: boolean;
}

/** What the Act phase returns. Only stages with rounds say whether the turn cap ended them. */
export type ActReturn = Pick<ActResult, "output"> & Partial<ActResult>;

/** Whether a stage acts, is tried again, or is skipped. The reason of a retry becomes its fault; the run does not record the reason of a skip. */
export type GateVerdict =
  | { readonly verdict: "proceed" }
  | { readonly verdict: "retry" | "skip"; readonly reason: string };

/** What a stage makes of its own result. The run does not record the reason of a skip. */
export type AssertVerdict =
  | { readonly verdict: "ok" }
  | { readonly verdict: "skip"; readonly reason: string }
  /** `fault`: the fault to report. Default: created from the reason. */
  | { readonly verdict: "retry" | "fail"; readonly reason: string; readonly fault?: Fault };

/** How the stage ended, for Exit and Next. */
export interface StageEnding {
  readonly status: "completed" | "skipped" | "failed";
  readonly output: unknown;
  readonly capHit: boolean;
  /** null if completed. */
  readonly fault: Fault | null;
}

/** A stage with all defaults filled in. */
export interface Stage {
  readonly id: string;
  readonly kind: NodeKind;
  readonly rules: StageRules;
  readonly turnCap: number;
  /** Per attempt. */
  readonly timeoutMs: number;
  /** What its agent may cost in one run; 0: no limit. */
  readonly maxCostMicrocents: number;
  /** Selects the outcome ids for output faults of this stage; null for `coder` and everything else. */
  readonly role: "reviewer" | "tester" | null;
  /**
   * Why it cannot follow an operator's instruction; null if it can. Called before the action is taken, so it must have no
   * effects.
   */
  readonly refusal: (scope: StageScope) => Promise<Fault | null> | Fault | null;
  /** Fills the stage's context. No other phase may change it. */
  readonly setup: (scope: StageScope) => unknown;
  /** Composes the request; an exception fails the attempt. */
  readonly init: (context: unknown, scope: StageScope) => Promise<string> | string;
  readonly checkGate: (context: unknown, scope: StageScope) => Promise<GateVerdict> | GateVerdict;
  readonly act: (request: string, tools: ActTools, scope: StageScope, context: unknown) => Promise<ActReturn>;
  readonly assert: (result: ActResult, scope: StageScope, context: unknown) => Promise<AssertVerdict> | AssertVerdict;
  /** Teardown; returns the output that later nodes see. */
  readonly exit: (ending: StageEnding, scope: StageScope, context: unknown) => unknown;
  /** Where to go. For a failed stage, null lets its resolution policy decide. */
  readonly next: (ending: StageEnding, scope: StageScope) => Promise<Route | null> | Route | null;
}

/** What a run may use, with everything decided. */
export interface WorkflowLimits {
  readonly maxParallel: number;
  readonly maxNodes: number;
  readonly timeoutMs: number;
  readonly maxCostMicrocents: number;
  readonly onExceed: "warn" | "pause_for_approval" | "fail";
}

/** A workflow with all defaults filled in, written in TypeScript or in YAML. */
export interface Workflow {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** A hash of everything that defines it. */
  readonly digest: string;
  /** Its source text, kept in the journal so that a run can resume without the file; null for TypeScript. */
  readonly source: WorkflowSource | null;
  readonly limits: WorkflowLimits;
  /** Values that must not leave its runs, besides secret inputs: the keys of its providers. */
  readonly secrets: readonly string[];
  /** The policy for calls in its runs; null for the runtime's own. */
  readonly policy: Policy | null;
  readonly start: readonly string[];
  readonly stages: ReadonlyMap<string, Stage>;
  /** What people see of it before it runs. */
  readonly outline: WorkflowOutline;
  /** Reads the inputs of a run: returns them with defaults filled in, or a fault that names the wrong field. */
  readonly readInputs: (given: unknown) => WorkflowInputs | Fault;
  /** The target names of an agent node, in order; empty for every other node. */
  readonly targetsOf: (node: string) => readonly string[];
  /** The node that can fix a failure here (the coder); null if there is none. */
  readonly sendBackTo: (node: string) => string | null;
}

/** A workflow as people see it: what it takes, its nodes and where paths may lead. */
export interface WorkflowOutline {
  /** JSON Schema of its inputs, for a form; null when the workflow does not declare them. A secret one has `writeOnly`. */
  readonly inputs: Readonly<Record<string, unknown>> | null;
  readonly nodes: readonly OutlineNode[];
  /** Empty for a workflow written in TypeScript: its stages decide where to go. */
  readonly edges: readonly OutlineEdge[];
  readonly tools: readonly OutlineTool[];
}

/** A node of a workflow, as people see it. */
export interface OutlineNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** The targets of an agent, in order; empty for every other node. */
  readonly targets: readonly string[];
  /** The ids of the tools it can use. */
  readonly tools: readonly string[];
}

/** Where a path may lead. */
export interface OutlineEdge {
  readonly from: string;
  /** A node, or `end`. */
  readonly to: string;
  /** `branch` and `join`: of a parallel node. */
  readonly kind: "next" | "failure" | "case" | "branch" | "join";
  /** The expression or the name of the case; null for always. */
  readonly when: string | null;
  /** How often the node it leads to may be entered; null: without limit. */
  readonly max: number | null;
  /** The outcome of a run that ends here; empty for every other edge. */
  readonly outcome: string;
}

/** A tool that a workflow brings. */
export interface OutlineTool {
  readonly id: string;
  readonly kind: "command" | "mcp";
  readonly description: string;
  readonly idempotent: boolean;
  readonly optional: boolean;
  readonly timeoutMs: number;
  readonly alternatives: readonly string[];
}

/** The inputs of a run, and which of them are secret. */
export interface WorkflowInputs {
  readonly values: Readonly<Record<string, unknown>>;
  /** The same with secrets masked, for events and pages. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** The secret inputs alone. */
  readonly secret: Readonly<Record<string, unknown>>;
}

/** The text of a workflow file and of the files it names. */
export interface WorkflowSource {
  readonly file: string;
  readonly text: string;
  /** The files it refers to, by the name it uses. */
  readonly files: Readonly<Record<string, string>>;
  /** Present when its folder has files that apply to all workflows in it. */
  readonly defaults?: FolderDefaults;
}

/** Files of a folder that apply to every workflow in it, by their names. */
export interface FolderDefaults {
  /** The policy of workflows that set none. */
  readonly policy?: string;
  /** Tool manifests; what they say about a tool goes before what the workflow says. */
  readonly tools?: readonly string[];
}
