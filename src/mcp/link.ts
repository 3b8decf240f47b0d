// One connection to an MCP server, from start to end, through the official client.
// L1  its end is told once, whoever noticed it first.
// L2  what the server wrote to stderr is kept, the last of it, without secrets.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  ListToolsResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { FaultError } from "../core/fault/fault-error.ts";
import { lastOf } from "../core/fault/last-of.ts";
import { fault, type Fault, withContext } from "../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { isAnswered, isConnectionLoss } from "./failures.ts";
import type { McpToolDefinition, ResolvedMcpOptions } from "./options.ts";

export interface LinkEvents {
  /** It is over; `error` says why, if anybody knows. */
  lost(link: Link, error: unknown): void;
  toolsChanged(link: Link): void;
  /** Something that does not end it. */
  noise(error: unknown, reason: string): void;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const MAX_STDERR_CHARS = 2_000;
const MAX_PAGES = 1_000;
const MAX_TOOLS = 10_000;

/** Reports of the HTTP transport after which the server may be gone although nothing says so. */
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
  /** Somebody wanted it: a call, or the program that connects. */
  isWanted = false;
  /** The server has changed its list since the connection was made, perhaps before anybody listened. */
  isListStale = false;

  constructor(options: ResolvedMcpOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
    this.#transport = options.transport();
    this.#client = new Client(options.client, { capabilities: {} });
    // The client hands these on when the transport calls them.
    this.#client.onclose = () => this.end(undefined);
    this.#client.onerror = (error) => this.#heard(error);
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.isListStale = true;
      events.toolsChanged(this);
    });
    this.#listen();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Over when it is clear whether anybody is still there; null when nobody doubts it. What is sent meanwhile may be lost. */
  get doubt(): Promise<void> | null {
    return this.#looking;
  }

  /** The session the server gave it; undefined for transports without sessions. */
  get session(): string | undefined {
    return this.#transport.sessionId;
  }

  /** Shakes hands and reads the list of tools. Closed again when it fails. */
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
      this.close().catch((late: unknown) => this.#suppress(late, "a connection that failed could not be closed"));
      throw this.marked(error);
    }
  }

  async list(limits: RequestLimits): Promise<readonly McpToolDefinition[]> {
    const capabilities = this.#client.getServerCapabilities();
    // Unknown when the transport goes on with a session of its own.
    if (capabilities !== undefined && capabilities.tools === undefined) return [];
    const all: McpToolDefinition[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      // Not `listTools`: it refuses the whole list when one output schema cannot be used.
      const params = cursor === undefined ? {} : { cursor };
      const asked = this.#client.request({ method: "tools/list", params }, ListToolsResultSchema, optionsOf(limits));
      const { tools, nextCursor } = await this.#watched(asked);
      for (const one of tools) all.push(one);
      if (all.length > MAX_TOOLS) throw this.#tooMany(`more than ${MAX_TOOLS} tools`);
      if (nextCursor === undefined || nextCursor === "" || nextCursor === cursor) return all;
      cursor = nextCursor;
    }
    throw this.#tooMany(`more than ${MAX_PAGES} pages; the server sends it in circles`);
  }

  #tooMany(what: string): FaultError {
    return new FaultError(fault("OutputMalformed", { message: `the tool list of ${this.#options.name} has ${what}` }));
  }

  /** The client tells the server when the signal fires. */
  call(name: string, input: Readonly<Record<string, unknown>>, limits: RequestLimits): Promise<CallToolResult> {
    this.isWanted = true;
    const request = { method: "tools/call" as const, params: { name, arguments: { ...input } } };
    return this.#watched(this.#client.request(request, CallToolResultSchema, optionsOf(limits)));
  }

  async #watched<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!this.#isOver && isConnectionLoss(error)) this.#drop(error);
      throw this.marked(error);
    }
  }

  /** Ends it for everybody: what is in flight fails at once. */
  end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.lost(this, error);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Tells an HTTP server that its session is not needed any more. */
  async endSession(): Promise<void> {
    const { terminateSession } = this.#transport as { terminateSession?: () => Promise<void> };
    if (terminateSession !== undefined) await terminateSession.call(this.#transport);
  }

  /** Remembers which connection an error came from, for whoever names it. */
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

  #heard(error: Error): void {
    if (this.#isOver) return;
    const isDoubt = DOUBTS.some((doubt) => error.message.includes(doubt)) || isConnectionLoss(error);
    // While it is being made, whoever makes it is told anyway.
    if (isDoubt && this.#isOpen) this.#look();
    else this.#suppress(error, this.#isOpen ? "the connection goes on" : "it is still being connected");
  }

  /** Over HTTP the client waits for an answer that was cut off until its time is up: we ask whether anybody is still there. */
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
    this.close().catch((late: unknown) => this.#suppress(late, "a connection that is lost could not be closed"));
  }

  #suppress(error: unknown, reason: string): void {
    this.#events.noise(error, reason);
  }
}

const linkOf = new WeakMap<object, Link>();

/** The fault with what the server wrote last, if it came from a connection that has ended. */
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
