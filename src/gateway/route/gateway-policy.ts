// The policy of a gateway's calls. It differs from the runtime's policy in three points:
// G1  Faults of an account fall back. In the library, a refused key asks a person. A gateway's client cannot repair the gateway's keys, and the
//     next target has its own key. The ledger records the fault.
// G2  No wait is long. An agent that runs for hours can wait ten minutes for a rate limit. A client of a gateway would only see silence, so
//     it gets the error with the time at which to try again.
// G3  A failure that nobody knows, or that looks like a tool's (409, 423), falls back: whatever it is, another target may answer.

import { FAULT_CODES, type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import { codesOf, type Policy, type PolicyRow, type Recourse } from "../../core/policy/policy.ts";

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

const OF_TARGETS: ReadonlySet<string> = new Set(["Unknown", "ToolTransient"]);
/** What a client gets instead of an answer, or as one. */
const ENDS: ReadonlySet<Recourse> = new Set(["alternative", "partial", "default", "skip", "surface", "ask", "fail"]);

/** Whether another target may answer after this failure, although it is not a provider's by its code. */
function mayBeOfTarget(code: FaultCode): boolean {
  const { scope, class: of } = traitsOf(code);
  return scope === "account" || OF_TARGETS.has(of);
}

function forClients(row: PolicyRow): PolicyRow {
  if (row.origin.layer !== "matrix") return row;
  const { then, match, retry } = row;
  const fallsBack = !codesOf(match, FAULT_CODES).every(mayBeOfTarget) || then.includes("fallback");
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
    then: fallsBack
      ? then
      : then.toSpliced(
          then.findIndex((recourse) => ENDS.has(recourse)),
          0,
          "fallback",
        ),
    origin: { layer: "preset", at: "gateway" },
  };
}
