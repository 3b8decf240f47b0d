// What a node of a workflow is made from: plain data, everything decided, checked before. `node-stages.ts` turns each into a
// stage; the YAML reader and a program that builds workflows by hand both end up here.

import type { GivenEnv } from "../agent/process/child-env.ts";
import type { ModelDetail } from "../core/fault/view.ts";
import type { StageRules } from "../core/flow/stage.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** Where a path may go. The first edge that may be taken is. */
export interface Edge {
  /** A node, or "end". */
  readonly to: string;
  /** An expression; null for always. */
  readonly when: string | null;
  /** The node may be entered this often in all; then the edge is closed. Infinity for an edge that leads forward. */
  readonly max: number;
  /** Names how the run ended, for `end`; empty for the workflow's own word. */
  readonly outcome: string;
}

export interface NodeBase {
  readonly id: string;
  readonly rules: StageRules;
  readonly timeoutMs: number;
  readonly role: "coder" | "reviewer" | "tester" | null;
  /** CheckGate: the node is passed over when this expression is false; null for always in. */
  readonly onlyIf: string | null;
  /** Assert: expressions that must be true of `output`; the reason is told when one is not. */
  readonly asserts: readonly {
    readonly expression: string;
    readonly reason: string;
    readonly verdict: "retry" | "fail";
  }[];
  readonly next: readonly Edge[];
  /** For a node that has failed for good; when none may be taken its resolution policy decides. */
  readonly onFailure: readonly Edge[];
}

export type AgentTarget =
  | {
      readonly kind: "model";
      /** What the workflow calls the provider, as in `east/llama-3`; empty: as `provider` is called. */
      readonly name: string;
      /** A provider that `providers.ts` knows: openai, anthropic, google, openai-compatible … */
      readonly provider: string;
      readonly model: string;
      /** Empty: the provider's own. */
      readonly baseUrl: string;
      /** The environment variable that holds the key; empty: the provider's own. */
      readonly apiKeyEnv: string;
    }
  | {
      readonly kind: "cli";
      /** claude, codex, gemini, opencode, qwen, goose, or generic. */
      readonly cli: string;
      /** Empty: the CLI's own name. */
      readonly command: string;
      readonly args: readonly string[];
      readonly model: string;
    };

export interface AgentSpec {
  readonly id: string;
  /** The first answers; the others stand in for it. */
  readonly targets: readonly AgentTarget[];
  /** A template; empty for none. */
  readonly system: string;
  readonly outputSchema: JsonSchema | null;
  /** What its CLIs get of the environment besides what each of them needs. */
  readonly env: GivenEnv;
  /** Tools its message loop may use, by id. */
  readonly tools: readonly string[];
  readonly turnCap: number;
  /** What a message loop that used all its rounds is: tried again, good as it is, or failed. */
  readonly onCap: "retry" | "accept" | "fail";
  /** When a model is told that it repeats a failing tool call, and when it is stopped. The runtime's own numbers where left out. */
  readonly repeatedFailures: { readonly tellAfter?: number; readonly stopAfter?: number };
  /** 0: without bound. */
  readonly maxCostMicrocents: number;
  readonly maxOutputTokens: number;
  readonly stream: boolean;
}

/** Which commands may run. Nothing in it: nothing may. */
export interface AllowList {
  /** Exactly these, or with these words at their beginning when they end in ` *`. */
  readonly commands: readonly string[];
}

export type NodeOptions =
  | (NodeBase & { readonly kind: "agent"; readonly agent: AgentSpec; readonly prompt: string })
  | (NodeBase & {
      readonly kind: "command";
      /** Command lines as templates; or an expression that gives a list of them. */
      readonly run: { readonly lines: readonly string[] } | { readonly from: string };
      readonly allow: AllowList;
      /** What its commands get of the environment. */
      readonly env: GivenEnv;
      readonly cwd: string;
      /** Of each command. */
      readonly commandTimeoutMs: number;
      /** What a command that ends with another code than 0 is: a failed test, or a failed execution. */
      readonly failsAs: "TestsFailed" | "ExecutionFailed";
      /** The same command that failed in the visit before fails for good. */
      readonly stopWhenRepeated: boolean;
    })
  | (NodeBase & { readonly kind: "tool"; readonly tool: string; readonly input: unknown })
  | (NodeBase & {
      readonly kind: "human_gate";
      readonly ask: "Approve" | "Confirm" | "Select" | "Ask";
      /** A template. */
      readonly prompt: string;
      readonly options: readonly { readonly id: string; readonly label: string }[];
      /** null: as long as it takes. */
      readonly gateTimeoutMs: number | null;
      readonly onTimeout: "reject" | "approve";
    })
  | (NodeBase & {
      readonly kind: "condition";
      /** Gives true or false, or the name of a case. */
      readonly expression: string;
      readonly cases: Readonly<Record<string, Edge>>;
    })
  | (NodeBase & { readonly kind: "transform"; readonly expression: string })
  | (NodeBase & {
      readonly kind: "parallel";
      readonly branches: readonly string[];
      readonly join: string;
      readonly failFast: boolean;
    })
  | (NodeBase & { readonly kind: "merge"; readonly expression: string | null });

/** A tool a workflow brings itself. */
export interface ToolSpec {
  readonly id: string;
  readonly description: string;
  readonly input: JsonSchema | null;
  readonly run:
    | { readonly kind: "command"; readonly command: string; readonly args: readonly string[]; readonly env: GivenEnv }
    /** A tool of an MCP server: started by its command, or reached at its address. */
    | { readonly kind: "mcp"; readonly server: McpServerSpec; readonly tool: string };
  readonly idempotent: boolean;
  /** How much of what it said when it failed a model may read; null when the file does not say. */
  readonly modelDetail: ModelDetail | null;
  readonly timeoutMs: number;
  /** null: as the policy says. */
  readonly maxAttempts: number | null;
  readonly optional: boolean;
  /** null: none. */
  readonly fallbackValue: { readonly value: unknown } | null;
  /** Ids of other tools of the workflow, best first. */
  readonly alternatives: readonly string[];
}

export interface McpServerSpec {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: GivenEnv;
  /** Empty: started by its command. */
  readonly url: string;
}
