// The tools a workflow declares: commands that read their input from stdin, and tools of MCP servers.

import type { Clock } from "../../host/clock.ts";
import type { McpToolDefinition } from "../../mcp/options.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { withOverride, type AnyTool } from "../../runtime/tool/tool.ts";
import type { ToolOverride } from "../../core/policy/layer.ts";
import { withWords } from "./agent-tools.ts";
import { commandTool, type DeclaredTool } from "./command-tool.ts";
import { mcpTool, McpServers } from "./mcp-tool.ts";
import type { ToolSpec } from "../../workflow-model/node-options.ts";

export interface ToolsDeps {
  /** Maintains the connections to MCP servers. */
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
}

export interface WorkflowTools {
  find(id: string): AnyTool | undefined;
  /** Fetches from the MCP servers what the workflow does not say about their tools, so that models can be offered them. */
  learn(ids: readonly string[]): Promise<void>;
  /** Stops the servers that were started. */
  close(): Promise<void>;
}

/** `overrides`: what the operator says about some of them, in front of what the workflow says. */
export function toolsOf(
  specs: readonly ToolSpec[],
  deps: ToolsDeps,
  overrides: readonly ToolOverride[] = [],
): WorkflowTools {
  const overrideOf = new Map(overrides.map((override) => [override.id, override]));
  const servers = new McpServers(deps);
  const tools = new Map<string, AnyTool>();
  // Two tools may be each other's fallback, so the lists are filled after all tools exist.
  const alternatives = new Map(specs.map(({ id }) => [id, [] as AnyTool[]]));
  for (const spec of specs)
    tools.set(spec.id, toolOf(spec, alternatives.get(spec.id) ?? [], deps, servers, overrideOf.get(spec.id)));
  for (const { id, alternatives: declared } of specs) {
    const names = overrideOf.get(id)?.alternatives ?? declared;
    alternatives.get(id)?.push(...names.flatMap((name) => tools.get(name) ?? []));
  }
  return {
    find: (id) => tools.get(id),
    learn: async (ids) => {
      for (const { id, input, run } of specs)
        if (run.kind === "mcp" && input === null && ids.includes(id)) await servers.connection(run.server);
    },
    close: () => servers.close(),
  };
}

function toolOf(
  spec: ToolSpec,
  alternatives: readonly AnyTool[],
  deps: ToolsDeps,
  servers: McpServers,
  override: ToolOverride | undefined,
): AnyTool {
  const { run, description, input } = spec;
  const declared = declaredOf(spec, alternatives);
  if (run.kind === "command")
    return withWords(overridden(commandTool(spec, declared, run, deps), override), { description });
  // Details missing in the file are known once the server is connected.
  const definition = (): McpToolDefinition | undefined => servers.definition(run.server, run.tool);
  const called = overridden(mcpTool(declared, run, servers), override);
  return withWords(input === null ? { ...called, inputSchema: () => definition()?.inputSchema ?? null } : called, {
    get description() {
      return description === "" ? (definition()?.description ?? "") : description;
    },
  });
}

/** Alternatives are tools of the same workflow, so they are filled in with those of the others. */
function overridden(tool: AnyTool, override: ToolOverride | undefined): AnyTool {
  return override === undefined ? tool : { ...withOverride(tool, override), alternatives: tool.alternatives };
}

function declaredOf(spec: ToolSpec, alternatives: readonly AnyTool[]): DeclaredTool {
  const { id, input, idempotent, modelDetail, timeoutMs, maxAttempts, optional, fallbackValue } = spec;
  return {
    id,
    ...(typeof input === "object" && input !== null ? { input } : {}),
    idempotent,
    ...(modelDetail === null ? {} : { modelDetail }),
    timeoutMs,
    ...(maxAttempts === null ? {} : { retry: { maxAttempts } }),
    optional,
    ...(fallbackValue === null ? {} : { default: fallbackValue.value }),
    alternatives,
  };
}
