// One connection to an MCP server, from start to end, through the official client.
// L1  The end is reported exactly once.
// L2  The last lines of the server's stderr are kept, with secrets masked.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { outgoingTrace } from "../telemetry/otel.ts";
import { fault, type Fault, FaultError, withContext } from "../core/fault/fault.ts";
import { lastOf } from "../core/fault/known-values.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { isAnswered, isConnectionLoss } from "./failures.ts";
import type { McpToolDefinition, ResolvedMcpOptions } from "./options.ts";
import { mcpSdk } from "./sdk.ts";

export interface LinkEvents {
  /** The connection has ended; `error` is the reason, if known. */
  lost(link: Link, error: unknown): void;
  toolsChanged(link: Link): void;
  /** An error that does not end the connection. */
  noise(error: unknown, reason: string): void;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const MAX_STDERR_CHARS = 2_000;
const MAX_PAGES = 1_000;
const MAX_TOOLS = 10_000;

/** Reports of the HTTP transport after which the server may be gone. */
const DOUBTS = ["SSE stream disconnected", "Failed to reconnect", "Maximum reconnection attempts"];

export class Link {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #options: ResolvedMcpOptions;
  readonly #events: LinkEvents;
  #stderr = "";
  #isOpen = false;
  #isOver = false;
  #looking: Promise<void> | null = null;
  /** A call or the connecting program has used it. */
  isWanted = false;
  /** The server changed its list since the connection was opened, perhaps before a listener was attached. */
  isListStale = false;

  constructor(options: ResolvedMcpOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
    this.#transport = options.transport();
    this.#client = new (mcpSdk().Client)(options.client, { capabilities: {} });
    // The client forwards these events from the transport.
    this.#client.onclose = () => this.end(undefined);
    this.#client.onerror = (error) => this.#onError(error);
    this.#client.setNotificationHandler(mcpSdk().ToolListChangedNotificationSchema, () => {
      this.isListStale = true;
      events.toolsChanged(this);
    });
    this.#listen();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Resolves once it is clear whether the server is still alive; null if there is no doubt. Requests sent before that may be
   * lost.
   */
  get doubt(): Promise<void> | null {
    return this.#looking;
  }

  /** The session id from the server; undefined for transports without sessions. */
  get session(): string | undefined {
    return this.#transport.sessionId;
  }

  /** Initialises the connection and reads the tool list. Closes the connection if that fails. */
  async open({ signal, timeoutMs }: RequestLimits): Promise<readonly McpToolDefinition[]> {
    try {
      const opening = this.#client.connect(this.#transport, { signal, timeout: timeoutMs });
      // A transport may hang before the client has sent anything that could be aborted.
      await unlessAborted(opening, signal);
      const definitions = await this.list({ signal, timeoutMs });
      this.#isOpen = true;
      return definitions;
    } catch (error) {
      this.#isOver = true;
      this.close().catch((late: unknown) => this.#suppress(late, "a failed connection could not be closed"));
      throw this.marked(error);
    }
  }

  async list(limits: RequestLimits): Promise<readonly McpToolDefinition[]> {
    const capabilities = this.#client.getServerCapabilities();
    // Unknown if the transport resumes a session of its own.
    if (capabilities !== undefined && capabilities.tools === undefined) return [];
    const all: McpToolDefinition[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      // `listTools` would reject the whole list if one output schema is unusable.
      const params = cursor === undefined ? {} : { cursor };
      const { ListToolsResultSchema } = mcpSdk();
      const asked = this.#client.request({ method: "tools/list", params }, ListToolsResultSchema, optionsOf(limits));
      const { tools, nextCursor } = await this.#watched(asked);
      for (const one of tools) all.push(one);
      if (all.length > MAX_TOOLS) throw this.#tooMany(`more than ${MAX_TOOLS} tools`);
      if (nextCursor === undefined || nextCursor === "" || nextCursor === cursor) return all;
      cursor = nextCursor;
    }
    throw this.#tooMany(`more than ${MAX_PAGES} pages; the server's pages repeat`);
  }

  #tooMany(what: string): FaultError {
    return new FaultError(fault("OutputMalformed", { message: `the tool list of ${this.#options.name} has ${what}` }));
  }

  /** The client notifies the server when the signal fires. */
  call(name: string, input: Readonly<Record<string, unknown>>, limits: RequestLimits): Promise<CallToolResult> {
    this.isWanted = true;
    const trace = outgoingTrace();
    const meta = Object.keys(trace).length === 0 ? {} : { _meta: trace };
    const request = { method: "tools/call" as const, params: { name, arguments: { ...input }, ...meta } };
    return this.#watched(this.#client.request(request, mcpSdk().CallToolResultSchema, optionsOf(limits)));
  }

  async #watched<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!this.#isOver && isConnectionLoss(error)) this.#drop(error);
      throw this.marked(error);
    }
  }

  /** Ends the connection: all calls in flight fail at once. */
  end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.lost(this, error);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Tells an HTTP server that its session is over. */
  async endSession(): Promise<void> {
    const { terminateSession } = this.#transport as { terminateSession?: () => Promise<void> };
    if (terminateSession !== undefined) await terminateSession.call(this.#transport);
  }

  /** Remembers which connection an error came from, for `withStderr`. */
  marked(error: unknown): unknown {
    if (typeof error === "object" && error !== null) linkOf.set(error, this);
    return error;
  }

  get stderr(): string {
    return SHAPE_REDACTOR.text(this.#stderr).trim();
  }

  #listen(): void {
    const { stderr } = this.#transport as { stderr?: NodeJS.ReadableStream | null };
    stderr?.on("data", (chunk: string | Uint8Array) => {
      this.#stderr = lastOf(`${this.#stderr}${String(chunk)}`, MAX_STDERR_CHARS);
    });
  }

  #onError(error: Error): void {
    if (this.#isOver) return;
    const isDoubt = DOUBTS.some((doubt) => error.message.includes(doubt)) || isConnectionLoss(error);
    // While connecting, the caller gets the error anyway.
    if (isDoubt && this.#isOpen) this.#look();
    else this.#suppress(error, this.#isOpen ? "the connection continues" : "still connecting");
  }

  /** Over HTTP the client would wait for a cut-off answer until its timeout, so ask the server with a ping. */
  #look(): void {
    this.#looking ??= this.#client
      .ping({ timeout: this.#options.connectTimeoutMs })
      .then(
        () => undefined,
        (error: unknown) => {
          if (isAnswered(error)) this.#suppress(error, "the server still answers");
          else this.#drop(error);
        },
      )
      .finally(() => (this.#looking = null));
  }

  #drop(error: unknown): void {
    this.end(error);
    this.close().catch((late: unknown) => this.#suppress(late, "a lost connection could not be closed"));
  }

  #suppress(error: unknown, reason: string): void {
    this.#events.noise(error, reason);
  }
}

const linkOf = new WeakMap<object, Link>();

/** Adds the server's last stderr output, if the error came from a connection that has ended. */
export function withStderr(error: unknown, seen: Fault): Fault {
  const link = typeof error === "object" && error !== null ? linkOf.get(error) : undefined;
  const stderr = link?.isOver === true ? link.stderr : "";
  return stderr === "" ? seen : withContext(seen, { stderr });
}

function optionsOf({ signal, timeoutMs }: RequestLimits): { readonly signal: AbortSignal; readonly timeout: number } {
  return { signal, timeout: timeoutMs };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}
