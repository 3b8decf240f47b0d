// Keeps a server connected. Connecting is a protected call like any other: the policy decides how often and how far apart it is
// tried, the breaker of the server's target when not to, and failures are written down where all others are.
// C1  at most one connection is in use, and at most one is being made.
// C2  whoever waits is told how the next try went, not how all of them did: a call has a policy of its own.
// C3  what is lost is replaced at once if somebody wanted it, else with the next call: a server that dies of being started
//     is not started for ever.
// C4  once closed, nothing is connected again.
// C5  how long one outage lasted says nothing about the next one, so connecting does not use incident memory.

import { FaultError } from "../core/fault/fault-error.ts";
import { fault, type Fault, withContext } from "../core/fault/fault.ts";
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
  /** The list as the server gives it now. */
  listed(definitions: readonly McpToolDefinition[]): void;
  /** The server says that its list has changed. */
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
  #told: McpStatus | null = null;

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
      // A try that failed has failed several times over; the next calls need not wait for the same. One success is proof.
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

  /** The first connection; rejects with the fault when there is none to be had. */
  async start(signal: AbortSignal | null): Promise<void> {
    const signals = signal === null ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const outcome = await this.#fl.protect(this.#connectTool, null, { signal: signals });
    if (outcome.status !== "done") throw this.#unreachable(outcome.fault);
    if (this.#link !== null) this.#link.isWanted = true;
  }

  /** The live connection, or what comes of the next try to make one. */
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
    // Lets whoever started it go on first, so that its state is whole when tries begin.
    await Promise.resolve();
    const outcome = await this.#fl.protect(this.#connectTool, null, { signal: this.#closing.signal });
    this.#connecting = null;
    if (outcome.status === "done") {
      // Lost again before this was over: whoever came meanwhile still waits.
      if (this.#link === null && this.#waiting.size > 0) this.#connect(null);
      else this.#tell(null);
      return;
    }
    // A guard may have refused without a try.
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
      link.close().catch((error: unknown) => this.#suppress(error, "a connection nobody wants could not be closed"));
      const message = `${this.#options.name} was gone as soon as it was connected`;
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

  /** Nothing was sent: whatever the tool is, it has not run. */
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
    if (outcome.status !== "done") this.#events.suppress(outcome.fault, "the server forgets the session by itself");
  }

  #tell(seen: Fault | null): void {
    const { status } = this;
    if (status === this.#told) return;
    this.#told = status;
    try {
      this.#options.onStatus(status, seen);
    } catch (error) {
      this.#suppress(error, "onStatus threw; the connection goes on");
    }
  }

  #suppress(error: unknown, reason: string): void {
    this.#events.suppress(classifyConnecting(error, this.#options.name), reason);
  }
}
