// Finds mistakes in a valid policy: rows that never match, faults without a row, schedules that
// cannot happen. Pure; the policy file's reader turns findings into diagnostics with lines.

import { schedule } from "./backoff.ts";
import { FAULT_CODES, traitsOf, type FaultCode } from "../fault/catalogue.ts";
import { codesOf, describeMatch, type Policy, type PolicyRow, type Retry, type RowMatch } from "./policy.ts";

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
export function lintPolicy(policy: Policy): readonly Finding[] {
  return [
    ...policy.rows.flatMap((row, index) => lintReach(row, sameLayer(policy.rows.slice(0, index), row))),
    ...policy.rows.flatMap((row) => (row.retry === null ? [] : lintRetry(row, row.retry))),
    ...policy.rows.flatMap(lintRecourses),
    ...lintCoverage(policy),
    ...lintNumbers(policy),
  ];
}

/** That a layer in front shadows one behind it is what layers are for. */
function sameLayer(rows: readonly PolicyRow[], { origin }: PolicyRow): readonly PolicyRow[] {
  return rows.filter((row) => row.origin.layer === origin.layer);
}

function lintReach(row: PolicyRow, before: readonly PolicyRow[]): readonly Finding[] {
  const codes = codesOf(row.match, FAULT_CODES);
  if (codes.length === 0) {
    const help = "Name a code that belongs to the class, or leave one of the two out.";
    return [finding("unreachable-row", row, "match", "no code belongs to both the class and the code given", help)];
  }
  const left = codes.filter((code) => !before.some((earlier) => covers(earlier.match, code, row.match)));
  if (left.length > 0) return [];
  const first = before.find((earlier) => covers(earlier.match, codes[0] ?? "Unclassified", row.match));
  const by = first === undefined ? "earlier rows" : `the row for ${describeMatch(first.match)} (${first.origin.at})`;
  return [
    finding(
      "unreachable-row",
      row,
      "match",
      `this row never speaks: ${by} always matches first`,
      "Move it before the other row, narrow the other row, or delete this one.",
    ),
  ];
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
): readonly Finding[] {
  const times = [backoff.initialMs, backoff.maxMs, maxWaitMs, maxTotalWaitMs];
  const wrong = [
    ...(Number.isInteger(maxAttempts) && maxAttempts >= 1 ? [] : [["retry.maxAttempts", "a whole number from 1 on"]]),
    ...(jitter >= 0 && jitter <= 1 ? [] : [["retry.jitter", "a share from 0 to 1"]]),
    ...(backoff.multiplier >= 1 ? [] : [["retry.backoff.multiplier", "a number from 1 on"]]),
    ...(times.every((ms) => ms >= 0) ? [] : [["retry.backoff", "times of 0 ms and more"]]),
  ] as const;
  return wrong.map(([field = "", must = ""]) =>
    finding("unsafe-number", row, field, `${field} must be ${must}`, `Write ${must}.`),
  );
}

function lintRetry(row: PolicyRow, retry: Retry): readonly Finding[] {
  const found: Finding[] = [...lintRanges(row, retry)];
  const { backoff, maxAttempts } = retry;
  if (backoff.maxMs < backoff.initialMs) {
    found.push(
      finding(
        "impossible-schedule",
        row,
        "retry.backoff.maxMs",
        `maxMs (${backoff.maxMs}) is below initialMs (${backoff.initialMs}), so the first wait is already capped`,
        `Raise maxMs to at least ${backoff.initialMs}.`,
      ),
    );
  }
  const lost = schedule(retry).find(({ reachable }) => !reachable);
  if (lost !== undefined) {
    const help = `Raise maxTotalWaitMs or maxWaitMs, or lower maxAttempts to ${lost.attempt - 1}.`;
    found.push(
      finding(
        "impossible-schedule",
        row,
        "retry.maxAttempts",
        `attempt ${lost.attempt} of ${maxAttempts} can never be made: the waits before it pass the row's limits`,
        help,
      ),
    );
  }
  if (maxAttempts === 1) {
    found.push(
      finding(
        "pointless-retry",
        row,
        "retry.maxAttempts",
        "maxAttempts counts the first attempt too, so 1 means no retry",
        "Write `retry: none`, or 2 for one retry.",
      ),
    );
  }
  const hopeless = codesOf(row.match, FAULT_CODES).filter(
    (code) => !traitsOf(code).lifts && !traitsOf(code).mayHaveHappened,
  );
  if (hopeless.length > 0 && hopeless.length === codesOf(row.match, FAULT_CODES).length) {
    found.push(
      finding(
        "pointless-retry",
        row,
        "retry",
        `${hopeless.join(", ")} fails the same way every time, so a retry only costs`,
        "Write `retry: none` and list what to do under `then`.",
      ),
    );
  }
  return found;
}

function lintRecourses(row: PolicyRow): readonly Finding[] {
  const end = row.then.indexOf("fail");
  if (end === -1 || end === row.then.length - 1) return [];
  const never = row.then.slice(end + 1).join(", ");
  return [
    finding(
      "unreachable-recourse",
      row,
      "then",
      `${never} never happens: \`fail\` before it always can`,
      "Put `fail` last; it may also be left out.",
    ),
  ];
}

function lintCoverage(policy: Policy): readonly Finding[] {
  const missing = FAULT_CODES.filter((code) => !policy.rows.some(({ match }) => covers(match, code, {})));
  if (missing.length === 0) return [];
  return [
    finding(
      "code-without-row",
      null,
      "rows",
      `no row for ${missing.join(", ")}`,
      "Add a last row that matches everything, or start from a preset.",
    ),
  ];
}

function lintNumbers({ breaker, retryBudget }: Policy): readonly Finding[] {
  const found: Finding[] = [];
  if (breaker.maxOpenMs < breaker.openMs) {
    found.push(
      finding(
        "unsafe-number",
        null,
        "breaker.maxOpenMs",
        `maxOpenMs (${breaker.maxOpenMs}) is below openMs (${breaker.openMs})`,
        `Raise it to at least ${breaker.openMs}.`,
      ),
    );
  }
  if (retryBudget.perCall === 0 && retryBudget.perSecond === 0) {
    found.push(
      finding(
        "unsafe-number",
        null,
        "retryBudget",
        `the budget never refills: after ${retryBudget.capacity} retries there are none for ever`,
        "Give perCall or perSecond a value above 0.",
      ),
    );
  }
  return found;
}

function finding(kind: FindingKind, row: PolicyRow | null, field: string, message: string, help: string): Finding {
  return { kind, row, field, message, help };
}
