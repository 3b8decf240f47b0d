// OpenAI's usage, in the words of chat completions and of responses, and what compatible servers made of it.

import { countOf, type JsonObject, objectOf, textOf } from "../../core/json-fields.ts";
import type { WireUsage } from "./wire-state.ts";

/** The tier stands beside the usage. */
export function openaiUsage(usage: JsonObject, holder: JsonObject): WireUsage {
  const inputs = objectOf(usage["prompt_tokens_details"]) ?? objectOf(usage["input_tokens_details"]) ?? {};
  const outputs = objectOf(usage["completion_tokens_details"]) ?? objectOf(usage["output_tokens_details"]) ?? {};
  const inputTokens = countOf(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const outputTokens = countOf(usage["completion_tokens"] ?? usage["output_tokens"]);
  const reasoningTokens = countOf(outputs["reasoning_tokens"]);
  // xAI counts reasoning beside the completion; only the total tells.
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
