// The options for an MCP server and their defaults, resolved once, here.

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Implementation, Tool as Definition } from "@modelcontextprotocol/sdk/types.js";
import type { Fault } from "../core/fault/fault.ts";
import type { ModelDetail } from "../core/fault/view.ts";
import type { BreakerRule } from "../core/policy/policy.ts";
import type { AnyTool, RetryOptions } from "../runtime/tool/tool.ts";
import {
  anything,
  callable,
  checkOptions,
  flag,
  group,
  having,
  mapOf,
  number,
  required,
  shape,
  signal as signalKind,
  whole,
} from "../options/check-options.ts";
import { alternativesKind, breakerKind, MAX_TIMEOUT_MS, modelDetailKind, retryKind } from "../runtime/option-shapes.ts";
import type { McpResult } from "./result.ts";

/** `disconnected`: all attempts to connect failed; the next call tries again. */
export type McpStatus = "connected" | "reconnecting" | "disconnected" | "closed";

/** A tool as the server describes it. */
export type McpToolDefinition = Definition;

/** Overrides for one tool. */
export interface McpToolOptions {
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** How often to retry, or "none". Default: as the policy says. */
  readonly retry?: RetryOptions | "none";
  /** When calls are stopped. Default: as the policy says. */
  readonly breaker?: Partial<BreakerRule>;
  /** A call may run twice without harm. Default: as the server says. */
  readonly idempotent?: boolean;
  /** The program can do without the value. Default: false. */
  readonly optional?: boolean;
  /** The value to use when a call fails. */
  readonly default?: McpResult;
  /** Tools to use instead when this one fails. */
  readonly alternatives?: readonly (string | AnyTool)[];
  /**
   * How much of a failure's text a model may read, redacted. By default the model reads the tool's own error text, which the
   * protocol addresses to it, and nothing of other failures. `none` hides that text too.
   */
  readonly modelDetail?: ModelDetail;
  /** How many calls may run at the same time. Default: no limit. */
  readonly maxConcurrent?: number;
}

/** Names of tools that changed with the server's list. */
export interface McpToolsChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Options of `connectMcp`. */
export interface McpOptions {
  /** The server's name: its tools are called `name.tool`. */
  readonly name: string;
  /** Creates a transport; called for every connection. */
  readonly transport: () => Transport;
  /** The name and version sent to the server. */
  readonly client?: Implementation;
  /** Time limit of each attempt of a call, including connecting. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Time limit of each attempt to connect. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** How calls are retried. Default: the policy's. */
  readonly retry?: RetryOptions | "none";
  /** The breaker of each tool. Default: the policy's. */
  readonly breaker?: Partial<BreakerRule>;
  /** How connecting is retried. Default: the policy's. */
  readonly reconnect?: RetryOptions | "none";
  /** Whether a tool may run twice. Default: the server's `readOnlyHint` and `idempotentHint`. */
  readonly idempotent?: (tool: McpToolDefinition) => boolean;
  /** Overrides for single tools, by the server's name for them. */
  readonly tools?: Readonly<Record<string, McpToolOptions>>;
  /** Called when the server's list of tools has changed. */
  readonly onToolsChanged?: (change: McpToolsChange) => void;
  /** Called on every change of status, with the fault that caused it, if any. */
  readonly onStatus?: (status: McpStatus, fault: Fault | null) => void;
  /** Called for problems that need no action: noise on the server's output, a tool with an unusable schema. */
  readonly onSuppressed?: (fault: Fault, reason: string) => void;
  /** Cancels connecting; has no effect once connected. */
  readonly signal?: AbortSignal;
}

export interface ResolvedMcpOptions {
  readonly name: string;
  readonly transport: () => Transport;
  readonly client: Implementation;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly retry: RetryOptions | "none" | null;
  readonly breaker: Partial<BreakerRule> | null;
  readonly reconnect: RetryOptions | "none" | null;
  readonly idempotent: (tool: McpToolDefinition) => boolean;
  readonly tools: ReadonlyMap<string, McpToolOptions>;
  readonly onToolsChanged: (change: McpToolsChange) => void;
  readonly onStatus: (status: McpStatus, fault: Fault | null) => void;
  readonly onSuppressed: (fault: Fault, reason: string) => void;
  readonly signal: AbortSignal | null;
}

const MCP_OPTIONS = shape<McpOptions>({
  name: required({
    says: "a name without spaces; the server's tools are called name.tool",
    fits: (value) => typeof value === "string" && /^\S+$/.test(value),
  }),
  transport: required({
    ...callable,
    says: "a function that makes a transport for every connection, as in () => new StdioClientTransport({ … })",
  }),
  client: having("an object with name and version", "name", "version"),
  timeoutMs: number(1, MAX_TIMEOUT_MS),
  connectTimeoutMs: number(1, MAX_TIMEOUT_MS),
  retry: retryKind,
  breaker: breakerKind,
  reconnect: retryKind,
  idempotent: callable,
  tools: mapOf(
    group(
      shape<McpToolOptions>({
        timeoutMs: number(1, MAX_TIMEOUT_MS),
        retry: retryKind,
        breaker: breakerKind,
        idempotent: flag,
        optional: flag,
        default: anything,
        alternatives: alternativesKind,
        modelDetail: modelDetailKind,
        maxConcurrent: whole(1),
      }),
    ),
  ),
  onToolsChanged: callable,
  onStatus: callable,
  onSuppressed: callable,
  signal: signalKind,
});

export function resolveMcpOptions(options: McpOptions): ResolvedMcpOptions {
  const { name, transport } = checkOptions("connectMcp", options, MCP_OPTIONS);
  return {
    name,
    transport,
    client: options.client ?? { name: "faultline", version: "1" },
    timeoutMs: options.timeoutMs ?? 30_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    retry: options.retry ?? null,
    breaker: options.breaker ?? null,
    reconnect: options.reconnect ?? null,
    idempotent: options.idempotent ?? saysIdempotent,
    tools: new Map(Object.entries(options.tools ?? {})),
    onToolsChanged: options.onToolsChanged ?? nothing,
    onStatus: options.onStatus ?? nothing,
    onSuppressed: options.onSuppressed ?? nothing,
    signal: options.signal ?? null,
  };
}

function saysIdempotent({ annotations }: McpToolDefinition): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

function nothing(): void {
  // Default: report nothing.
}
