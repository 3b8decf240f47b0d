// Anthropic's errors: `{"type":"error","error":{"type","message","details"?},"request_id"}`.

import type { ErrorAnswer } from "../wire.ts";
import { type ErrorFacts, type ErrorTable, retryHeaders, saysWait } from "./error-ids.ts";

type Headers = Readonly<Record<string, string>>;

// prettier-ignore
export const ANTHROPIC_ERRORS: ErrorTable = {
  "rate-limit": (facts) => answer(429, "rate_limit_error", rateLimitText(facts), { headers: { ...retryHeaders(facts), ...resetHeaders(facts) } }),
  // Without `retry-after`: trying again is useless until the month ends.
  "quota": () => answer(429, "rate_limit_error", "This request would exceed your organization's monthly spend limit.", { errorCode: "enforced_spend_limit_reached" }),
  "quota-credit": () => answer(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
  "quota-reset": ({ at, waitS }) => answer(429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later.", { headers: planHeaders(at, waitS ?? 0) }),
  "server-error": () => answer(500, "api_error", "Internal server error"),
  "bad-gateway": () => answer(502, "api_error", "Bad gateway"),
  "unavailable": () => answer(503, "api_error", "Service unavailable"),
  "gateway-timeout": () => answer(504, "timeout_error", "Request timed out"),
  "overloaded": () => answer(529, "overloaded_error", "Overloaded", { headers: { "x-should-retry": "true" } }),
  "bad-request": () => answer(400, "invalid_request_error", "messages: at least one message is required"),
  "unauthorized": () => answer(401, "authentication_error", "invalid x-api-key"),
  "invalid-key": () => answer(401, "authentication_error", "invalid x-api-key"),
  "payment-required": () => answer(402, "billing_error", "There is an issue with your billing or payment information."),
  "forbidden": () => answer(403, "permission_error", "Your API key does not have permission to use the specified resource."),
  "not-found": ({ model }) => answer(404, "not_found_error", `model: ${model}`),
  "route-not-found": () => answer(404, "not_found_error", "Not Found"),
  "request-timeout": () => answer(408, "timeout_error", "Request timed out"),
  "too-large": () => answer(413, "request_too_large", "Request exceeds the maximum size"),
  "unprocessable": () => answer(422, "invalid_request_error", "messages.0: Input should be a valid dictionary or object to extract fields from"),
  "context-overflow": () => answer(400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
  "content-filter": () => answer(400, "invalid_request_error", "Output blocked by content filtering policy"),
  "prefill-rejected": () => answer(400, "invalid_request_error", "This model does not support assistant message prefill. The conversation must end with a user message."),
};

interface Extra {
  readonly headers?: Headers;
  readonly errorCode?: string;
}

function answer(status: number, type: string, message: string, { headers = {}, errorCode }: Extra = {}): ErrorAnswer {
  const details = errorCode === undefined ? {} : { details: { error_code: errorCode } };
  return { status, headers, body: { type: "error", error: { type, message, ...details }, request_id: "req_chaos" } };
}

function rateLimitText(facts: ErrorFacts): string {
  const limit = `This request would exceed your organization's rate limit of 50 requests per minute (org: 00000000-0000-0000-0000-000000000000, model: ${facts.model}).`;
  // The API reports the wait in a header; gateways put it into the text.
  return saysWait(facts) ? `${limit} Please try again in ${facts.waitS}s.` : limit;
}

function resetHeaders({ timing, waitS, at }: ErrorFacts): Headers {
  if (timing !== "reset-header" || waitS === null) return {};
  return {
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": new Date(at + waitS * 1000).toISOString(),
  };
}

/** A subscription's window is used up; the headers say until when. */
function planHeaders(at: number, waitS: number): Headers {
  return {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-reset": String(Math.ceil(at / 1000) + waitS),
  };
}
