// Tools of the MCP servers that a workflow names. The first use of a tool connects its server and loads the MCP client, which is an
// optional dependency.
// M1  Each server has one connection, however many of its tools are used.
// M2  After a failed connection, the next call connects again.
// M3  After closing, no server is connected again.

import { childEnv } from "../../agent/process/child-env.ts";
import { killMarked, markedEnv, newMark } from "../../agent/process/process-mark.ts";
import { classify, rulesWith } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { fieldOf } from "../../core/try-read.ts";
import type { McpConnection } from "../../mcp/connection.ts";
import type { McpOptions, McpToolDefinition } from "../../mcp/options.ts";
import type { McpResult } from "../../mcp/result.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type AnyTool, type RunContext, tool } from "../../runtime/tool/tool.ts";
import { type DeclaredTool, jsonOrText } from "./command-tool.ts";
import { orFail } from "../../host/lazy-part.ts";
import { schemaFault } from "../../schema/index.ts";
import type { McpServerSpec, ToolSpec } from "../../workflow-model/node-options.ts";

export interface McpDeps {
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export function mcpTool(
  declared: DeclaredTool,
  { server, tool: name }: Extract<ToolSpec["run"], { readonly kind: "mcp" }>,
  servers: McpServers,
): AnyTool {
  return tool<unknown, unknown>({
    ...declared,
    surface: "mcp",
    provider: server.id,
    run: async (input, context) => {
      const connection = await servers.connection(server);
      const called: AnyTool = connection.tool(name);
      // The input is also checked against the server's own schema, because the server's refusal would tell a model nothing.
      const checked = await called.checkInput?.(input ?? {});
      if (checked?.ok === false) throw new FaultError(schemaFault("input", declared.id, checked));
      try {
        // Errors are classified by the connection's rules, which are known only once it exists.
        const { structured, text } = (await called.run(input ?? {}, contextFor(declared, context))) as McpResult;
        return structured ?? jsonOrText(text);
      } catch (error) {
        if (context.signal.aborted) throw error;
        throw new FaultError(classifyAs(called, server, error), { cause: error });
      }
    },
  });
}

/** A tool's own error text is an answer for the model, except with `model_detail: none`. */
function contextFor({ modelDetail }: DeclaredTool, context: RunContext): RunContext {
  if (modelDetail !== "none") return context;
  return new Proxy(context, {
    get: (target, name) => (name === "partial" ? ignored : (Reflect.get(target, name, target) as unknown)),
  });
}

const ignored = (): void => undefined;

function classifyAs(called: AnyTool, { id }: McpServerSpec, error: unknown): Fault {
  const seen = classify({ surface: "mcp", provider: id, error }, rulesWith(called.rules));
  const own = called.classify?.(error, seen) ?? seen;
  return typeof own === "object" ? own : fault(own, { message: seen.message, context: seen.context, cause: seen });
}

export class McpServers {
  readonly #deps: McpDeps;
  readonly #connections = new Map<string, Promise<McpConnection>>();
  readonly #connected = new Map<string, McpConnection>();
  readonly #closing = new AbortController();

  constructor(deps: McpDeps) {
    this.#deps = deps;
  }

  /** The server's definition of a tool; undefined while the server is not connected. */
  definition({ id }: McpServerSpec, name: string): McpToolDefinition | undefined {
    return this.#connected.get(id)?.definition(name);
  }

  connection(server: McpServerSpec): Promise<McpConnection> {
    const known = this.#connections.get(server.id);
    if (known !== undefined) return known;
    if (this.#closing.signal.aborted) return Promise.reject(closedError(server));
    const made = this.#connect(server);
    this.#connections.set(server.id, made);
    return made;
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new FaultError(fault("EngineState", { message: "the tools of the workflow were closed" })));
    const ended = await Promise.allSettled(this.#connections.values());
    await Promise.all(ended.flatMap((one) => (one.status === "fulfilled" ? [one.value.close()] : [])));
    this.#connections.clear();
    this.#connected.clear();
  }

  async #connect(server: McpServerSpec): Promise<McpConnection> {
    try {
      const { openConnection } = await loaded(server, () => import("../../mcp/connection.ts"));
      const connection = await openConnection(this.#deps.runtime, {
        name: server.id,
        transport: await transportOf(server, this.#deps),
        signal: this.#closing.signal,
      });
      this.#connected.set(server.id, connection);
      return connection;
    } catch (error) {
      this.#connections.delete(server.id);
      throw error;
    }
  }
}

async function transportOf(server: McpServerSpec, { env, cwd }: McpDeps): Promise<McpOptions["transport"]> {
  const { command, args, url } = server;
  if (url !== "") {
    const { StreamableHTTPClientTransport } = await loaded(server, () =>
      import("@modelcontextprotocol/sdk/client/streamableHttp.js").catch(orFail),
    );
    return () => new StreamableHTTPClientTransport(new URL(url));
  }
  const { StdioClientTransport } = await loaded(server, () =>
    import("@modelcontextprotocol/sdk/client/stdio.js").catch(orFail),
  );
  /** The SDK's transport ends only the server. This one also ends the server's child processes, on closing and when the server dies. */
  class WholeServerTransport extends StdioClientTransport {
    readonly #mark: string;

    constructor() {
      const mark = newMark();
      const passed = Object.entries(markedEnv(childEnv(env, server.env), mark)).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      super({ command, args: [...args], env: Object.fromEntries(passed), cwd, stderr: "pipe" });
      this.#mark = mark;
      this.onclose = () => killMarked(mark);
    }

    override async close(): Promise<void> {
      await super.close();
      killMarked(this.#mark);
    }
  }
  return () => new WholeServerTransport();
}

async function loaded<Module>({ id }: McpServerSpec, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = fieldOf(error, "code");
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message = `the MCP server ${id} cannot be used, because @modelcontextprotocol/sdk is not installed. Install it: npm install @modelcontextprotocol/sdk`;
    throw new FaultError(fault("DependencyMissing", { message, context: { provider: id, ran: false } }), {
      cause: error,
    });
  }
}

function closedError({ id }: McpServerSpec): FaultError {
  const message = `the MCP server ${id} was closed with the workflow it belongs to. Run the workflow again.`;
  return new FaultError(fault("EngineState", { message, context: { provider: id, ran: false } }));
}
