// Classify and decide by hand: what failed, what to do about it, and what to tell the user.

import { decide, PRESETS, situation } from "faultline/core";
import { classify, explain, viewFor } from "faultline";

try {
  await callTheModel();
} catch (error) {
  const now = Date.now();
  const fault = classify({ surface: "node", provider: "openai", error, observedAt: now });
  console.log(fault.class, fault.code, fault.retryAfterMs, fault.evidence.rule);
  // ProviderTransient RateLimited 1400 words/rate-limit

  const decision = decide(situation(fault, { attempt: 1, idempotent: true, now }), PRESETS.default);
  console.log(explain(decision, "en").what);
  // Try again in 1.4 s, as the server asked (attempt 2 of 6).

  console.log(viewFor("user", fault, { correlationId: "err_1" }).message);
  // The service is receiving too many requests from this account right now.
}

/** A stand-in for your own call: the openai SDK throws this for a 429. */
function callTheModel(): Promise<never> {
  const message = "429 Rate limit reached for gpt-5.5 on tokens per min (TPM). Please try again in 1.4s.";
  return Promise.reject(
    Object.assign(new Error(message), { status: 429, code: "rate_limit_exceeded", type: "tokens" }),
  );
}
