// Four ways to run: the same matrix with a few rows in front.

import { FAULT_CODES, type FaultCode, traitsOf } from "../fault/catalogue.ts";
import { withRows } from "./layer.ts";
import { DEFAULT_POLICY, MATRIX, ONE_RETRY, RATE_LIMIT_RETRY, TRANSPORT_RETRY } from "./matrix.ts";
import { codesOf, type Policy, type PolicyRow, type Recourse, RECOURSES, type Retry, withDeclared } from "./policy.ts";

/** The names of the policies that come with Faultline. */
export const PRESET_NAMES = ["default", "cautious", "eager", "headless"] as const;
/** The name of a policy that comes with Faultline. */
export type PresetName = (typeof PRESET_NAMES)[number];

function rows(
  preset: PresetName,
  list: readonly [readonly FaultCode[], Retry | null, readonly Recourse[]][],
): PolicyRow[] {
  return list.map(([code, retry, then]) => ({ match: { code }, retry, then, origin: { layer: "preset", at: preset } }));
}

/** Asks before it spends or switches, and never repeats an unknown failure. */
// prettier-ignore
const cautious = (): PolicyRow[] => rows("cautious", [
  [["RateLimited"],                                              { ...RATE_LIMIT_RETRY, maxAttempts: 4 }, ["ask", "alternative", "default", "skip", "park", "fail"]],
  [["Overloaded", "Provider5xx", "NetworkTimeout", "NetworkDisconnect", "AnswerUnreadable"], { ...TRANSPORT_RETRY, maxAttempts: 2 }, ["ask", "alternative", "default", "skip", "surface", "fail"]],
  [["QuotaExhausted"],                                           null,                                    ["ask", "alternative", "default", "skip", "park", "fail"]],
  [["Interrupted", "Unclassified"],                              null,                                    ["ask", "alternative", "default", "skip", "surface", "fail"]],
]);

/** Keeps going: unknown failures count as transient, credentials may be switched. */
// prettier-ignore
const eager = (): PolicyRow[] => rows("eager", [
  [["RateLimited"],                                              { ...RATE_LIMIT_RETRY, maxAttempts: 7 }, ["fallback", "park", "fail"]],
  [["Overloaded", "Provider5xx", "NetworkTimeout", "NetworkDisconnect", "AnswerUnreadable"], { ...TRANSPORT_RETRY, maxAttempts: 5, backoff: { ...TRANSPORT_RETRY.backoff, maxMs: 16_000 } }, ["fallback", "alternative", "default", "skip", "surface", "fail"]],
  [["AuthFailed"],                                               null,                                    ["refresh-credential", "fallback", "ask", "fail"]],
  [["Unclassified"],                                             { ...ONE_RETRY, maxAttempts: 3 },        ["fallback", "alternative", "default", "skip", "surface", "fail"]],
]);

/** The matrix with other lists, in a preset's name, behind the preset's own rows and without what those already answer. */
function matrixWith(
  preset: PresetName,
  own: readonly PolicyRow[],
  list: (then: readonly Recourse[]) => readonly Recourse[],
): readonly PolicyRow[] {
  const answered = new Set(own.flatMap(({ match }) => codesOf(match, FAULT_CODES)));
  const left = MATRIX.filter(({ match }) => !codesOf(match, FAULT_CODES).every((code) => answered.has(code)));
  const origin = { layer: "preset", at: preset } as const;
  return [...own, ...left.map((row) => ({ ...row, then: list(row.then), origin }))];
}

/** Asks before it falls back, and before it uses a declared default. */
function askFirst(then: readonly Recourse[]): readonly Recourse[] {
  const asked = then.indexOf("ask");
  const asksEarly = asked !== -1 && !then.slice(0, asked).includes("surface");
  if (!asksEarly && !then.some(goesElsewhere)) return then;
  const others = withDeclared(
    then.filter((recourse) => recourse !== "ask"),
    new Set(RECOURSES),
  );
  return others.toSpliced(others.findIndex(goesElsewhere), 0, "ask");
}

function goesElsewhere(recourse: Recourse): boolean {
  return recourse === "fallback" || recourse === "alternative";
}

const withoutAsk = (then: readonly Recourse[]): readonly Recourse[] => then.filter((recourse) => recourse !== "ask");

const MAKE: Readonly<Record<PresetName, () => Policy>> = {
  default: () => DEFAULT_POLICY,
  cautious: () => ({
    ...withRows(DEFAULT_POLICY, matrixWith("cautious", cautious(), askFirst)),
    name: "cautious",
    learnsAfter: 0,
  }),
  eager: () => ({ ...withRows(DEFAULT_POLICY, eager()), name: "eager" }),
  headless: () => ({ ...withRows(DEFAULT_POLICY, matrixWith("headless", [], withoutAsk)), name: "headless" }),
};

/** Each preset is made when it is first asked for, and stays the same object from then on. */
function presets(): Readonly<Record<PresetName, Policy>> {
  const all = {};
  for (const name of PRESET_NAMES) {
    let made: Policy | undefined;
    Object.defineProperty(all, name, { enumerable: true, get: () => (made ??= MAKE[name]()) });
  }
  return Object.freeze(all) as Readonly<Record<PresetName, Policy>>;
}

/** The policies that come with Faultline, by name. */
export const PRESETS: Readonly<Record<PresetName, Policy>> = presets();

// The policy of runs: no person watches them, and what a person can do about a failed stage is offered afterwards, as actions. So
// the built-in rows do not ask; an operator's own rows do, and so does a budget with `pause_for_approval`.

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
