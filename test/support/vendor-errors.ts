// The error answers of OpenAI, Anthropic and Google as their servers write them, each with the fault it means.

import type { FaultCode } from "../../src/core/fault/catalogue.ts";

export interface VendorError {
  readonly name: string;
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly means: FaultCode;
  readonly retryAfterMs?: number;
}

const HTML_502 =
  "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>cloudflare</center></body></html>";

function openAi(message: string, type: string, code: string | null = null): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}

function anthropic(type: string, message: string, errorCode?: string): string {
  const details = errorCode === undefined ? {} : { details: { error_code: errorCode } };
  return JSON.stringify({ type: "error", error: { type, message, ...details }, request_id: "req_011CQ" });
}

function google(code: number, status: string, message: string, details: readonly object[] = []): string {
  return JSON.stringify({ error: { code, message, status, ...(details.length === 0 ? {} : { details }) } });
}

function googleQuota(quotaId: string): object {
  return {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [
      {
        quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        quotaId,
        quotaDimensions: { location: "global", model: "gemini-2.5-flash" },
        quotaValue: "250",
      },
    ],
  };
}

const OPENAI_RATE_LIMIT =
  "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in 1.4s. Visit https://platform.openai.com/account/rate-limits to learn more.";
const OPENAI_QUOTA =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.";
const ANTHROPIC_RATE_LIMIT =
  "This request would exceed your organization's rate limit of 50 requests per minute (org: 00000000-0000-0000-0000-000000000000, model: claude-sonnet-4).";
const ANTHROPIC_CREDIT =
  "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.";
const GOOGLE_QUOTA = "You exceeded your current quota, please check your plan and billing details.";

// prettier-ignore
export const OPENAI_ERRORS: readonly VendorError[] = [
  { name: "400",                 status: 400, body: openAi("Invalid value: 'foo'.", "invalid_request_error", "invalid_value"), means: "RequestInvalid" },
  { name: "400 overflow",        status: 400, body: openAi("This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens. Please reduce the length of the messages.", "invalid_request_error", "context_length_exceeded"), means: "ContextOverflow" },
  { name: "401",                 status: 401, body: openAi("Incorrect API key provided: sk-none. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key"), means: "AuthFailed" },
  { name: "402",                 status: 402, body: openAi("Insufficient Balance", "unknown_error", "invalid_request_error"), means: "QuotaExhausted" },
  { name: "403",                 status: 403, body: openAi("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"), means: "AccessDenied" },
  { name: "404 model",           status: 404, body: openAi("The model `gpt-nope` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found"), means: "ModelNotFound" },
  { name: "408",                 status: 408, body: openAi("Request timed out", "timeout"), means: "NetworkTimeout" },
  { name: "413",                 status: 413, body: openAi("Request too large", "invalid_request_error", "request_too_large"), means: "ContextOverflow" },
  { name: "429 retry-after",     status: 429, body: openAi(OPENAI_RATE_LIMIT, "tokens", "rate_limit_exceeded"), headers: { "retry-after": "7" }, means: "RateLimited", retryAfterMs: 7_000 },
  { name: "429 retry-after-ms",  status: 429, body: openAi(OPENAI_RATE_LIMIT, "tokens", "rate_limit_exceeded"), headers: { "retry-after-ms": "300", "retry-after": "1" }, means: "RateLimited", retryAfterMs: 300 },
  { name: "429 quota",           status: 429, body: openAi(OPENAI_QUOTA, "insufficient_quota", "insufficient_quota"), means: "QuotaExhausted" },
  { name: "500",                 status: 500, body: openAi("The server had an error while processing your request. Sorry about that!", "server_error"), means: "Provider5xx" },
  { name: "502 HTML",            status: 502, body: HTML_502, headers: { "content-type": "text/html" }, means: "Provider5xx" },
  { name: "503",                 status: 503, body: openAi("The engine is currently overloaded, please try again later", "server_error", "service_unavailable"), means: "Overloaded" },
  { name: "529",                 status: 529, body: openAi("Overloaded", "overloaded_error"), means: "Overloaded" },
];

