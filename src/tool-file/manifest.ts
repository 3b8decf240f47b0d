// A tool's manifest as programs use it: checked, in this library's own names, with its classification as rules.

import { defined } from "../core/defined.ts";
import { type BreakerRule, DEFAULT_POLICY, type ToolOverride } from "../core/index.ts";
import { rulesOf } from "./classification.ts";
import type { ToolFileTool } from "./schema.ts";

/** A field missing in the manifest is absent here: the tool, the policy or the library's default decides. */
export interface ToolManifest extends ToolOverride {
  /** `file:line`. */
  readonly origin: string;
}

export function manifestOf(tool: ToolFileTool, origin: string): ToolManifest {
  const { circuit_breaker: breaker, retry_policy: retry } = tool;
  return {
    id: tool.id,
    ...defined({
      timeoutMs: tool.timeout_ms,
      idempotent: tool.idempotent,
      optional: tool.optional,
      modelDetail: tool.model_detail,
      default: Object.hasOwn(tool, "default") ? { value: tool.default } : undefined,
      alternatives: tool.alternatives,
      maxConcurrent: tool.max_concurrent,
      maxQueued: tool.max_queued,
      retry: retry === undefined ? undefined : defined(retry),
      breaker: breaker === undefined ? undefined : breakerOf(breaker),
    }),
    rules: rulesOf(tool.id, tool.classification ?? []),
    origin,
  };
}

function breakerOf(breaker: NonNullable<ToolFileTool["circuit_breaker"]>): Partial<BreakerRule> {
  const openMs = breaker.timeout_ms;
  // The policy sets the longest open time; it must not shorten the time in the manifest.
  const isLonger = openMs !== undefined && openMs > DEFAULT_POLICY.breaker.maxOpenMs;
  return defined({
    failures: breaker.failure_threshold,
    successes: breaker.success_threshold,
    openMs,
    maxOpenMs: isLonger ? openMs : undefined,
  });
}
