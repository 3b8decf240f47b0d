// Turns a checked file into a definition, with all defaults filled in.

import { nodeCrypto } from "../host/builtin.ts";
import type { GivenEnv } from "../agent/process/child-env.ts";
import type { Policy } from "../core/index.ts";
import type { JsonSchema } from "../schema/index.ts";
import type { AgentSpec, McpServerSpec, ToolSpec } from "../workflow-model/node-options.ts";
import type { FolderDefaults, WorkflowLimits, WorkflowSource } from "../workflow-model/stage.ts";
import type { ToolManifest } from "../tool-file/index.ts";
import type { Path } from "../yaml-file/locate.ts";
import { durationMs, microcents } from "./amounts.ts";
import { buildNode } from "./build-node.ts";
import { promptText } from "./collect.ts";
import type { WorkflowDefinition } from "./definition.ts";
import { isFinding, type ReferredFiles } from "./files.ts";
import { startOf } from "./graph.ts";
import { inputSpecs } from "./inputs.ts";
import { readJsonSchema } from "./json-schemas.ts";
import type { WorkflowFile, WrittenAgent, WrittenPrompt, WrittenSchema, WrittenTool } from "./schema.ts";
import { readTargets } from "./targets.ts";

export interface Sources {
  readonly files: ReferredFiles;
  readonly policy: Policy | null;
  readonly manifests: readonly ToolManifest[];
  readonly file: string;
  readonly text: string;
  readonly defaults: FolderDefaults | null;
}

export function build(written: WorkflowFile, sources: Sources): WorkflowDefinition {
  const { id, version, name = id } = written.workflow;
  const { files, policy, manifests, file, text, defaults } = sources;
  const agents = Object.entries(written.agents ?? {}).map(([agent, spec]) => buildAgent(agent, spec, written, files));
  const env = (own: GivenEnv | undefined): GivenEnv => givenEnv(written.env, own);
  const tools = buildTools(written.tools ?? {}, files, env);
  const nodes = Object.entries(written.nodes).map(([node, spec]) =>
    buildNode(node, spec, {
      agent: (wanted) => agents.find((one) => one.id === wanted),
      writtenAgent: (wanted) => written.agents?.[wanted],
      tool: (wanted) => tools.find((one) => one.id === wanted),
      env,
      prompt: (prompt, path) => textOf(prompt, path, files),
    }),
  );
  const source: WorkflowSource = { file, text, files: files.texts, ...(defaults === null ? {} : { defaults }) };
  return {
    id,
    version,
    name,
    digest: digestOf(source),
    source,
    inputs: inputSpecs(written.inputs),
    limits: buildLimits(written.limits ?? {}),
    policy,
    agents,
    tools,
    manifests,
    nodes,
    start: startOf(written),
  };
}

/** Editors change line ends and the final newline, so the digest ignores them. */
function digestOf({ text, files }: WorkflowSource): string {
  const normal = (part: string): string => part.replaceAll("\r\n", "\n").trimEnd();
  const parts = [normal(text), ...Object.entries(files).map(([name, part]) => [name, normal(part)])];
  return nodeCrypto().createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function buildLimits(limits: NonNullable<WorkflowFile["limits"]>): WorkflowLimits {
  return {
    maxParallel: limits.max_parallel ?? 4,
    maxNodes: limits.max_nodes ?? 100,
    timeoutMs: durationMs(limits.timeout) ?? Infinity,
    maxCostMicrocents: microcents(limits.max_cost_usd) ?? 0,
    onExceed: limits.on_exceed ?? "fail",
  };
}

function buildAgent(
  id: string,
  agent: WrittenAgent,
  { providers = {}, env }: WorkflowFile,
  files: ReferredFiles,
): AgentSpec {
  const path = ["agents", id];
  return {
    id,
    targets: readTargets(id, agent, providers).targets,
    system: agent.system === undefined ? "" : textOf(agent.system, [...path, "system"], files),
    outputSchema: schemaOf(agent.output_schema, [...path, "output_schema"], files),
    env: givenEnv(env, agent.env),
    tools: agent.tools ?? [],
    turnCap: agent.turn_cap ?? 20,
    onCap: agent.on_cap ?? "fail",
    repeatedFailures: repeatsOf(agent),
    maxCostMicrocents: microcents(agent.budget?.max_cost_usd) ?? 0,
    maxOutputTokens: agent.max_output_tokens ?? 0,
    stream: agent.stream ?? false,
  };
}

function repeatsOf({ repeated_failures: written = {} }: WrittenAgent): AgentSpec["repeatedFailures"] {
  const { tell_after: tellAfter, stop_after: stopAfter } = written;
  return { ...(tellAfter !== undefined && { tellAfter }), ...(stopAfter !== undefined && { stopAfter }) };
}

/** The file was readable when it was checked. */
function textOf(prompt: WrittenPrompt, path: Path, files: ReferredFiles): string {
  const read = promptText(prompt, path, files);
  if (typeof read === "string") return read;
  return isFinding(read) ? "" : read.text;
}

function schemaOf(written: WrittenSchema | undefined, path: Path, files: ReferredFiles): JsonSchema | null {
  const read = written === undefined ? null : readJsonSchema(written, path, files);
  return read !== null && "schema" in read ? read.schema : null;
}

type EnvOf = (own: GivenEnv | undefined) => GivenEnv;

/** The variables of the whole file, plus those of one of its parts. */
function givenEnv(all: GivenEnv = [], own: GivenEnv = []): GivenEnv {
  return all === "inherit" || own === "inherit" ? "inherit" : [...new Set([...all, ...own])];
}

const TOOL_TIMEOUT_MS = 30_000;

/** Tools on the same server share it: the server is named after the first of them. */
function buildTools(tools: NonNullable<WorkflowFile["tools"]>, files: ReferredFiles, env: EnvOf): readonly ToolSpec[] {
  const servers = new Map<string, McpServerSpec>();
  return Object.entries(tools).map(([id, tool]) => ({
    id,
    description: tool.description ?? "",
    input: schemaOf(tool.input, ["tools", id, "input"], files),
    run: runOf(id, tool, servers, env(tool.env)),
    idempotent: tool.idempotent ?? false,
    modelDetail: tool.model_detail ?? null,
    timeoutMs: durationMs(tool.timeout) ?? TOOL_TIMEOUT_MS,
    maxAttempts: tool.max_attempts ?? null,
    optional: tool.optional ?? false,
    fallbackValue: Object.hasOwn(tool, "default") ? { value: tool.default } : null,
    alternatives: tool.alternatives ?? [],
  }));
}

function runOf(
  id: string,
  { command, mcp, tool = id }: WrittenTool,
  servers: Map<string, McpServerSpec>,
  env: GivenEnv,
): ToolSpec["run"] {
  if (mcp === undefined) {
    const [first = "", ...args] = command ?? [];
    return { kind: "command", command: first, args, env };
  }
  const [first = "", ...args] = mcp.command ?? [];
  const key = JSON.stringify([mcp.url ?? "", first, args, env]);
  const server = servers.get(key) ?? { id, command: first, args, env, url: mcp.url ?? "" };
  servers.set(key, server);
  return { kind: "mcp", server, tool };
}
