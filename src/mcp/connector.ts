// Keeps a server connected. Connecting is a protected call: the policy sets the number and spacing of the attempts, the breaker
// of the server's target stops them, and failures are recorded like all others.
// C1  At most one connection is in use, and at most one is being opened.
// C2  A waiting call gets the result of the next attempt to connect, not of all attempts: the call has its own policy.
// C3  A lost connection is replaced at once if a call has used it, else on the next call: a server that crashes on start is not
//     restarted forever.
// C4  After `close`, the connector never connects again.
// C5  The length of one outage says nothing about the next, so connecting does not use incident memory.

import { fault, type Fault, FaultError, withContext } from "../core/fault/fault.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { tool, type RunContext, type Tool } from "../runtime/tool/tool.ts";
import { classifyConnecting, CONNECT_RULES } from "./failures.ts";
import { Link, type LinkEvents, withStderr } from "./link.ts";
import type { McpStatus, McpToolDefinition, ResolvedMcpOptions } from "./options.ts";

interface Waiter {
  readonly resolve: (link: Link) => void;
  readonly reject: (error: FaultError) => void;
}

export interface ConnectorEvents {
  /** The server's current list. */
  listed(definitions: readonly McpToolDefinition[]): void;
  /** The server announced that its list has changed. */
  toolsChanged(): void;
  suppress(seen: Fault, reason: string): void;
}

const END_SESSION_MS = 2_000;

export class Connector {
  readonly #fl: Runtime;
  readonly #options: ResolvedMcpOptions;
  readonly #events: ConnectorEvents;
  readonly #connectTool: Tool<null, null>;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Waiter>();
  readonly #linkEvents: LinkEvents;
  #link: Link | null = null;
  #connecting: Promise<void> | null = null;
  #reported: McpStatus | null = null;