// prettier-ignore
export const ANTHROPIC_ERRORS: readonly VendorError[] = [
  { name: "400",                 status: 400, body: anthropic("invalid_request_error", "messages: at least one message is required"), means: "RequestInvalid" },
  { name: "400 overflow",        status: 400, body: anthropic("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"), means: "ContextOverflow" },
  { name: "400 credit",          status: 400, body: anthropic("invalid_request_error", ANTHROPIC_CREDIT), means: "QuotaExhausted" },
  { name: "401",                 status: 401, body: anthropic("authentication_error", "invalid x-api-key"), means: "AuthFailed" },
  { name: "402",                 status: 402, body: anthropic("billing_error", ANTHROPIC_CREDIT), means: "QuotaExhausted" },
  { name: "403",                 status: 403, body: anthropic("permission_error", "Your API key does not have permission to use the specified resource."), means: "AccessDenied" },
  { name: "404 model",           status: 404, body: anthropic("not_found_error", "model: claude-nope-1"), means: "ModelNotFound" },
  { name: "408",                 status: 408, body: anthropic("timeout_error", "Request timed out"), means: "NetworkTimeout" },
  { name: "413",                 status: 413, body: anthropic("request_too_large", "Request exceeds the maximum size"), means: "ContextOverflow" },
  { name: "429 retry-after",     status: 429, body: anthropic("rate_limit_error", ANTHROPIC_RATE_LIMIT), headers: { "retry-after": "12" }, means: "RateLimited", retryAfterMs: 12_000 },
  { name: "429 usage limit",     status: 429, body: anthropic("rate_limit_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."), means: "QuotaExhausted" },
  { name: "429 spend limit",     status: 429, body: anthropic("rate_limit_error", "This request would exceed your organization's limits.", "enforced_spend_limit_reached"), means: "QuotaExhausted" },
  { name: "500",                 status: 500, body: anthropic("api_error", "Internal server error"), means: "Provider5xx" },
  { name: "502 HTML",            status: 502, body: HTML_502, headers: { "content-type": "text/html" }, means: "Provider5xx" },
  { name: "503",                 status: 503, body: anthropic("api_error", "Service unavailable"), means: "Overloaded" },
  { name: "529",                 status: 529, body: anthropic("overloaded_error", "Overloaded"), means: "Overloaded" },
];

// prettier-ignore
export const GOOGLE_ERRORS: readonly VendorError[] = [
  { name: "400",                 status: 400, body: google(400, "INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "foo".', [{ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{ description: 'Invalid JSON payload received. Unknown name "foo".' }] }]), means: "RequestInvalid" },
  { name: "400 overflow",        status: 400, body: google(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), means: "ContextOverflow" },
  { name: "400 bad key",         status: 400, body: google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com" }]), means: "AuthFailed" },
  { name: "401",                 status: 401, body: google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."), means: "AuthFailed" },
  { name: "402",                 status: 402, body: google(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."), means: "QuotaExhausted" },
  { name: "403",                 status: 403, body: google(403, "PERMISSION_DENIED", "Permission denied on resource project p-1.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CONSUMER_INVALID", "domain": "googleapis.com" }]), means: "AccessDenied" },
  { name: "404 model",           status: 404, body: google(404, "NOT_FOUND", "models/gemini-nope is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."), means: "ModelNotFound" },
  { name: "408",                 status: 408, body: google(408, "DEADLINE_EXCEEDED", "Request timed out."), means: "NetworkTimeout" },
  { name: "413",                 status: 413, body: google(413, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."), means: "ContextOverflow" },
  // The SDK drops the headers: only the body says how long to wait.
  { name: "429 RetryInfo",       status: 429, body: google(429, "RESOURCE_EXHAUSTED", `${GOOGLE_QUOTA} Please retry in 2.5s.`, [googleQuota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s" }]), headers: { "retry-after": "2" }, means: "RateLimited", retryAfterMs: 2_500 },
  { name: "429 quota of a day",  status: 429, body: google(429, "RESOURCE_EXHAUSTED", GOOGLE_QUOTA, [googleQuota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")]), means: "QuotaExhausted" },
  { name: "500",                 status: 500, body: google(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"), means: "Provider5xx" },
  { name: "502 HTML",            status: 502, body: HTML_502, headers: { "content-type": "text/html" }, means: "Provider5xx" },
  { name: "503",                 status: 503, body: google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), means: "Overloaded" },
  { name: "529",                 status: 529, body: google(529, "UNAVAILABLE", "The service is currently unavailable."), means: "Overloaded" },
];
