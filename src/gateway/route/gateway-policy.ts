// The policy of a gateway's calls. It differs from the runtime's policy in one point: faults of an account fall back. In the library, a refused
// key asks a person. A gateway's client cannot repair the gateway's keys, and the next target has its own key. The ledger records the fault.

import { FAULT_CODES, traitsOf } from "../../core/fault/catalogue.ts";
import { codesOf, type Policy, type PolicyRow } from "../../core/policy/policy.ts";

/** One derived policy for each policy, because the runtime compares policies by identity. */
const derived = new WeakMap<Policy, Policy>();

/** Rows that an operator or a preset wrote stay as they are. */
export function gatewayPolicy(own: Policy): Policy {
  const known = derived.get(own) ?? { ...own, rows: own.rows.map(fallsBackBeforeAsking) };
  derived.set(own, known);
  return known;
}

function fallsBackBeforeAsking(row: PolicyRow): PolicyRow {
  const { then, match, origin } = row;
  const isOfAccount = codesOf(match, FAULT_CODES).every((code) => traitsOf(code).scope === "account");
  const asked = then.indexOf("ask");
  if (origin.layer !== "matrix" || !isOfAccount || asked === -1 || then.includes("fallback")) return row;
  return { ...row, then: then.toSpliced(asked, 0, "fallback"), origin: { layer: "preset", at: "gateway" } };
}
