// Faults of limits: too many requests, with every way to report the wait; and exhausted money or quota.

import type { ErrorFacts, ErrorId } from "../errors/error-ids.ts";
import { type FaultRow, row } from "./fault-row.ts";
import { errorOf, errorPlan } from "./plans.ts";

const rateLimit = (timing: ErrorFacts["timing"]): FaultRow["plan"] => {
  return (scene) => errorPlan(scene, errorOf("rate-limit", scene, timing));
};
const error = (id: ErrorId): FaultRow["plan"] => {
  return (scene) => errorPlan(scene, errorOf(id, scene));
};

// prettier-ignore
export const LIMITS = [
  row("rate-limit",              "RateLimited",    { about: "429 with `retry-after` in seconds.", params: { "retry-after": 1 }, plan: rateLimit("seconds") }),
  row("rate-limit-date",         "RateLimited",    { about: "429 with `retry-after` as an HTTP date.", params: { "retry-after": 1 }, plan: rateLimit("date") }),
  row("rate-limit-ms",           "RateLimited",    { about: "429 with `retry-after-ms`, and a coarser `retry-after` beside it.", params: { "retry-after": 0.3 }, plan: rateLimit("ms") }),
  row("rate-limit-body",         "RateLimited",    { about: "429 that names the wait only in its body: in Google's RetryInfo, elsewhere in the text.", params: { "retry-after": 1.5 }, plan: rateLimit("body") }),
  row("rate-limit-reset-header", "RateLimited",    { about: "429 that names the wait only in the vendor's reset header.", params: { "retry-after": 2 }, plan: rateLimit("reset-header") }),
  row("rate-limit-bare",         "RateLimited",    { about: "429 that does not say how long to wait.", plan: rateLimit("none") }),
  row("quota",                   "QuotaExhausted", { about: "The vendor's answer to a quota or spend limit that is used up; it looks like a rate limit.", plan: error("quota") }),
  row("quota-credit",            "QuotaExhausted", { about: "The vendor's answer to credit that is used up, or to a plan without any.", plan: error("quota-credit") }),
  row("quota-reset",             "QuotaExhausted", { about: "A used-up quota; the answer says when it resets.", params: { "retry-after": 3600 }, plan: error("quota-reset") }),
] as const;
