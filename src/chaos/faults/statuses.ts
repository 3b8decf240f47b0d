// Faults that are a status: of a limit, with every way to report the wait; of the server, of a proxy in front of it, or because of the request.

import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { ErrorId, ErrorFacts } from "../errors/error-ids.ts";
import { type FaultRow, type PerProtocol, row } from "./fault-row.ts";
import { errorOf, errorPlan, goodPlan, pagePlan } from "./plans.ts";

/** The vendor's JSON, or the page of a proxy. */
function server<const Id extends ErrorId>(
  id: Id,
  status: number,
  title: string,
  means: PerProtocol<FaultCode>,
  as: "json" | "html",
  about: string,
): FaultRow<Id> {
  return row(id, means, {
    about,
    params: { as },
    plan: (scene) =>
      scene.params.as === "html" ? pagePlan(scene, status, title, "nginx") : errorPlan(scene, errorOf(id, scene)),
  });
}

function cloudflare<const Id extends string>(id: Id, status: number, title: string, about: string): FaultRow<Id> {
  return row(id, "Provider5xx", { about, plan: (scene) => pagePlan(scene, status, title, "cloudflare") });
}

function client<const Id extends ErrorId>(id: Id, means: PerProtocol<FaultCode>, about: string): FaultRow<Id> {
  return row(id, means, { about, plan: (scene) => errorPlan(scene, errorOf(id, scene)) });
}

function rateLimit(timing: ErrorFacts["timing"]): FaultRow["plan"] {
  return (scene) => errorPlan(scene, errorOf("rate-limit", scene, timing));
}

// prettier-ignore
export const STATUSES = [
  row("rate-limit",              "RateLimited",    { about: "429 with `retry-after` in seconds.", params: { "retry-after": 1 }, plan: rateLimit("seconds") }),
  row("rate-limit-date",         "RateLimited",    { about: "429 with `retry-after` as an HTTP date.", params: { "retry-after": 1 }, plan: rateLimit("date") }),
  row("rate-limit-ms",           "RateLimited",    { about: "429 with `retry-after-ms`, and a coarser `retry-after` beside it.", params: { "retry-after": 0.3 }, plan: rateLimit("ms") }),
  row("rate-limit-body",         "RateLimited",    { about: "429 that names the wait only in its body: in Google's RetryInfo, elsewhere in the text.", params: { "retry-after": 1.5 }, plan: rateLimit("body") }),
  row("rate-limit-reset-header", "RateLimited",    { about: "429 that names the wait only in the vendor's reset header.", params: { "retry-after": 2 }, plan: rateLimit("reset-header") }),
  row("rate-limit-bare",         "RateLimited",    { about: "429 that does not say how long to wait.", plan: rateLimit("none") }),
  client("quota", "QuotaExhausted", "The vendor's answer to a quota or spend limit that is used up; it looks like a rate limit."),
  client("quota-credit", "QuotaExhausted", "The vendor's answer to credit that is used up, or to a plan without any."),
  row("quota-reset",             "QuotaExhausted", { about: "A used-up quota; the answer says when it resets.", params: { "retry-after": 3600 }, plan: (scene) => errorPlan(scene, errorOf("quota-reset", scene)) }),
  server("server-error",    500, "Internal Server Error", "Provider5xx", "json", "500 in the vendor's envelope; `as=html` for a proxy's page."),
  server("bad-gateway",     502, "Bad Gateway",           "Provider5xx", "html", "502 as a proxy's page; `as=json` for the vendor's envelope."),
  server("unavailable",     503, "Service Temporarily Unavailable", "Overloaded", "json", "503 in the vendor's envelope; `as=html` for a proxy's page."),
  server("gateway-timeout", 504, "Gateway Time-out",      "Provider5xx", "html", "504 as a proxy's page; `as=json` for the vendor's envelope."),
  server("overloaded",      529, "Site is overloaded",    "Overloaded",  "json", "529 in the vendor's envelope; `as=html` for a proxy's page."),
  cloudflare("cloudflare-520", 520, "Web server is returning an unknown error", "520: the proxy got an answer it does not understand."),
  cloudflare("cloudflare-521", 521, "Web server is down",     "521: the proxy was refused by the server behind it."),
  cloudflare("cloudflare-522", 522, "Connection timed out",   "522: the proxy could not connect in time."),
  cloudflare("cloudflare-523", 523, "Origin is unreachable",  "523: the proxy found no way to the server."),
  cloudflare("cloudflare-524", 524, "A timeout occurred",     "524: the server behind the proxy did not answer in time."),
  client("request-timeout",  "NetworkTimeout",  "408: the server gave up waiting for the request."),
  client("bad-request",      "RequestInvalid",  "400: a field of the request is wrong."),
  client("unauthorized",     "AuthFailed",      "401: the credential is not accepted."),
  client("invalid-key",      "AuthFailed",      "The vendor's answer to a wrong key, which Google sends as a 400."),
  client("payment-required", "QuotaExhausted",  "402: there is no money left."),
  client("forbidden",        "AccessDenied",    "403: the credential may not do this."),
  client("not-found",        "ModelNotFound",   "404: there is no such model."),
  client("route-not-found",  "EndpointNotFound", "404: there is no such address."),
  client("too-large",        "ContextOverflow", "413: the request has too many bytes."),
  client("unprocessable",    "RequestInvalid",  "422: the request can be read and makes no sense."),
  client("context-overflow", "ContextOverflow", "400: the prompt has more tokens than the model takes."),
  client("content-filter",   "ContentFiltered", "The prompt is refused by a filter: 400, at Google a 200 that says so."),
  row("prefill-rejected", { "openai-chat": "RequestInvalid", "openai-responses": "RequestInvalid", "anthropic": "MissingCapability", "google": "RequestInvalid" }, {
    about: "400 when the last message is the assistant's; a good answer otherwise.",
    plan: (scene) => (scene.asked.endsWithAssistant ? errorPlan(scene, errorOf("prefill-rejected", scene)) : goodPlan(scene)),
  }),
] as const;
