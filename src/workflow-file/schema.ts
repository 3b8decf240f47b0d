// What a workflow file may say. The same zod schemas check files and make the JSON Schema that editors use.

import * as z from "zod";
import { AGENT_KINDS } from "../agent/parse/agent-state.ts";
import { MODEL_DETAILS } from "../core/fault/view.ts";
import { policyFileSchema } from "../policy-file/index.ts";
import { knownProviders } from "../workflow-model/providers.ts";
import { dollars, duration, field, LABEL, NAME, named, text } from "./field.ts";
import { env, NODE_SCHEMAS, prompt, retry } from "./node-schema.ts";

/** The providers whose models an agent can use; a name under `providers` may be another word for one of these. */
export const PROVIDER_TYPES = knownProviders();

export const INPUT_TYPES = ["string", "number", "integer", "boolean", "array", "object"] as const;

const about = z.strictObject({
  id: field(
    z.string().regex(LABEL, "must begin with a letter and have only letters, digits, _ and -, 64 at most"),
    "The workflow's id: runs are listed by it.",
    "review-loop",
  ),
  version: field(text(64), "Its version, as text.", "1"),
  name: field(text(200), "What it is called. The id when left out.", "Code, review, test").optional(),
});

export const input = z
  .strictObject({
    type: field(z.enum(INPUT_TYPES), "`string` when left out.", "integer"),
    description: field(text(1000), "What it is for.", "What to build"),
    enum: field(z.array(z.union([z.string(), z.number(), z.boolean()])).min(1), "The only values it may have.", [
      "short",
      "long",
    ]),
    default: field(z.unknown(), "Its value when none is given.", "short"),
    required: field(z.boolean(), "A run is refused without it. true unless there is a default.", false),
    secret: field(z.boolean(), "Never shown, neither in events nor on pages.", true),
  })
  .partial();

const limits = z
  .strictObject({
    max_parallel: field(z.int().min(1).max(1000), "Nodes that run at the same time. 4 when left out.", 4),
    timeout: duration(
      "Of the whole run; while it waits for a person or a reset its time stands still. None when left out.",
      "30m",
    ),
    max_cost_usd: dollars("All that the run may cost. Without bound when left out.", 2),
    on_exceed: field(
      z.enum(["warn", "pause_for_approval", "fail"]),
      "What happens when that is used up. `fail` when left out.",
      "pause_for_approval",
    ),
    max_nodes: field(z.int().min(1).max(100_000), "Visits of nodes, all together. 100 when left out.", 100),
  })
  .partial();

export const provider = z
  .strictObject({
    type: field(
      z.enum(PROVIDER_TYPES),
      `Whose interface it speaks: ${PROVIDER_TYPES.join(", ")}. Its own name when left out.`,
      "openai-compatible",
    ),
    base_url: field(
      z.url({ protocol: /^https?$/, error: "must be an http or https address" }).max(2000),
      "Where it is reached. The provider's own address when left out.",
      "http://127.0.0.1:4010/v1",
    ),
    api_key_env: field(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable"),
      "The environment variable that holds the key. The provider's own when left out.",
      "OPENAI_API_KEY",
    ),
  })
  .partial();

const cliTarget = z
  .strictObject({
    name: field(text(64), `The CLI: ${AGENT_KINDS.join(", ")}.`, "generic"),
    command: field(text(500), "What is run instead of the CLI's own name. Needed for `generic`.", "./my-claude"),
    args: field(z.array(z.string().max(2000)).max(100), "Arguments, in front of the CLI's own.", ["--verbose"]),
    model: field(text(200), "The model it is to use.", "opus"),
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
    model: field(text(200), "The model that answers, as provider/model.", "openai/gpt-5.5"),
    cli: field(cliOrName, "The agent CLI that answers.", "claude"),
    fallback: field(
      z
        .array(z.union([text(200), cliTarget]))
        .min(1)
        .max(20),
      "Who stands in for it, best first: models and CLIs, also mixed.",
      ["anthropic/claude-sonnet-4-5"],
      ["openai/gpt-5.5", "codex"],
    ),
    system: prompt("What it is told before everything else.", "You write code."),
    output_schema: jsonSchema("What its answer must look like.", "schemas/verdict.json"),
    env: env("its CLIs"),
    tools: field(
      z.array(text(64)).min(1).max(100),
      "The tools its models may use, by their names under `tools`; CLIs bring their own.",
      ["read_file"],
    ),
    turn_cap: field(z.int().min(1).max(1000), "Rounds of its message loop. 20 when left out.", 8),
    on_cap: field(
      z.enum(["retry", "accept", "fail"]),
      "What it means when all rounds are used: the node fails, the answer so far is accepted, or the whole attempt is made again. `fail` when left out.",
      "accept",
    ),
    retry: field(retry, "For the nodes of this agent that do not say it themselves.", { max_attempts: 2 }),
    budget: field(
      z.strictObject({ max_cost_usd: dollars("What this agent may cost in one run.", 1) }),
      "What it may cost.",
      { max_cost_usd: 1 },
    ),
    max_output_tokens: field(
      z.int().min(1).max(1_000_000),
      "The longest answer. The provider's own limit when left out.",
      4096,
    ),
    stream: field(z.boolean(), "Answers arrive piece by piece. false when left out.", true),
    idempotent: field(
      z.boolean(),
      "A whole attempt may be made twice without harm. When left out: true for models, false with a CLI among them.",
      true,
    ),
  })
  .partial();

