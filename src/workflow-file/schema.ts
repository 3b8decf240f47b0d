// The schema of workflow files. The same zod schemas check files and generate the JSON Schema for editors.

import * as z from "zod";
import { AGENT_KINDS } from "../agent/parse/agent-state.ts";
import { MODEL_DETAILS } from "../core/fault/view.ts";
import { policyFileSchema } from "../policy-file/index.ts";
import { knownProviders } from "../workflow-model/providers.ts";
import { dollars, duration, field, LABEL, NAME, named, text } from "./field.ts";
import { env, NODE_SCHEMAS, prompt, retry } from "./node-schema.ts";

/** The providers whose models an agent can use. A name under `providers` may be an alias of one of these. */
export const PROVIDER_TYPES = knownProviders();

export const INPUT_TYPES = ["string", "number", "integer", "boolean", "array", "object"] as const;

const about = z.strictObject({
  id: field(
    z.string().regex(LABEL, "must begin with a letter and have only letters, digits, _ and -, 64 at most"),
    "The workflow's id: runs are listed by it.",
    "review-loop",
  ),
  version: field(text(64), "Its version, as text.", "1"),
  name: field(text(200), "Display name. Default: the id.", "Code, review, test").optional(),
});

export const input = z
  .strictObject({
    type: field(z.enum(INPUT_TYPES), "The type of its value. Default: `string`.", "integer"),
    description: field(text(1000), "What it is for.", "What to build"),
    enum: field(z.array(z.union([z.string(), z.number(), z.boolean()])).min(1), "The only values it accepts.", [
      "short",
      "long",
    ]),
    default: field(z.unknown(), "Its value if none is given.", "short"),
    required: field(z.boolean(), "A run cannot start without it. Default: true, or false if it has a default.", false),
    secret: field(z.boolean(), "Masked in events, reports, exports and files.", true),
  })
  .partial();

const limits = z
  .strictObject({
    max_parallel: field(z.int().min(1).max(1000), "Nodes that run at the same time. Default: 4.", 4),
    timeout: duration(
      "Time limit of the whole run. Waiting for a person or a reset does not count. Default: none.",
      "30m",
    ),
    max_cost_usd: dollars("The most the run may cost. Default: no limit.", 2),
    on_exceed: field(
      z.enum(["warn", "pause_for_approval", "fail"]),
      "What happens at the cost limit. Default: `fail`.",
      "pause_for_approval",
    ),
    max_nodes: field(z.int().min(1).max(100_000), "The most node visits in one run. Default: 100.", 100),
  })
  .partial();

export const provider = z
  .strictObject({
    type: field(
      z.enum(PROVIDER_TYPES),
      `The API it speaks: ${PROVIDER_TYPES.join(", ")}. Default: the entry's name.`,
      "openai-compatible",
    ),
    base_url: field(
      z.url({ protocol: /^https?$/, error: "must be an http or https address" }).max(2000),
      "Its base URL. Default: the provider's own.",
      "http://127.0.0.1:4010/v1",
    ),
    api_key_env: field(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable"),
      "The environment variable that holds the key. Default: the provider's own.",
      "OPENAI_API_KEY",
    ),
  })
  .partial();

const cliTarget = z
  .strictObject({
    name: field(text(64), `The CLI: ${AGENT_KINDS.join(", ")}.`, "generic"),
    command: field(
      text(500),
      "The command to run instead of the CLI's own name. Required for `generic`.",
      "./my-claude",
    ),
    args: field(z.array(z.string().max(2000)).max(100), "Arguments before the CLI's own.", ["--verbose"]),
    model: field(text(200), "The model it uses.", "opus"),
  })
  .partial({ command: true, args: true, model: true });

const cliOrName = z.union([
  z
    .string()
    .max(64)
    .meta({ enum: [...AGENT_KINDS] }),
  cliTarget,
]);

const jsonSchema = (description: string, ...examples: readonly unknown[]) =>
  field(
    z.union([z.string().min(1).max(500), z.boolean(), z.record(z.string(), z.unknown())]),
    `${description} A JSON Schema, or the name of a file in this folder or below that holds one.`,
    ...examples,
  );

export const agent = z
  .strictObject({
    model: field(text(200), "The model to use, as provider/model.", "openai/gpt-5.5"),
    cli: field(cliOrName, "The agent CLI to use.", "claude"),
    fallback: field(
      z
        .array(z.union([text(200), cliTarget]))
        .min(1)
        .max(20),
      "Fallbacks in order: models, CLIs, or both.",
      ["anthropic/claude-sonnet-4-5"],
      ["openai/gpt-5.5", "codex"],
    ),
    system: prompt("The system prompt.", "You write code."),
    output_schema: jsonSchema("The schema of its answer.", "schemas/verdict.json"),
    env: env("its CLIs"),
    tools: field(
      z.array(text(64)).min(1).max(100),
      "Tools for its models, by their names under `tools`. CLIs have their own tools.",
      ["read_file"],
    ),
    turn_cap: field(z.int().min(1).max(1000), "The most rounds of its tool loop. Default: 20.", 8),
    on_cap: field(
      z.enum(["retry", "accept", "fail"]),
      "What happens at the turn cap: fail the node, accept the answer so far, or retry the whole attempt. Default: `fail`.",
      "accept",
    ),
    repeated_failures: field(
      z
        .strictObject({
          tell_after: field(z.int().min(2).max(1000), "Tell the model after this many. Default: 3.", 3),
          stop_after: field(z.int().min(2).max(1000), "Fail the node with `ToolLoop` after this many. Default: 12.", 6),
        })
        .partial(),
      "For a model that repeats a failing tool call with the same arguments: the result says so after `tell_after` failures, and the node fails with `ToolLoop` after `stop_after`. Default: 3 and 12.",
      { stop_after: 6 },
    ),
    retry: field(retry, "Retries of this agent's nodes, unless a node sets its own.", { max_attempts: 2 }),
    budget: field(
      z.strictObject({ max_cost_usd: dollars("What this agent may cost in one run.", 1) }),
      "What it may cost.",
      { max_cost_usd: 1 },
    ),
    max_output_tokens: field(
      z.int().min(1).max(1_000_000),
      "The longest answer. Default: the provider's own limit.",
      4096,
    ),
    stream: field(z.boolean(), "Stream the answers. Default: false.", true),
    idempotent: field(
      z.boolean(),
      "A whole attempt can run twice without harm. Default: true for models, false if a CLI is among the targets.",
      true,
    ),
  })
  .partial();

