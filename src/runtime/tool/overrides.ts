// What an operator says about a tool, put in front of what its author said. The same fields as a tool manifest in YAML.

import type { Rule } from "../../core/classify/rule.ts";
import type { ModelDetail } from "../../core/fault/view.ts";
import { retryChangeOf, type ToolRetryManifest } from "../../core/policy/layer.ts";
import type { BreakerRule } from "../../core/policy/policy.ts";
import { type AnyTool, checkedTool } from "./tool.ts";

export interface ToolOverride {
  readonly id: string;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
  readonly optional?: boolean;
  readonly modelDetail?: ModelDetail;
  readonly default?: { readonly value: unknown };
  readonly alternatives?: readonly string[];
  readonly maxConcurrent?: number;
  readonly maxQueued?: number;
  readonly retry?: ToolRetryManifest;
  readonly breaker?: Partial<BreakerRule>;
  readonly rules: readonly Rule[];
}

export function withOverride(tool: AnyTool, override: ToolOverride): AnyTool {
  return checkedTool({
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
