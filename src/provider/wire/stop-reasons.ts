// The meaning of stop reasons. Reasons not listed (`stop`, `end_turn`, `tool_use`, `pause_turn`, and future ones) are not failures: a new
// reason must not break a good answer.

/** `failed`: the answer is unusable. `cut`: the token limit was reached; truncated plain text is still usable. */
export type StopMeaning = "failed" | "cut";

export function stopMeaning(reason: string): StopMeaning | null {
  return MEANINGS.get(reason.toLowerCase()) ?? null;
}

// prettier-ignore
const FAILED = [
  // Refused or filtered (OpenAI, Anthropic, Google).
  "content_filter", "content_filtered", "refusal", "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
  "image_safety", "image_prohibited_content", "image_recitation", "model_armor", "jailbreak", "guardrail_intervened",
  // The context window is full (Anthropic, Mistral).
  "model_context_window_exceeded", "model_length",
  // The model wrote a malformed call (Google).
  "malformed_function_call", "malformed_response", "unexpected_tool_call", "too_many_tool_calls",
  // The server stopped early (OpenRouter and Mistral, DeepSeek, vLLM, Google).
  "error", "insufficient_system_resource", "abort", "other", "image_other",
];
const CUT = ["max_tokens", "length", "max_output_tokens"];

const MEANINGS: ReadonlyMap<string, StopMeaning> = new Map([
  ...FAILED.map((reason) => [reason, "failed"] as const),
  ...CUT.map((reason) => [reason, "cut"] as const),
]);

/** For the test that compares this list with the classifier's. */
export const STOP_REASONS: readonly string[] = [...MEANINGS.keys()];
