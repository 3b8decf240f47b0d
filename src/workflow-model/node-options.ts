// The options of a node: plain data, checked, with all defaults filled in. `node-stages.ts` turns each into a stage. The YAML
// reader and programs that build workflows in code both produce these.

import type { GivenEnv } from "../agent/process/child-env.ts";
import type { ModelDetail } from "../core/fault/view.ts";
import type { StageRules } from "../core/flow/stage.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** Where a path may go. The first open edge is taken. */
export interface Edge {
  /** A node id, or "end". */
  readonly to: string;
  /** An expression; null for always. */
  readonly when: string | null;
  /** The edge closes once the node has been entered this many times in total. Infinity for an edge that leads forward. */
  readonly max: number;
  /** The outcome of the run, for an edge to `end`; empty for the workflow's default. */
  readonly outcome: string;
}

export interface NodeBase {
  readonly id: string;
  readonly rules: StageRules;
  readonly timeoutMs: number;
  readonly role: "coder" | "reviewer" | "tester" | null;
  /** CheckGate: the node is skipped if this expression is false; null for never. */
  readonly onlyIf: string | null;
  /** Assert: expressions over `output` that must be true; a false one fails with its reason. */
  readonly asserts: readonly {
    readonly expression: string;
    readonly reason: string;
    readonly verdict: "retry" | "fail";
  }[];
  readonly next: readonly Edge[];
  /** Edges for a node that has failed for good; if none is open, its resolution policy decides. */
  readonly onFailure: readonly Edge[];
}

export type AgentTarget =
  | {
      readonly kind: "model";
      /** The workflow's name for the provider, as in `east/llama-3`; empty: same as `provider`. */
      readonly name: string;
      /** A provider from `providers.ts`: openai, anthropic, google, openai-compatible … */
      readonly provider: string;
      readonly model: string;
      /** Empty: the provider's own. */
      readonly baseUrl: string;
      /** The environment variable with the key; empty: the provider's own. */
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
  /** The first one answers; the others are its fallbacks. */
  readonly targets: readonly AgentTarget[];
  /** A template; empty for none. */
  readonly system: string;
  readonly outputSchema: JsonSchema | null;
  /** Environment variables for its CLIs, besides those that each CLI needs. */
  readonly env: GivenEnv;
  /** The tools of its message loop, by id. */
  readonly tools: readonly string[];
  readonly turnCap: number;
  /** What happens when the message loop has used all its rounds: retry the attempt, accept the answer so far, or fail. */
  readonly onCap: "retry" | "accept" | "fail";
  /** When to tell a model that it repeats a failing tool call, and when to stop it. Default: the runtime's own numbers. */
  readonly repeatedFailures: { readonly tellAfter?: number; readonly stopAfter?: number };
  /** 0: no limit. */
  readonly maxCostMicrocents: number;
  readonly maxOutputTokens: number;
  readonly stream: boolean;
}

/** The commands that may run. Empty: none. */
export interface AllowList {
  /** Exact commands, or prefixes that end in ` *`. */
  readonly commands: readonly string[];
}

export type NodeOptions =
  | (NodeBase & { readonly kind: "agent"; readonly agent: AgentSpec; readonly prompt: string })
  | (NodeBase & {
      readonly kind: "command";
      /** Command lines as templates, or an expression that returns a list of them. */
      readonly run: { readonly lines: readonly string[] } | { readonly from: string };
      readonly allow: AllowList;
      /** Environment variables for its commands. */
      readonly env: GivenEnv;
      readonly cwd: string;
      /** Per command. */
      readonly commandTimeoutMs: number;
      /** The fault code for a command that exits with a code other than 0. */
      readonly failsAs: "TestsFailed" | "ExecutionFailed";
      /** Fail for good if the same command also failed in the previous visit. */
      readonly stopWhenRepeated: boolean;
    })
  | (NodeBase & { readonly kind: "tool"; readonly tool: string; readonly input: unknown })
  | (NodeBase & {
      readonly kind: "human_gate";
      readonly ask: "Approve" | "Confirm" | "Select" | "Ask";
      /** A template. */
      readonly prompt: string;
      readonly options: readonly { readonly id: string; readonly label: string }[];
      /** null: no limit. */
      readonly gateTimeoutMs: number | null;
      readonly onTimeout: "reject" | "approve";
    })
  | (NodeBase & {
      readonly kind: "condition";
      /** Returns true or false, or the name of a case. */
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

/** A tool that a workflow defines itself. */
export interface ToolSpec {
  readonly id: string;
  readonly description: string;
  readonly input: JsonSchema | null;
  readonly run:
    | { readonly kind: "command"; readonly command: string; readonly args: readonly string[]; readonly env: GivenEnv }
    /** A tool of an MCP server, which is started by its command or reached at its URL. */
    | { readonly kind: "mcp"; readonly server: McpServerSpec; readonly tool: string };
  readonly idempotent: boolean;
  /** How much of a failure a model may read; null if the file does not say. */
  readonly modelDetail: ModelDetail | null;
  readonly timeoutMs: number;
  /** null: the policy's. */
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
  /** Empty: the server is started by its command. */
  readonly url: string;
}
