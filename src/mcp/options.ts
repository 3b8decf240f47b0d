// What a program says about an MCP server, and what is meant when it says nothing. Resolved once, here.

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Implementation, Tool as Definition } from "@modelcontextprotocol/sdk/types.js";
import type { Fault } from "../core/fault/fault.ts";
import type { ModelDetail } from "../core/fault/view.ts";
import type { BreakerRule } from "../core/policy/policy.ts";
import type { AnyTool, RetryOptions } from "../runtime/tool/tool.ts";
import { checkOptions } from "../options/check-options.ts";
import {
  anything,
  callable,
  flag,
  group,
  having,
  mapOf,
  number,
  required,
  shape,
  signal as signalKind,
  whole,
} from "../options/kind.ts";
import { alternativesKind, breakerKind, MAX_TIMEOUT_MS, modelDetailKind, retryKind } from "../runtime/option-shapes.ts";
import type { McpResult } from "./result.ts";

/** `disconnected`: it was tried and given up; the next call tries again. */
export type McpStatus = "connected" | "reconnecting" | "disconnected" | "closed";

/** A tool as the server describes it. */
export type McpToolDefinition = Definition;

/** What is different for one tool. */
export interface McpToolOptions {
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions | "none";
  readonly breaker?: Partial<BreakerRule>;
  readonly idempotent?: boolean;
  readonly optional?: boolean;
  readonly default?: McpResult;
  readonly alternatives?: readonly (string | AnyTool)[];
  /**
   * How much of what it said when it failed a model may read, redacted. Left out: its own error text, which the protocol addresses to
   * the model, and nothing of other failures. `none` hides that text too.
   */
  readonly modelDetail?: ModelDetail;
  readonly maxConcurrent?: number;
}

/** Names of tools, after the server's list has changed. */
export interface McpToolsChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface McpOptions {
  /** Names the server: its tools are `name.tool`. */
  readonly name: string;
  /** Makes a transport; asked anew for every connection. */
  readonly transport: () => Transport;
  /** Who we say we are. */
  readonly client?: Implementation;
  /** Each attempt of a call is given up after this long, connecting included. 30 s when left out. */
  readonly timeoutMs?: number;
  /** Each try to connect is given up after this long. 10 s when left out. */
  readonly connectTimeoutMs?: number;
  /** How calls are tried again; as the policy says when left out. */
  readonly retry?: RetryOptions | "none";
  /** The breaker of each tool; the policy's when left out. */
  readonly breaker?: Partial<BreakerRule>;
  /** How connecting is tried again; as the policy says when left out. */
  readonly reconnect?: RetryOptions | "none";
  /** Whether a tool may run twice. By the server's own `readOnlyHint` and `idempotentHint` when left out. */
  readonly idempotent?: (tool: McpToolDefinition) => boolean;
  /** What is different for single tools, by the server's name for them. */
  readonly tools?: Readonly<Record<string, McpToolOptions>>;
  readonly onToolsChanged?: (change: McpToolsChange) => void;
  /** Told of every change, with the fault that led to it, if one did. */
  readonly onStatus?: (status: McpStatus, fault: Fault | null) => void;
  /** Told of what went wrong and needs nobody: noise on the server's output, a tool whose schema cannot be used. */
  readonly onSuppressed?: (fault: Fault, reason: string) => void;
  /** Gives up connecting; has no effect once connected. */
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
  // Nobody asked to be told.
}
