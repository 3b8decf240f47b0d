// The policy of a gateway's calls: the runtime's own, but for what fails with an account. The library reports a refused key, because a program
// has someone to ask. A gateway's client cannot mend the gateway's keys, and the next target has a key of its own. The ledger keeps the fault.

import { FAULT_CODES, traitsOf } from "../../core/fault/catalogue.ts";
import { codesOf, type Policy, type PolicyRow } from "../../core/policy/policy.ts";

/** One for each policy, because the runtime knows policies by their identity. */
const made = new WeakMap<Policy, Policy>();

/** Rows that the operator wrote, or a preset brings, stay as they are. */
export function gatewayPolicy(own: Policy): Policy {
  const known = made.get(own) ?? { ...own, rows: own.rows.map(goingRound) };
  made.set(own, known);
  return known;
}

function goingRound(row: PolicyRow): PolicyRow {
  const { then, match, origin } = row;
  const isOfAccount = codesOf(match, FAULT_CODES).every((code) => traitsOf(code).scope === "account");
  const asked = then.indexOf("ask");
  if (origin.layer !== "matrix" || !isOfAccount || asked === -1 || then.includes("fallback")) return row;
  return { ...row, then: then.toSpliced(asked, 0, "fallback"), origin: { layer: "preset", at: "gateway" } };
}