const commandWords = z.array(z.string().min(1).max(2000)).min(1).max(100);

const mcp = z
  .strictObject({
    command: field(commandWords, "The command that starts the server, as a list of words.", ["node", "server.mjs"]),
    url: field(
      z.url({ protocol: /^https?$/, error: "must be an http or https address" }).max(2000),
      "The URL of the server.",
      "https://tools.example/mcp",
    ),
  })
  .partial();

export const tool = z
  .strictObject({
    command: field(commandWords, "The command, as a list of words. It reads its input as JSON from stdin.", [
      "node",
      "read.mjs",
    ]),
    mcp: field(mcp, "The MCP server that provides it: `command:` or `url:`.", { command: ["node", "server.mjs"] }),
    env: env("its command or its server"),
    tool: field(text(200), "Its name on the MCP server. Default: its name here.", "lookup"),
    description: field(text(4000), "What it does, for the model.", "Reads a file"),
    input: jsonSchema("The schema of its input.", { type: "object" }),
    idempotent: field(z.boolean(), "It can run twice without harm. Default: false.", true),
    model_detail: field(
      z.enum(MODEL_DETAILS),
      "What a model may read of a failure, redacted: nothing (`none`), the end of stderr (`stderr_tail`), or the message too (`full`). Default: none, except that the model reads the error text of an MCP tool.",
      "stderr_tail",
    ),
    timeout: duration("Time limit of one attempt. Default: 30s.", "10s"),
    optional: field(
      z.boolean(),
      "The work can continue without it: if it fails, a node gets null and a model reads why. Default: false.",
      true,
    ),
    default: field(z.unknown(), "The value to use if it fails. null is a value too.", { found: [] }),
    alternatives: field(
      z.array(text(64)).min(1).max(50),
      "Other tools that take the same input, by their names under `tools`, in order. If the failed call may have done its work, they are used only if the tool is idempotent.",
      ["lookup_b"],
    ),
    max_attempts: field(
      z.int().min(1).max(100),
      "The most attempts of one call, including the first. Default: the policy's. The policy also sets the waits.",
      3,
    ),
  })
  .partial();

const inlinePolicy = policyFileSchema.partial({ version: true });

const node = z.discriminatedUnion("type", [
  NODE_SCHEMAS.agent,
  NODE_SCHEMAS.command,
  NODE_SCHEMAS.tool,
  NODE_SCHEMAS.human_gate,
  NODE_SCHEMAS.condition,
  NODE_SCHEMAS.transform,
  NODE_SCHEMAS.parallel,
  NODE_SCHEMAS.merge,
]);

/** The zod schema of a workflow file. */
export const workflowFileSchema = z
  .strictObject({
    faultline: field(z.literal(1), "The version of this format.", 1),
    workflow: field(about, "Id, version and name of the workflow.", { id: "review-loop", version: "1" }),
    inputs: named(input, NAME, "The inputs of a run, by name.", { task: { type: "string" } }),
    env: env("all commands, tools, MCP servers and agent CLIs"),
    limits: field(limits, "Limits of a run.", { max_parallel: 4 }),
    policy: field(
      z.union([z.string().min(1).max(500), inlinePolicy]),
      "The policy for single calls: a policy file in this folder or below, or its keys.",
      "faults.policy.yaml",
      { preset: "headless" },
    ),
    providers: named(provider, LABEL, "Model providers, by name.", {
      openai: { base_url: "http://127.0.0.1:4010/v1" },
    }),
    agents: named(agent, LABEL, "Agents, by name.", { coder: { cli: "claude" } }),
    tools: named(tool, LABEL, "Tools for agents and tool nodes, by name.", {
      read_file: { command: ["node", "read.mjs"] },
    }),
    nodes: named(node, NAME, "The nodes, by name.", { coder: { type: "agent", agent: "coder", prompt: "…" } }),
    start: field(text(64), "The node to start with. Default: the first one.", "coder"),
  })
  .partial({
    inputs: true,
    env: true,
    limits: true,
    policy: true,
    providers: true,
    agents: true,
    tools: true,
    start: true,
  });

export type WorkflowFile = z.infer<typeof workflowFileSchema>;
export type WrittenInput = z.infer<typeof input>;
export type WrittenAgent = z.infer<typeof agent>;
export type WrittenTool = z.infer<typeof tool>;
export type WrittenCli = z.infer<typeof cliOrName>;
export type WrittenSchema = string | boolean | Readonly<Record<string, unknown>>;
export type {
  WrittenEdge,
  WrittenEdges,
  WrittenNode,
  WrittenPrompt,
  WrittenRetry,
  WrittenTarget,
} from "./node-schema.ts";

/** For editors: put `# yaml-language-server: $schema=…/workflow.schema.json` on the first line of a workflow file. */
export function workflowJsonSchema(): object {
  return { title: "Faultline workflow", ...z.toJSONSchema(workflowFileSchema, { target: "draft-2020-12" }) };
}
