// The policy of runs: no person watches them, and what a person can do about a failed stage is offered afterwards, as actions. So
// the built-in rows do not ask; an operator's own rows do, and so does a budget with `pause_for_approval`.

import { FAULT_CODES, traitsOf } from "../fault/catalogue.ts";
import { codesOf, type Policy, type PolicyRow } from "./policy.ts";
import { type PresetName, PRESETS } from "./presets.ts";

export function policyOfRuns(policy: PresetName | Policy): Policy {
  const base = typeof policy === "string" ? PRESETS[policy] : policy;
  return { ...base, unattended: true, rows: base.rows.map((row) => (asksByItself(row) ? withoutAsking(row) : row)) };
}

function asksByItself({ origin, match }: PolicyRow): boolean {
  return origin.layer === "matrix" && !codesOf(match, FAULT_CODES).every((code) => traitsOf(code).scope === "limit");
}

function withoutAsking(row: PolicyRow): PolicyRow {
  return { ...row, then: row.then.filter((recourse) => recourse !== "ask") };
}
