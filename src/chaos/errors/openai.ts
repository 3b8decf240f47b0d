// OpenAI's errors: `{"error":{"message","type","param","code"}}`.

import type { ErrorAnswer, ProtocolId } from "../wire.ts";
import { type ErrorFacts, type ErrorTable, retryHeaders, saysWait } from "./error-ids.ts";

type Headers = Readonly<Record<string, string>>;

// prettier-ignore
export const OPENAI_ERRORS: ErrorTable = {
  "rate-limit": (facts) => answer(429, rateLimitText(facts), "requests", "rate_limit_exceeded", { headers: { ...retryHeaders(facts), ...resetHeaders(facts) } }),
  "quota": () => answer(429, "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.", "insufficient_quota", "insufficient_quota"),
  "quota-credit": () => answer(429, "Your credit balance is exhausted. Add credits to continue using the API.", "insufficient_quota", "credit_balance_exhausted"),
  "quota-reset": ({ at, waitS }) => answer(429, "The usage limit has been reached", "usage_limit_reached", null, { more: { plan_type: "plus", resets_at: Math.floor(at / 1000) + (waitS ?? 0), resets_in_seconds: waitS } }),
  "server-error": () => answer(500, "The server had an error while processing your request. Sorry about that!", "server_error", null),
  "bad-gateway": () => answer(502, "Bad gateway.", "server_error", null),
  "unavailable": () => answer(503, "The engine is currently overloaded, please try again later", "service_unavailable_error", "server_is_overloaded"),
  "gateway-timeout": () => answer(504, "Gateway timeout.", "server_error", null),
  "overloaded": () => answer(529, "Our servers are currently overloaded. Please try again later.", "service_unavailable_error", "server_is_overloaded"),
  "bad-request": ({ protocol }) => answer(400, "Invalid value: 'chaos'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", "invalid_request_error", "invalid_value", { param: `${promptField(protocol)}[0].role` }),
  "unauthorized": () => answer(401, "Incorrect API key provided: chaos***. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key"),
  "invalid-key": () => answer(401, "Incorrect API key provided: chaos***. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key"),
  "payment-required": () => answer(402, "Insufficient Balance", "unknown_error", "invalid_request_error"),
  "forbidden": () => answer(403, "Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"),
  "not-found": ({ model }) => answer(404, `The model \`${model}\` does not exist or you do not have access to it.`, "invalid_request_error", "model_not_found"),
  "route-not-found": ({ path }) => answer(404, `Invalid URL (POST ${path})`, "invalid_request_error", null),
  "request-timeout": () => answer(408, "Request timed out.", "timeout", null),
  "too-large": () => answer(413, "Request too large.", "invalid_request_error", "request_too_large"),
  "unprocessable": ({ protocol }) => answer(422, "Unprocessable request: the last message must have content.", "invalid_request_error", null, { param: promptField(protocol) }),
  "context-overflow": ({ protocol }) => answer(400, overflowText(protocol), "invalid_request_error", "context_length_exceeded", { param: promptField(protocol) }),
  "content-filter": () => answer(400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.", "invalid_request_error", "invalid_prompt"),
  "prefill-rejected": ({ protocol }) => answer(400, "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant", "invalid_request_error", null, { param: promptField(protocol) }),
};

interface Extra {
  readonly param?: string;
  readonly headers?: Headers;
  readonly more?: Readonly<Record<string, unknown>>;
}

function answer(status: number, message: string, type: string, code: string | null, extra: Extra = {}): ErrorAnswer {
  const { param = null, headers = {}, more = {} } = extra;
  return { status, headers, body: { error: { message, type, param, code, ...more } } };
}

/** The request's field for the prompt. */
function promptField(protocol: ProtocolId): string {
  return protocol === "openai-responses" ? "input" : "messages";
}

function overflowText(protocol: ProtocolId): string {
  return protocol === "openai-responses"
    ? "Your input exceeds the context window of this model. Please adjust your input and try again."
    : "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens. Please reduce the length of the messages.";
}

function rateLimitText(facts: ErrorFacts): string {
  const wait = saysWait(facts) ? ` Please try again in ${facts.waitS}s.` : "";
  return `Rate limit reached for ${facts.model} in organization org-chaos on requests per min (RPM): Limit 500, Used 500, Requested 1.${wait} Visit https://platform.openai.com/account/rate-limits to learn more.`;
}

/** A duration, as OpenAI writes it. */
function resetHeaders({ timing, waitS }: ErrorFacts): Headers {
  if (timing !== "reset-header" || waitS === null) return {};
  return {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": `${waitS}s`,
  };
}
