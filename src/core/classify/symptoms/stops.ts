// Why a model stopped. Many failures are an HTTP 200 whose stop reason tells.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const STOPS: RuleGroup = {
  source: "stop",
  rules: () => [
    { id: "stop/filtered", when: { stop: ["content_filter", "content-filter", "content_filtered", "refusal", "safety", "prohibited_content", "blocklist", "spii", "recitation", "language", "image_safety", "image_prohibited_content", "image_recitation", "jailbreak", "model_armor", "guardrail_intervened"] },
      means: "ContentFiltered", example: { surface: "stop", provider: "anthropic", stopReason: "refusal" } },
    { id: "stop/overflow", when: { stop: ["model_context_window_exceeded", "model_length"] },
      means: "ContextOverflow", example: { surface: "stop", provider: "anthropic", stopReason: "model_context_window_exceeded" } },
    { id: "stop/truncated", when: { surface: ["stop", "http", "sse", "node", "schema"], stop: ["max_tokens", "length", "max_output_tokens"] },
      means: "OutputTruncated", example: { surface: "http", status: 200, body: { choices: [{ index: 0, finish_reason: "length", message: { role: "assistant", content: "stub says" } }] } } },
    { id: "stop/malformed", when: { stop: ["malformed_function_call", "malformed_response", "malformed_model_output", "malformed_tool_use", "unexpected_tool_call", "too_many_tool_calls"] },
      means: "SchemaInvalid", example: { surface: "stop", provider: "google", stopReason: "MALFORMED_FUNCTION_CALL" } },
    { id: "stop/server", when: { surface: ["stop", "http", "sse"], stop: ["error", "insufficient_system_resource", "abort", "other", "image_other"] },
      means: "Provider5xx", example: { surface: "stop", provider: "deepseek", stopReason: "insufficient_system_resource" } },
  ],
};
