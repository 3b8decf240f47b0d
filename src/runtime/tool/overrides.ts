// An operator's settings for a tool, which override its author's. The same fields as a tool manifest in YAML.

import { retryChangeOf, type ToolOverride, type ToolRetryManifest } from "../../core/policy/layer.ts";
import {
  anyText,
  flag,
  group,
  having,
  listOf,
  number,
  oneOf,
  required,
  shape,
  text,
  whole,
} from "../../options/check-options.ts";
import { breakerKind, MAX_TIMEOUT_MS, modelDetailKind, rulesKind } from "../option-shapes.ts";
import type { AnyTool } from "./tool.ts";

export const manifestKind = group(
  shape<ToolOverride & { readonly origin?: string }>({
    id: required(text),
    timeoutMs: number(1, MAX_TIMEOUT_MS),
    idempotent: flag,
    optional: flag,
    modelDetail: modelDetailKind,
    default: having("an object with the value, as in { value: [] }", "value"),
    alternatives: listOf(text),
    maxConcurrent: whole(1),
    maxQueued: whole(0),
    retry: group(
      shape<ToolRetryManifest>({
        strategy: oneOf(["exponential_backoff", "linear_backoff", "fixed_delay"]),
        initial_delay_ms: number(0, MAX_TIMEOUT_MS),
        max_delay_ms: number(0, MAX_TIMEOUT_MS),
        multiplier: number(1, 100),
        jitter_percent: number(0, 100),
        max_attempts: whole(1, 1000),
        max_total_time_ms: number(0),
      }),
    ),
    breaker: breakerKind,
    rules: required(rulesKind),
    // Where a file declares it.
    origin: anyText,
  }),
);

export function withOverride(tool: AnyTool, override: ToolOverride): AnyTool {
  return Object.freeze<AnyTool>({
    ...tool,
    timeoutMs: override.timeoutMs ?? tool.timeoutMs,
    idempotent: override.idempotent ?? tool.idempotent,
    optional: override.optional ?? tool.optional,
    modelDetail: override.modelDetail ?? tool.modelDetail,
    fallbackValue: override.default ?? tool.fallbackValue,
    alternatives: override.alternatives ?? tool.alternatives,
    maxConcurrent: override.maxConcurrent ?? tool.maxConcurrent,
    maxQueued: override.maxQueued ?? tool.maxQueued,
    retry: override.retry === undefined ? tool.retry : retryChangeOf(override.retry),
    breaker: override.breaker === undefined ? tool.breaker : { ...tool.breaker, ...override.breaker },
    rules: [...override.rules, ...tool.rules],
  });
}
