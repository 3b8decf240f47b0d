// Why a model stopped, sorted by what it means for the answer. Reasons not listed (`stop`, `end_turn`, `tool_use`, `pause_turn`, and
// whatever comes next year) are no failure: a new word must not break a good answer.

/** `failed`: the answer is not to be used. `cut`: the limit of tokens was reached, which plain text survives. */
export type StopMeaning = "failed" | "cut";

export function stopMeaning(reason: string): StopMeaning | null {
  return MEANINGS.get(reason.toLowerCase()) ?? null;
}

// prettier-ignore
const FAILED = [
  // Refused or filtered, as OpenAI, Anthropic and Google say it.
  "content_filter", "content_filtered", "refusal", "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
  "image_safety", "image_prohibited_content", "image_recitation", "model_armor", "jailbreak", "guardrail_intervened",
  // The window is full (Anthropic, Mistral).
  "model_context_window_exceeded", "model_length",
  // The model wrote a call that is none (Google).
  "malformed_function_call", "malformed_response", "unexpected_tool_call", "too_many_tool_calls",
  // The server broke off (OpenRouter and Mistral, DeepSeek, vLLM, Google).
  "error", "insufficient_system_resource", "abort", "other", "image_other",
];
const CUT = ["max_tokens", "length", "max_output_tokens"];

const MEANINGS: ReadonlyMap<string, StopMeaning> = new Map([
  ...FAILED.map((reason) => [reason, "failed"] as const),
  ...CUT.map((reason) => [reason, "cut"] as const),
]);

/** For the test that holds this list against the classifier's. */
export const STOP_REASONS: readonly string[] = [...MEANINGS.keys()];
