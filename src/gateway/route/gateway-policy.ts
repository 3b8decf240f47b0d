// The policy of a gateway's calls. It differs from the runtime's policy in two points:
// G1  Faults of an account fall back. In the library, a refused key asks a person. A gateway's client cannot repair the gateway's keys, and the
//     next target has its own key. The ledger records the fault.
// G2  No wait is long. An agent that runs for hours can wait ten minutes for a rate limit. A client of a gateway would only see silence, so
//     it gets the error with the time at which to try again.

import { FAULT_CODES, traitsOf } from "../../core/fault/catalogue.ts";
import { codesOf, type Policy, type PolicyRow } from "../../core/policy/policy.ts";

/** One derived policy for each policy, because the runtime compares policies by identity. */
const derived = new WeakMap<Policy, Policy>();

/** Rows that an operator or a preset wrote stay as they are. */
export function gatewayPolicy(own: Policy): Policy {
  const known = derived.get(own) ?? { ...own, rows: own.rows.map(forClients) };
  derived.set(own, known);
  return known;
}

const MAX_WAIT_MS = 30_000;
const MAX_TOTAL_WAIT_MS = 60_000;

function forClients(row: PolicyRow): PolicyRow {
  if (row.origin.layer !== "matrix") return row;
  const { then, match, retry } = row;
  const isOfAccount = codesOf(match, FAULT_CODES).every((code) => traitsOf(code).scope === "account");
  const asked = then.indexOf("ask");
  const fallsBack = !isOfAccount || asked === -1 || then.includes("fallback");
  const waitsLong = retry !== null && (retry.maxWaitMs > MAX_WAIT_MS || retry.maxTotalWaitMs > MAX_TOTAL_WAIT_MS);
  if (fallsBack && !waitsLong) return row;
  return {
    ...row,
    retry: waitsLong
      ? {
          ...retry,
          maxWaitMs: Math.min(retry.maxWaitMs, MAX_WAIT_MS),
          maxTotalWaitMs: Math.min(retry.maxTotalWaitMs, MAX_TOTAL_WAIT_MS),
        }
      : retry,
    then: fallsBack ? then : then.toSpliced(asked, 0, "fallback"),
    origin: { layer: "preset", at: "gateway" },
  };
}