  constructor(fl: Runtime, options: ResolvedMcpOptions, events: ConnectorEvents) {
    this.#fl = fl;
    this.#options = options;
    this.#events = events;
    this.#linkEvents = {
      lost: (link, error) => this.#lost(link, error),
      toolsChanged: (link) => (link === this.#link ? events.toolsChanged() : undefined),
      noise: (error, reason) => events.suppress(classifyConnecting(error, options.name), reason),
    };
    this.#connectTool = tool<null, null>({
      id: `mcp:${options.name}`,
      target: options.name,
      provider: options.name,
      surface: "mcp",
      idempotent: true,
      timeoutMs: options.connectTimeoutMs,
      rules: CONNECT_RULES,
      classify: withStderr,
      learns: false,
      // One failure already includes several attempts, so the next calls need not wait for more. One success proves that it
      // works.
      breaker: { failures: 1, successes: 1, openMs: 5_000, maxOpenMs: 60_000 },
      ...(options.reconnect === null ? {} : { retry: options.reconnect }),
      run: (_input, context) => this.#connectOnce(context),
    });
  }

  get status(): McpStatus {
    if (this.#closing.signal.aborted) return "closed";
    if (this.#link !== null) return "connected";
    return this.#connecting === null ? "disconnected" : "reconnecting";
  }

  /** Opens the first connection; rejects with the fault if that fails. */
  async start(signal: AbortSignal | null): Promise<void> {
    const signals = signal === null ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const outcome = await this.#fl.protect(this.#connectTool, null, { signal: signals });
    if (outcome.status !== "done") throw this.#unreachable(outcome.fault);
    if (this.#link !== null) this.#link.isWanted = true;
  }

  /** The live connection, or the result of the next attempt to connect. */
  async link(signal: AbortSignal): Promise<Link> {
    await this.#link?.doubt;
    if (this.#closing.signal.aborted) throw this.#closedError();
    if (this.#link !== null) return this.#link;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      this.#waiting.add(waiter);
      signal.addEventListener("abort", () => this.#waiting.delete(waiter) && reject(signal.reason as Error), {
        once: true,
      });
      this.#connect(null);
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const link = this.#link;
    this.#link = null;
    this.#closing.abort(this.#closedError());
    this.#failWaiting(this.#closedError());
    this.#tell(null);
    await this.#connecting;
    if (link === null) return;
    if (link.session !== undefined) await this.#endSession(link);
    await link.close();
  }

  #connect(why: Fault | null): void {
    if (this.#connecting === null && !this.#closing.signal.aborted) this.#connecting = this.#keepTrying();
    this.#tell(why);
  }

  async #keepTrying(): Promise<void> {
    // Lets the caller finish first, so that its state is complete when the attempts begin.
    await Promise.resolve();
    const outcome = await this.#fl.protect(this.#connectTool, null, { signal: this.#closing.signal });
    this.#connecting = null;
    if (outcome.status === "done") {
      // The connection was lost again: calls that arrived in the meantime are still waiting.
      if (this.#link === null && this.#waiting.size > 0) this.#connect(null);
      else this.#tell(null);
      return;
    }
    // A guard may have refused without an attempt.
    this.#failWaiting(this.#unreachable(outcome.fault));
    this.#tell(outcome.fault);
  }

  async #connectOnce({ signal }: RunContext): Promise<null> {
    try {
      const link = new Link(this.#options, this.#linkEvents);
      const definitions = await link.open({ signal, timeoutMs: this.#options.connectTimeoutMs });
      this.#adopt(link, definitions, signal);
      return null;
    } catch (error) {
      const { name } = this.#options;
      this.#failWaiting(this.#unreachable(withStderr(error, classifyConnecting(error, name))));
      throw error;
    }
  }

  #adopt(link: Link, definitions: readonly McpToolDefinition[], signal: AbortSignal): void {
    if (signal.aborted || link.isOver) {
      link.close().catch((error: unknown) => this.#suppress(error, "an unused connection could not be closed"));
      const message = `${this.#options.name} disconnected right after connecting`;
      throw link.marked(new FaultError(fault("ToolUnavailable", { message }))) as FaultError;
    }
    this.#link = link;
    this.#events.listed(definitions);
    if (this.#waiting.size > 0) link.isWanted = true;
    for (const { resolve } of this.#takeWaiting()) resolve(link);
    this.#tell(null);
    if (link.isListStale) this.#events.toolsChanged();
  }

  #lost(link: Link, error: unknown): void {
    if (link !== this.#link) return;
    this.#link = null;
    const { name } = this.#options;
    const seen =
      error === undefined
        ? fault("NetworkDisconnect", { message: `the connection to ${name} has ended`, context: { provider: name } })
        : classifyConnecting(error, name);
    const why = link.stderr === "" ? seen : withContext(seen, { stderr: link.stderr });
    if (link.isWanted) this.#connect(why);
    else this.#tell(why);
  }

  #takeWaiting(): readonly Waiter[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    return waiting;
  }

  #failWaiting(error: FaultError): void {
    for (const { reject } of this.#takeWaiting()) reject(error);
  }

  /** Nothing was sent, so the tool has not run. */
  #unreachable(seen: Fault): FaultError {
    const { stderr } = seen.context;
    const wrote = typeof stderr === "string" ? `; the server wrote: ${stderr.split("\n").at(-1) ?? ""}` : "";
    return new FaultError(
      fault(seen.code, {
        message: `there is no connection to ${this.#options.name}: ${seen.message}${wrote}`,
        context: { ...seen.context, ran: false },
        retryAfterMs: seen.retryAfterMs,
        resetAt: seen.resetAt,
        cause: seen,
        evidence: seen.evidence,
      }),
    );
  }

  #closedError(): FaultError {
    const { name } = this.#options;
    const message = `the connection to ${name} was closed by this program; connect again with connectMcp`;
    return new FaultError(fault("EngineState", { message, context: { provider: name, ran: false } }));
  }

  async #endSession(link: Link): Promise<void> {
    const { name } = this.#options;
    const outcome = await this.#fl.protect(
      tool({
        id: `mcp:${name}:end`,
        surface: "mcp",
        timeoutMs: END_SESSION_MS,
        retry: "none",
        run: () => link.endSession(),
      }),
      undefined,
    );
    if (outcome.status !== "done") this.#events.suppress(outcome.fault, "the server will drop the session by itself");
  }

  #tell(seen: Fault | null): void {
    const { status } = this;
    if (status === this.#reported) return;
    this.#reported = status;
    try {
      this.#options.onStatus(status, seen);
    } catch (error) {
      this.#suppress(error, "onStatus threw; the connection continues");
    }
  }

  #suppress(error: unknown, reason: string): void {
    this.#events.suppress(classifyConnecting(error, this.#options.name), reason);
  }
}
