// Four ways to run: the same matrix with a few rows in front.

import type { FaultCode } from "../fault/catalogue.ts";
import { withRows } from "./layer.ts";
import { DEFAULT_POLICY, MATRIX, ONE_RETRY, RATE_LIMIT_RETRY, TRANSPORT_RETRY } from "./matrix.ts";
import type { Policy, PolicyRow, Recourse, Retry } from "./policy.ts";

export const PRESET_NAMES = ["default", "cautious", "eager", "headless"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

function rows(
  preset: PresetName,
  list: readonly [readonly FaultCode[], Retry | null, readonly Recourse[]][],
): PolicyRow[] {
  return list.map(([code, retry, then]) => ({ match: { code }, retry, then, origin: { layer: "preset", at: preset } }));
}

/** Asks before it spends or switches, and never repeats what nobody understood. */
// prettier-ignore
const CAUTIOUS = rows("cautious", [
  [["RateLimited"],                                              { ...RATE_LIMIT_RETRY, maxAttempts: 4 }, ["park", "ask", "fail"]],
  [["Overloaded", "Provider5xx", "NetworkTimeout", "NetworkDisconnect"], { ...TRANSPORT_RETRY, maxAttempts: 2 }, ["ask", "surface", "fail"]],
  [["QuotaExhausted"],                                           null,                                    ["ask", "park", "fail"]],
  [["Interrupted", "Unclassified"],                              null,                                    ["ask", "surface", "fail"]],
]);

/** Keeps going: unknown failures count as transient, credentials may be switched. */
// prettier-ignore
const EAGER = rows("eager", [
  [["RateLimited"],                                              { ...RATE_LIMIT_RETRY, maxAttempts: 7 }, ["fallback", "park", "fail"]],
  [["Overloaded", "Provider5xx", "NetworkTimeout", "NetworkDisconnect"], { ...TRANSPORT_RETRY, maxAttempts: 5, backoff: { ...TRANSPORT_RETRY.backoff, maxMs: 16_000 } }, ["fallback", "alternative", "default", "skip", "surface", "fail"]],
  [["AuthFailed"],                                               null,                                    ["refresh-credential", "fallback", "ask", "fail"]],
  [["Unclassified"],                                             { ...ONE_RETRY, maxAttempts: 3 },        ["fallback", "alternative", "default", "skip", "surface", "fail"]],
]);

/** Nobody is there to ask: every row goes without it. */
const HEADLESS: readonly PolicyRow[] = MATRIX.filter(({ then }) => then.includes("ask")).map((row) => ({
  ...row,
  then: row.then.filter((recourse) => recourse !== "ask"),
  origin: { layer: "preset", at: "headless" },
}));

export const PRESETS: Readonly<Record<PresetName, Policy>> = {
  default: DEFAULT_POLICY,
  cautious: { ...withRows(DEFAULT_POLICY, CAUTIOUS), name: "cautious", learnsAfter: 0 },
  eager: { ...withRows(DEFAULT_POLICY, EAGER), name: "eager" },
  headless: { ...withRows(DEFAULT_POLICY, HEADLESS), name: "headless" },
};
