// Connects to a server, stays connected, and offers its tools as protected tools.

import { classify } from "../core/classify/classify.ts";
import { type Fault, FaultError } from "../core/fault/fault.ts";
import type { Outcome } from "../runtime/call/outcome.ts";
import type { ProtectOptions, Runtime } from "../runtime/runtime.ts";
import { type Tool, tool } from "../runtime/tool/tool.ts";
import { Connector } from "./connector.ts";
import { CALL_RULES } from "./failures.ts";
import { withStderr } from "./link.ts";
import { loadMcpSdk } from "./sdk.ts";
import {
  type McpOptions,
  type McpStatus,
  type McpToolDefinition,
  type ResolvedMcpOptions,
  resolveMcpOptions,
} from "./options.ts";
import type { McpResult } from "./result.ts";
import { type McpInput, type McpTool, ServerTools } from "./server-tools.ts";

/** A connection to an MCP server, which is made again when it is lost. */
export interface McpConnection {
  readonly name: string;
  readonly status: McpStatus;
  /** By the server's name for them, from the last list. */
  readonly tools: ReadonlyMap<string, McpTool>;
  /**
   * A tool for `fl.protect`, plans and alternatives. A tool that the server does not have can be called too: it fails with
   * NotFound.
   */
  tool(name: string): McpTool;
  /** The server's description of a tool. */
  definition(name: string): McpToolDefinition | undefined;
  /** As `fl.protect`: never rejects when the tool fails. */
  protect(name: string, input: McpInput, options?: ProtectOptions<McpResult>): Promise<Outcome<McpResult>>;
  /** As `fl.call`: returns the result, or throws a FaultError. A result that reports the tool's own error is a result. */
  call(name: string, input: McpInput, options?: ProtectOptions<McpResult>): Promise<McpResult>;
  /** Reads the tool list again. Rejects with a FaultError if that fails. */
  refresh(): Promise<void>;
  /** Ends the connection and the server's process. Later calls fail. */
  close(): Promise<void>;
}

/** What `connectMcp` does, once the MCP SDK is loaded. */
export async function openConnection(fl: Runtime, options: McpOptions): Promise<McpConnection> {
  const resolved = resolveMcpOptions(options);
  await loadMcpSdk();
  const connection = new LiveConnection(fl, resolved);
  await connection.start();
  return connection;
}

class LiveConnection implements McpConnection {
  readonly #fl: Runtime;
  readonly #options: ResolvedMcpOptions;
  readonly #connector: Connector;
  readonly #tools: ServerTools;
  readonly #listTool: Tool<null, null>;
  /** The first list does not count as a change. */
  #isListed = false;
  #refreshing: Promise<void> | null = null;
  /** How many times the list was requested. */
  #asked = 0;

  constructor(fl: Runtime, options: ResolvedMcpOptions) {
    this.#fl = fl;
    this.#options = options;
    const suppress = (seen: Fault, reason: string): void => this.#suppress(seen, reason);
    this.#tools = new ServerTools({ options, suppress, link: (signal) => this.#connector.link(signal) });
    this.#connector = new Connector(fl, options, {
      suppress,
      listed: (definitions) => this.#listed(definitions),
      toolsChanged: () => {
        this.refresh().catch((error: unknown) => this.#suppressError(error, "the previous tool list stays in use"));
      },
    });
    this.#listTool = tool<null, null>({
      id: `mcp:${options.name}:list`,
      provider: options.name,
      surface: "mcp",
      idempotent: true,
      timeoutMs: options.timeoutMs,
      rules: CALL_RULES,
      classify: withStderr,
      run: async (_input, { signal }) => {
        const link = await this.#connector.link(signal);
        this.#listed(await link.list({ signal, timeoutMs: options.timeoutMs }));
        return null;
      },
    });
  }

  get name(): string {
    return this.#options.name;
  }

  get status(): McpStatus {
    return this.#connector.status;
  }

  get tools(): ReadonlyMap<string, McpTool> {
    return this.#tools.all;
  }

  tool(name: string): McpTool {
    return this.#tools.get(name);
  }

  definition(name: string): McpToolDefinition | undefined {
    return this.#tools.definition(name);
  }

  protect(name: string, input: McpInput, options?: ProtectOptions<McpResult>): Promise<Outcome<McpResult>> {
    return this.#fl.protect(this.tool(name), input, options);
  }

  call(name: string, input: McpInput, options?: ProtectOptions<McpResult>): Promise<McpResult> {
    return this.#fl.call(this.tool(name), input, options);
  }

  refresh(): Promise<void> {
    // A list requested before the change may be stale, so request it again.
    this.#asked += 1;
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null));
    return this.#refreshing;
  }

  close(): Promise<void> {
    return this.#connector.close();
  }

  start(): Promise<void> {
    return this.#connector.start(this.#options.signal);
  }

  async #refresh(): Promise<void> {
    const asked = this.#asked;
    const outcome = await this.#fl.protect(this.#listTool, null);
    if (outcome.status !== "done") throw new FaultError(outcome.fault);
    if (asked !== this.#asked) await this.#refresh();
  }

  #listed(definitions: readonly McpToolDefinition[]): void {
    const change = this.#tools.update(definitions);
    const isFirst = !this.#isListed;
    this.#isListed = true;
    if (change === null || isFirst) return;
    try {
      this.#options.onToolsChanged(change);
    } catch (error) {
      this.#suppressError(error, "onToolsChanged threw; the new tools are in use");
    }
  }

  #suppressError(error: unknown, reason: string): void {
    this.#suppress(classify({ surface: "mcp", provider: this.name, error }), reason);
  }

  #suppress(seen: Fault, reason: string): void {
    try {
      this.#options.onSuppressed(seen, reason);
    } catch (error) {
      // If rethrown, it would vanish in the transport. The runtime records it like any failed call.
      void this.#fl.protect(
        tool({ id: `mcp:${this.name}:onSuppressed`, retry: "none", run: () => reject(error) }),
        null,
      );
    }
  }
}

function reject(error: unknown): never {
  throw error;
}
