// A tool's manifest as programs use it: checked, in this library's own names, with its classification as rules.

import {
  type BreakerRule,
  DEFAULT_POLICY,
  type ModelDetail,
  type Rule,
  type ToolRetryManifest,
} from "../core/index.ts";
import { rulesOf } from "./classification.ts";
import type { ToolFileTool } from "./schema.ts";

/** What a manifest leaves out is absent: the tool, the policy or the library's default decides. */
export interface ToolManifest {
  readonly id: string;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
  readonly optional?: boolean;
  readonly modelDetail?: ModelDetail;
  /** Wrapped, because null is a value too. */
  readonly default?: { readonly value: unknown };
  readonly alternatives?: readonly string[];
  readonly maxConcurrent?: number;
  readonly maxQueued?: number;
  /** For `rowsOfTool` or `toolRetry`. */
  readonly retry?: ToolRetryManifest;
  readonly breaker?: Partial<BreakerRule>;
  /** For `rulesWith`: they stand in front of the built-in ones. */
  readonly rules: readonly Rule[];
  /** `file:line`. */
  readonly origin: string;
}

export function manifestOf(tool: ToolFileTool, origin: string): ToolManifest {
  const { circuit_breaker: breaker, retry_policy: retry } = tool;
  return {
    id: tool.id,
    ...given({
      timeoutMs: tool.timeout_ms,
      idempotent: tool.idempotent,
      optional: tool.optional,
      modelDetail: tool.model_detail,
      default: Object.hasOwn(tool, "default") ? { value: tool.default } : undefined,
      alternatives: tool.alternatives,
      maxConcurrent: tool.max_concurrent,
      maxQueued: tool.max_queued,
      retry: retry === undefined ? undefined : given(retry),
      breaker: breaker === undefined ? undefined : breakerOf(breaker),
    }),
    rules: rulesOf(tool.id, tool.classification ?? []),
    origin,
  };
}

function breakerOf(breaker: NonNullable<ToolFileTool["circuit_breaker"]>): Partial<BreakerRule> {
  const openMs = breaker.timeout_ms;
  // The longest open time is the policy's; it must not cut short the time the manifest asks for.
  const isLonger = openMs !== undefined && openMs > DEFAULT_POLICY.breaker.maxOpenMs;
  return given({
    failures: breaker.failure_threshold,
    successes: breaker.success_threshold,
    openMs,
    maxOpenMs: isLonger ? openMs : undefined,
  });
}

/** Absent rather than undefined. */
function given<T extends object>(value: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}
