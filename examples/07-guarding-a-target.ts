// The parts without the runtime: a circuit breaker, a retry budget and your own policy, as plain data.

import { admit, CLOSED, decide, earn, fullBudget, record, situation, spend } from "faultline/core";
import { fault } from "faultline";
import { parsePolicy } from "faultline/policy-file";

const { policy, diagnostics } = parsePolicy(
  `
version: 1
rows:
  - match: { code: Overloaded }
    retry: { maxAttempts: 2, backoff: { kind: fixed, initialMs: 500 }, jitter: 0 }
    then: [surface]
breaker: { failures: 2, openMs: 1000 }
`,
  "policy.yaml",
);
if (policy === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));

let breaker = CLOSED;
let budget = fullBudget(policy.retryBudget, 0);
for (const now of [0, 10]) {
  const admission = admit(breaker, policy.breaker, now);
  if (!admission.admitted) continue;
  budget = earn(budget, policy.retryBudget, now);
  breaker = record(admission.breaker, policy.breaker, admission.ticket, "failure", now);
}
console.log(breaker.state, admit(breaker, policy.breaker, 500).admitted, admit(breaker, policy.breaker, 1010).admitted);
// open false true

const overloaded = fault("Overloaded");
const first = decide(
  situation(overloaded, { retryBudgetLeft: spend(budget, policy.retryBudget, 20) !== null }),
  policy,
);
console.log(first.recourse, first.recourse === "retry" ? first.delayMs : 0);
// retry 500
const blocked = decide(situation(overloaded, { breaker: breaker.state }), policy);
console.log(blocked.recourse, blocked.considered);
// surface [ { recourse: 'retry', refused: 'breaker-open' } ]