const commandWords = z.array(z.string().min(1).max(2000)).min(1).max(100);

const mcp = z
  .strictObject({
    command: field(commandWords, "What starts the server, in words.", ["node", "server.mjs"]),
    url: field(
      z.url({ protocol: /^https?$/, error: "must be an http or https address" }).max(2000),
      "Where the server is reached.",
      "https://tools.example/mcp",
    ),
  })
  .partial();

export const tool = z
  .strictObject({
    command: field(commandWords, "What is run, in words; it gets the input as JSON.", ["node", "read.mjs"]),
    mcp: field(mcp, "The MCP server that has it: `command:` or `url:`.", { command: ["node", "server.mjs"] }),
    env: env("its command or its server"),
    tool: field(text(200), "What the MCP server calls it. Its name here when left out.", "lookup"),
    description: field(text(4000), "What it does, for the model.", "Reads a file"),
    input: jsonSchema("What it must be given.", { type: "object" }),
    idempotent: field(z.boolean(), "It may be called twice without harm. false when left out.", true),
    model_detail: field(
      z.enum(MODEL_DETAILS),
      "What a model may read of a failure, redacted: nothing of what the tool said, the end of its output, or its message too. none when left out; the error text that an MCP tool answers with is then still shown.",
      "stderr_tail",
    ),
    timeout: duration("Of one attempt. 30s when left out.", "10s"),
    optional: field(
      z.boolean(),
      "The work can go on without it: when it fails, a node gets null and a model is told why. false when left out.",
      true,
    ),
    default: field(z.unknown(), "Its value when it fails. null is a value too.", { found: [] }),
    alternatives: field(
      z.array(text(64)).min(1).max(50),
      "Other tools that can do this with the same input, by their names under `tools`, best first. After work that may have been done they are used only if the tool is idempotent.",
      ["lookup_b"],
    ),
    max_attempts: field(
      z.int().min(1).max(100),
      "All attempts of one call, the first included. As the policy says when left out; how long it waits, the policy says too.",
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

export const workflowFileSchema = z
  .strictObject({
    faultline: field(z.literal(1), "The version of this format.", 1),
    workflow: field(about, "What the workflow is.", { id: "review-loop", version: "1" }),
    inputs: named(input, NAME, "What a run is given, by name.", { task: { type: "string" } }),
    env: env("all commands, tools, MCP servers and agent CLIs"),
    limits: field(limits, "What a run may use.", { max_parallel: 4 }),
    policy: field(
      z.union([z.string().min(1).max(500), inlinePolicy]),
      "What is done about faults of single calls: a policy file in this folder or below, or its keys.",
      "faults.policy.yaml",
      { preset: "headless" },
    ),
    providers: named(provider, LABEL, "Where models are reached, by name.", {
      openai: { base_url: "http://127.0.0.1:4010/v1" },
    }),
    agents: named(agent, LABEL, "Who does the work, by name.", { coder: { cli: "claude" } }),
    tools: named(tool, LABEL, "Tools for agents and tool nodes, by name.", {
      read_file: { command: ["node", "read.mjs"] },
    }),
    nodes: named(node, NAME, "The nodes, by name.", { coder: { type: "agent", agent: "coder", prompt: "…" } }),
    start: field(text(64), "The node to begin with. The first one when left out.", "coder"),
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

/** For editors: `# yaml-language-server: $schema=…/workflow.schema.json` on the first line of a workflow file. */
export function workflowJsonSchema(): object {
  return { title: "Faultline workflow", ...z.toJSONSchema(workflowFileSchema, { target: "draft-2020-12" }) };
}
