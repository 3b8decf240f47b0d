// Words about the request, the model and what it can do, and about content that was refused.

import type { RuleGroup } from "../rule.ts";

const UNSUPPORTED = [
  "does not support",
  "doesn't support",
  "do not support",
  "not support*",
  "unsupported",
  "not enabled for",
  "that support",
  "without support",
  "unknown variant",
  "cannot be used with",
  "not available for",
  "no support for",
  "not capable",
  "isn't supported",
  "incompatible with",
  "only supported by",
  "only supported in",
  "at most 0",
  "choice requires",
  "param requires",
  "不支持",
];

// prettier-ignore
export const REQUEST_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "words/content", when: { says: [["content filter*", "content management policy", "content policy", "usage policy", "usage policies", "acceptable use policy", "safety system", "safety filter*", "safety setting*", "safety guideline*", "safety reasons", "safeguard*", "flagged as", "flagged by", "was flagged", "prohibited content", "blocked by content", "response was blocked", "prompt was blocked", "blocked due to", "blocked because", "blocked or filtered", "did not comply", "inappropriate content", "input data may contain*", "output data may contain*", "content exists risk", "content moderation", "block reason", "blockedreason", "moderation", "harmful content", "terms of service", "responsible ai", "jailbreak", "recitation", "copyrighted", "violates our", "violate our", "violating our", "high risk content", "unsafe content", "sensitive content", "敏感", "违规", "内容安全", "不合规", "审核"]], unless: ["moderation model", "content filter results", "content filter offsets"] },
      means: "ContentFiltered", example: "API Error: Output blocked by content filtering policy" },
    { id: "words/no-tools", when: { says: [UNSUPPORTED, ["tool*", "function call*", "functions", "tool use", "tool calling", "function calling"]], within: 60, unless: ["tool result*", "tool schema*", "input schema"] },
      means: "MissingToolCalling", onTool: "Unsupported", example: "registry.ollama.ai/library/deepseek-coder-v2:latest does not support tools" },
    { id: "words/no-modality", when: { says: [UNSUPPORTED, ["image*", "vision", "audio", "video", "pdf", "file input*", "multimodal", "image url", "modality", "modalities", "document*"]], within: 60, unless: ["image type", "image format", "supported format*", "mime type*", "media type*"] },
      means: "MissingModality", onTool: "Unsupported", example: "API Error: 400 this model does not support image input (ref: b8bd630e)" },
    { id: "words/no-streaming", when: { says: [UNSUPPORTED, ["streaming", "stream"]], within: 40 },
      means: "MissingStreaming", onTool: "Unsupported", example: "Streaming is not supported for this model." },
    { id: "words/no-capability", when: { says: [UNSUPPORTED, ["thinking", "think value", "reasoning", "structured output*", "json schema", "json mode", "response format", "system role", "developer role", "developer instruction*", "system instruction*", "system message*", "system prompt*", "embedding*", "chat completion*", "completions", "chat", "generate", "prompt caching", "caching", "prefill", "assistant message prefill", "logprobs", "parallel tool*", "batch*", "websocket*", "web search", "computer use", "grounding", "role"]], within: 60 },
      means: "MissingCapability", onTool: "Unsupported", example: "Developer instruction is not enabled for models/gemma-3-27b-it" },
    { id: "words/role", when: { says: [["developer", "system"], ["is not one of", "role is not supported", "not a valid role"]], within: 60 },
      means: "MissingCapability", example: "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'" },
    { id: "words/model", when: { says: [["model", "models", "deployment", "model identifier", "model id", "模型"], ["does not exist", "doesn't exist", "not found", "not exist", "no longer available", "has been deprecated", "deprecated", "been retired", "decommissioned", "may not exist", "is not available", "not available", "is invalid", "unknown", "isn't available", "not deployed", "no such", "try pulling it first", "is not supported", "on demand throughput", "could not be found", "can't find", "cannot find", "couldn't find", "not recognized", "is not allowed", "end of its life", "end of life", "discontinued", "not loaded", "not registered", "not a known", "unrecognized", "not in the list", "sunset", "shut down", "been removed", "no longer exists", "no longer supported", "无效", "不存在", "未找到"]], within: 70, unless: ["tool not found", "server not found", "temporarily*", "try again later", "session not found", "model context protocol", "model output", "module not found", "modulenotfounderror", "file not found", "no module named", "data model", "not found in path"] },
      means: "ModelNotFound", onTool: "NotFound", example: "The provided model identifier is invalid." },
    { id: "words/model-404", when: { token: ["not_found_error"], says: [["model"]], unless: ["model context protocol"] },
      means: "ModelNotFound", onTool: "NotFound", example: { surface: "http", provider: "anthropic", status: 404, body: { type: "error", error: { type: "not_found_error", message: "model: claude-3-5-sonnet-20240620" } } } },
    { id: "words/no-model", when: { says: [["invalid model", "unknown model", "no endpoints found for", "no such model", "no models loaded", "unsupported model", "model not exist", "model not found", "no available channel for model", "无可用渠道", "no allowed providers", "no model*", "not a chat model", "not a valid model", "model name", "unable to infer model provider", "unknown engine", "does not exist or you do not have access", "does not exist or you don't have access", "not found for api version", "no such provider", "unknown provider", "unsupported provider", "no providers available", "no available providers", "isn't mapped yet", "not a valid litellm model", "supports this model", "engine not found", "llm provider not provided"]], unless: ["tool*"] },
      means: "ModelNotFound", example: "No endpoints found for nousresearch/hermes-3-llama-3.1-405b:free." },
    { id: "words/history", when: { says: [["tool use", "tool call*", "tool result*", "tool call id*", "function call*", "function response*", "thinking", "thought signature", "redacted thinking", "reasoning item", "roles", "assistant message*", "tool message*", "messages", "content block*", "cache control"], ["must be followed", "without", "invalid signature", "after role", "cannot be modified", "immediately after", "must alternate", "no tool call found", "is missing a", "must have", "did not have response messages", "must be a response", "found without", "unexpected", "non empty", "must not be empty", "must be unique", "expected", "must contain", "cannot be empty", "may not be empty", "at least one message", "must end with", "expected last role"]], within: 120 },
      means: "RequestInvalid", onTool: "InputInvalid", example: "messages.45: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block." },
  ],
};
