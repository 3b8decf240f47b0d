// One fault, told to everybody who needs to know: the model, the user, an HTTP client, the audit trail.

import {
  classify,
  collectPartial,
  createRedactor,
  fault,
  suppressed,
  toProblem,
  viewFor,
  withContext,
  wrap,
} from "faultline";

const key = "hunter2-hunter2"; // what must never get out
const options = { correlationId: "err_9K", redactor: createRedactor([key]) };

const refused = classify({
  surface: "http",
  provider: "openai",
  status: 401,
  body: { error: { code: "invalid_api_key", message: `Incorrect API key provided: ${key}` } },
});

// Callers add what they know; class, code and timing stay.
const told = wrap(withContext(refused, { runId: "run_7Q" }), "while planning", { stage: "plan" });

console.log(viewFor("model", told, options).context);
// { stage: 'plan' }
console.log(viewFor("user", told, options).next);
// Sign in again or enter a valid key; ask the operator if the key is not yours.
console.log(viewFor("operator", told, options).detail);
// while planning: Incorrect API key provided: [redacted]
console.log(toProblem(told, options).status, toProblem(told, options).type);
// 401 urn:faultline:fault:AuthFailed

// A result that is there in part keeps its shape; the failures stand beside it.
const pages = collectPartial([
  { item: "a.html", value: "<h1>A</h1>" },
  { item: "b.html", fault: fault("ExecutionTimeout", { message: "30 s" }) },
]);
console.log(pages.value.length, pages.errors[0]?.fault.code);
// 1 ExecutionTimeout

// What is ignored on purpose is still told, with the reason.
console.log(suppressed(fault("NotFound"), "the cache file is optional", Date.UTC(2026, 0, 1)).type);
// fault-suppressed
