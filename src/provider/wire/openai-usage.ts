// OpenAI's usage in the formats of chat completions, of the responses API and of compatible servers.

import { countOf, type JsonObject, objectOf, textOf } from "../../core/json-fields.ts";
import type { WireUsage } from "./wire-state.ts";

/** `holder` is the object around the usage, which contains the tier. */
export function openaiUsage(usage: JsonObject, holder: JsonObject): WireUsage {
  const inputs = objectOf(usage["prompt_tokens_details"]) ?? objectOf(usage["input_tokens_details"]) ?? {};
  const outputs = objectOf(usage["completion_tokens_details"]) ?? objectOf(usage["output_tokens_details"]) ?? {};
  const inputTokens = countOf(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const outputTokens = countOf(usage["completion_tokens"] ?? usage["output_tokens"]);
  const reasoningTokens = countOf(outputs["reasoning_tokens"]);
  // xAI counts reasoning apart from the completion. Only the total shows this.
  const isBeside = countOf(usage["total_tokens"]) === inputTokens + outputTokens + reasoningTokens;
  return {
    inputTokens,
    cachedInputTokens: countOf(inputs["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: countOf(inputs["cache_write_tokens"]),
    hourCacheWriteTokens: 0,
    outputTokens: isBeside ? outputTokens + reasoningTokens : outputTokens,
    reasoningTokens,
    serviceTier: textOf(holder["service_tier"]) || null,
  };
}
