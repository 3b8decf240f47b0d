// One fault, described for each audience: the model, the user, an HTTP client, the audit trail.

import { collectPartial, createRedactor, suppressed } from "faultline/core";
import { classify, fault, toProblem, viewFor, withContext, wrap } from "faultline";

const key = "hunter2-hunter2"; // a secret
const options = { correlationId: "err_9K", redactor: createRedactor([key]) };

const refused = classify({
  surface: "http",
  provider: "openai",
  status: 401,
  body: { error: { code: "invalid_api_key", message: `Incorrect API key provided: ${key}` } },
});

// Callers can add context. Class, code and timing stay the same.
const told = wrap(withContext(refused, { runId: "run_7Q" }), "while planning", { stage: "plan" });

console.log(viewFor("model", told, options).context);
// { stage: 'plan' }
console.log(viewFor("user", told, options).next);
// Sign in again or enter a valid key; ask the operator if the key is not yours.
console.log(viewFor("operator", told, options).detail);
// while planning: Incorrect API key provided: [redacted]
console.log(toProblem(told, options).status, toProblem(told, options).type);
// 401 urn:faultline:fault:AuthFailed

// A partial result keeps its shape and lists the failures beside it.
const pages = collectPartial([
  { item: "a.html", value: "<h1>A</h1>" },
  { item: "b.html", fault: fault("ExecutionTimeout", { message: "30 s" }) },
]);
console.log(pages.value.length, pages.errors[0]?.fault.code);
// 1 ExecutionTimeout

// A fault that you ignore on purpose is still recorded, with the reason.
console.log(suppressed(fault("NotFound"), "the cache file is optional", Date.UTC(2026, 0, 1)).type);
// fault-suppressed
