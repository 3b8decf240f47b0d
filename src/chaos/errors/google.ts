// Google's errors: `{"error":{"code","message","status","details"}}`. A refused prompt is not an error but a 200.

import type { ErrorAnswer, Json } from "../wire.ts";
import { type ErrorFacts, type ErrorTable, retryHeaders } from "./error-ids.ts";

type Headers = Readonly<Record<string, string>>;

const QUOTA_TEXT =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.";

// prettier-ignore
export const GOOGLE_ERRORS: ErrorTable = {
  "rate-limit": (facts) => answer(429, "RESOURCE_EXHAUSTED", rateLimitText(facts), [quotaFailure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "10", facts), ...retryInfo(facts)], { ...retryHeaders(facts), ...resetHeaders(facts) }),
  "quota": (facts) => answer(429, "RESOURCE_EXHAUSTED", QUOTA_TEXT, [quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250", facts)]),
  "quota-credit": (facts) => answer(429, "RESOURCE_EXHAUSTED", `${QUOTA_TEXT}\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0`, [quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "0", facts)]),
  "quota-reset": (facts) => answer(429, "RESOURCE_EXHAUSTED", QUOTA_TEXT, [quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250", facts), ...retryInfo({ ...facts, timing: "body" })]),
  "server-error": () => answer(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"),
  "bad-gateway": () => answer(502, "UNAVAILABLE", "Bad gateway."),
  "unavailable": () => answer(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  "gateway-timeout": () => answer(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
  "overloaded": () => answer(529, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  "bad-request": () => answer(400, "INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "chaos": Cannot find field.', [{ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{ description: 'Invalid JSON payload received. Unknown name "chaos": Cannot find field.' }] }]),
  "unauthorized": () => answer(401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."),
  "invalid-key": () => answer(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com", "metadata": { service: "generativelanguage.googleapis.com" } }]),
  "payment-required": () => answer(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."),
  "forbidden": () => answer(403, "PERMISSION_DENIED", "Permission denied on resource project chaos.", [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CONSUMER_INVALID", "domain": "googleapis.com" }]),
  "not-found": ({ model }) => answer(404, "NOT_FOUND", `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`),
  "route-not-found": () => answer(404, "NOT_FOUND", "Requested entity was not found."),
  "request-timeout": () => answer(408, "DEADLINE_EXCEEDED", "Request timed out."),
  "too-large": () => answer(413, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
  "unprocessable": () => answer(422, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents is not specified"),
  "context-overflow": () => answer(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
  "content-filter": () => ({ status: 200, headers: {}, body: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 }, modelVersion: "chaos" } }),
  "prefill-rejected": () => answer(400, "INVALID_ARGUMENT", "Please ensure that multiturn requests end with a user role or a function response."),
};

function answer(
  code: number,
  status: string,
  message: string,
  details: readonly Json[] = [],
  headers: Headers = {},
): ErrorAnswer {
  return {
    status: code,
    headers,
    body: { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } },
  };
}

function rateLimitText({ waitS, timing }: ErrorFacts): string {
  return waitS !== null && timing === "body" ? `${QUOTA_TEXT}\nPlease retry in ${waitS}s.` : QUOTA_TEXT;
}

function quotaFailure(quotaId: string, quotaValue: string, { model }: ErrorFacts): Json {
  return {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [
      {
        quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        quotaId,
        quotaDimensions: { location: "global", model },
        quotaValue,
      },
    ],
  };
}

function retryInfo({ waitS, timing }: ErrorFacts): readonly Json[] {
  if (waitS === null || timing !== "body") return [];
  return [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": `${waitS}s` }];
}

/** Google sends no such header; gateways in front of it do. */
function resetHeaders({ timing, waitS }: ErrorFacts): Headers {
  if (timing !== "reset-header" || waitS === null) return {};
  return { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${waitS}` };
}
