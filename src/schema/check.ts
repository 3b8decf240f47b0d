// What checking a value against a schema gives, whatever kind of schema it is.

import type { Fault } from "../core/index.ts";

/** One thing that is wrong. Neither part ever holds the value itself, which may be a secret. */
export interface Issue {
  /** `$.items[0].price`; `$` is the whole value. */
  readonly path: string;
  readonly message: string;
  /** The actual type; `nothing` where the value is missing. */
  readonly got: string;
}

export type CheckResult =
  /** A schema that transforms gives another value than it was given. */
  { readonly ok: true; readonly value: unknown } | FailedCheck;

export interface FailedCheck {
  readonly ok: false;
  readonly issues: readonly Issue[];
  /** The schema's own code threw: as a fault for operators, and as it was thrown for programs. */
  readonly thrown?: { readonly fault: Fault; readonly error: unknown };
}

/** Never throws and never rejects. A promise only where the schema itself is asynchronous. */
export type Check = (value: unknown) => CheckResult | Promise<CheckResult>;

/** More mistakes than a person or a model corrects at once. */
const MAX_ISSUES = 20;

/** A failed check: each issue once, the first ones only, and at least one. */
export function failed(issues: readonly Issue[], thrown?: FailedCheck["thrown"]): FailedCheck {
  const known = new Set<string>();
  const kept: Issue[] = [];
  for (const issue of issues) {
    const key = `${issue.path} ${issue.message}`;
    if (known.has(key)) continue;
    known.add(key);
    if (kept.push(issue) === MAX_ISSUES) break;
  }
  const reported = kept.length === 0 ? [NOT_VALID] : kept;
  return thrown === undefined ? { ok: false, issues: reported } : { ok: false, issues: reported, thrown };
}

export const NOT_VALID: Issue = Object.freeze({ path: "$", message: "is not valid", got: "unknown" });
