// Finds mistakes in a valid policy: rows that never match, faults without a row, schedules that
// cannot happen. Pure; the policy file's reader turns findings into diagnostics with lines.

import { codesOf, describeMatch, type Policy, type PolicyRow, type Retry, type RowMatch, schedule } from "./policy.ts";
import { FAULT_CODES, traitsOf, type FaultCode } from "../fault/catalogue.ts";
import type { Locale } from "../fault/words/words.ts";
import { LINT_WORDS, type Said } from "./lint-words.ts";

/** The kinds of mistakes that `lintPolicy` finds. */
export type FindingKind =
  | "unreachable-row"
  | "code-without-row"
  | "impossible-schedule"
  | "pointless-retry"
  | "unreachable-recourse"
  | "unsafe-number";

/** Something that is probably wrong in a policy. */
export interface Finding {
  readonly kind: FindingKind;
  /** The row it is about; null when it is about the policy as a whole. */
  readonly row: PolicyRow | null;
  /** The field inside the row, e.g. `retry.maxAttempts`. */
  readonly field: string;
  readonly message: string;
  readonly help: string;
}

/** Finds rows of a policy that cannot match or cannot do what they say. */
export function lintPolicy(policy: Policy, locale: Locale = "en"): readonly Finding[] {
  return [
    ...policy.rows.flatMap((row, index) => lintReach(row, sameLayer(policy.rows.slice(0, index), row), locale)),
    ...policy.rows.flatMap((row) => (row.retry === null ? [] : lintRetry(row, row.retry, locale))),
    ...policy.rows.flatMap((row) => lintRecourses(row, locale)),
    ...lintCoverage(policy, locale),
    ...lintNumbers(policy, locale),
  ];
}

/** That a layer in front shadows one behind it is what layers are for. */
function sameLayer(rows: readonly PolicyRow[], { origin }: PolicyRow): readonly PolicyRow[] {
  return rows.filter((row) => row.origin.layer === origin.layer);
}

function lintReach(row: PolicyRow, before: readonly PolicyRow[], locale: Locale): readonly Finding[] {
  const words = LINT_WORDS[locale];
  const codes = codesOf(row.match, FAULT_CODES);
  if (codes.length === 0) return [finding("unreachable-row", row, "match", words.noCode)];
  const left = codes.filter((code) => !before.some((earlier) => covers(earlier.match, code, row.match)));
  if (left.length > 0) return [];
  const first = before.find((earlier) => covers(earlier.match, codes[0] ?? "Unclassified", row.match));
  const by = first === undefined ? words.earlierRows : words.rowFor(describeMatch(first.match), first.origin.at);
  return [finding("unreachable-row", row, "match", words.unreachable(by))];
}

/** The earlier row matches this code wherever the later one would. */
function covers(earlier: RowMatch, code: FaultCode, later: RowMatch): boolean {
  if (!codesOf(earlier, [code]).includes(code)) return false;
  return (["surface", "provider", "tool", "stage"] as const).every((field) => {
    const wide: readonly string[] | undefined = earlier[field];
    const narrow: readonly string[] | undefined = later[field];
    return wide === undefined || (narrow ?? ["*"]).every((value) => wide.includes(value));
  });
}

/** What a file's schema refuses anyway; a manifest or code can still say it. */
function lintRanges(
  row: PolicyRow,
  { maxAttempts, jitter, backoff, maxWaitMs, maxTotalWaitMs }: Retry,
  locale: Locale,
): readonly Finding[] {
  const { outOfRange, wholeFromOne, share, fromOne, noNegative } = LINT_WORDS[locale];
  const times = [backoff.initialMs, backoff.maxMs, maxWaitMs, maxTotalWaitMs];
  const wrong = [
    ...(Number.isInteger(maxAttempts) && maxAttempts >= 1 ? [] : [["retry.maxAttempts", wholeFromOne]]),
    ...(jitter >= 0 && jitter <= 1 ? [] : [["retry.jitter", share]]),
    ...(backoff.multiplier >= 1 ? [] : [["retry.backoff.multiplier", fromOne]]),
    ...(times.every((ms) => ms >= 0) ? [] : [["retry.backoff", noNegative]]),
  ] as const;
  return wrong.map(([field = "", must = ""]) => finding("unsafe-number", row, field, outOfRange(field, must)));
}

function lintRetry(row: PolicyRow, retry: Retry, locale: Locale): readonly Finding[] {
  const words = LINT_WORDS[locale];
  const found: Finding[] = [...lintRanges(row, retry, locale)];
  const { backoff, maxAttempts } = retry;
  if (backoff.maxMs < backoff.initialMs) {
    const said = words.capped(backoff.maxMs, backoff.initialMs);
    found.push(finding("impossible-schedule", row, "retry.backoff.maxMs", said));
  }
  const lost = schedule(retry).find(({ reachable }) => !reachable);
  if (lost !== undefined) {
    const said = words.neverMade(lost.attempt, maxAttempts);
    found.push(finding("impossible-schedule", row, "retry.maxAttempts", said));
  }
  if (maxAttempts === 1) found.push(finding("pointless-retry", row, "retry.maxAttempts", words.oneAttempt));
  const hopeless = codesOf(row.match, FAULT_CODES).filter(
    (code) => !traitsOf(code).lifts && !traitsOf(code).mayHaveHappened,
  );
  if (hopeless.length > 0 && hopeless.length === codesOf(row.match, FAULT_CODES).length)
    found.push(finding("pointless-retry", row, "retry", words.hopeless(hopeless.join(", "))));
  return found;
}

function lintRecourses(row: PolicyRow, locale: Locale): readonly Finding[] {
  const end = row.then.indexOf("fail");
  if (end === -1 || end === row.then.length - 1) return [];
  const never = row.then.slice(end + 1).join(", ");
  return [finding("unreachable-recourse", row, "then", LINT_WORDS[locale].afterFail(never))];
}

function lintCoverage(policy: Policy, locale: Locale): readonly Finding[] {
  const missing = FAULT_CODES.filter((code) => !policy.rows.some(({ match }) => covers(match, code, {})));
  if (missing.length === 0) return [];
  return [finding("code-without-row", null, "rows", LINT_WORDS[locale].noRow(missing.join(", ")))];
}

function lintNumbers({ breaker, retryBudget }: Policy, locale: Locale): readonly Finding[] {
  const words = LINT_WORDS[locale];
  const { maxOpenMs, openMs } = breaker;
  const { perCall, perSecond, capacity } = retryBudget;
  return [
    ...(maxOpenMs < openMs
      ? [finding("unsafe-number", null, "breaker.maxOpenMs", words.opensShorter(maxOpenMs, openMs))]
      : []),
    ...(perCall === 0 && perSecond === 0
      ? [finding("unsafe-number", null, "retryBudget", words.neverRefills(capacity))]
      : []),
  ];
}

function finding(kind: FindingKind, row: PolicyRow | null, field: string, [message, help]: Said): Finding {
  return { kind, row, field, message, help };
}
