// Schemas of the Standard Schema kind: zod, valibot, arktype and whatever else has `~standard`. They are foreign code: they may
// throw, answer later, or answer nonsense.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import { classify, fault, type Fault, originOf } from "../core/index.ts";
import { readField } from "../core/try-read.ts";
import { type Check, type CheckResult, failed, type Issue, NOT_VALID } from "./check.ts";
import { kindOf, pathText, type PathStep } from "./path.ts";
import { maskerFor } from "./mask-values.ts";

export function standardCheck(schema: StandardSchemaV1): Check {
  const standard = schema["~standard"];
  return (value) => {
    try {
      const answer: unknown = standard.validate(value);
      return isThenable(answer) ? lateResult(answer, value) : resultOf(answer, value);
    } catch (error) {
      return classifyBroken(error, value);
    }
  };
}

async function lateResult(answer: PromiseLike<unknown>, value: unknown): Promise<CheckResult> {
  try {
    return resultOf(await answer, value);
  } catch (error) {
    return classifyBroken(error, value);
  }
}

/** A validator that throws has not accepted the value. A model reads the issues, so the thrown error is only in the cause. */
function classifyBroken(error: unknown, value: unknown): CheckResult {
  const issue = { path: "$", message: "cannot be checked, because the schema's own code failed", got: "unknown" };
  const seen = classify({ surface: "node", error });
  return failed([issue], { fault: withoutValue(seen, value), error });
}

function withoutValue(seen: Fault, value: unknown): Fault {
  const masker = maskerFor(value);
  const mask = (text: string): string => masker(text, []);
  const origin = originOf(seen);
  const evidence = {
    ...seen.evidence,
    excerpt: mask(seen.evidence.excerpt),
    ...(origin === null
      ? {}
      : {
          origin: { ...origin, thrown: origin.thrown.map((link) => ({ ...link, message: mask(link.message) })) },
        }),
  };
  const { code, context, retryAfterMs, resetAt } = seen;
  return fault(code, { message: mask(seen.message), context, retryAfterMs, resetAt, evidence });
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof answer === "object" && answer !== null && typeof readField(answer, "then") === "function";
}

function resultOf(answer: unknown, value: unknown): CheckResult {
  if (typeof answer !== "object" || answer === null) {
    return failed([{ path: "$", message: "cannot be checked: the schema's own code gave no answer", got: "unknown" }]);
  }
  const issues = readField(answer, "issues");
  // The specification's own test of success.
  if (!issues) return { ok: true, value: readField(answer, "value") };
  return failed(Array.isArray(issues) ? issuesOf(issues, value) : [NOT_VALID]);
}

/** Far more than are shown, so that equal issues do not crowd out the rest. */
const MAX_ISSUES_READ = 60;

function issuesOf(issues: readonly unknown[], value: unknown): readonly Issue[] {
  const mask = maskerFor(value);
  return issues.slice(0, MAX_ISSUES_READ).map((issue) => {
    const { message, path } = (issue ?? {}) as { readonly message?: unknown; readonly path?: unknown };
    const steps = Array.isArray(path) ? path.map(stepOf) : [];
    const words = typeof message === "string" ? mask(message, steps) : "";
    return { path: pathText(steps, value), message: words === "" ? NOT_VALID.message : words, got: kindOf(steps, value) };
  });
}

const NO_KEY = Symbol("no key");

/** A step is a key, or an object that holds one. */
function stepOf(step: unknown): PathStep {
  const key: unknown = typeof step === "object" && step !== null ? readField(step, "key") : step;
  return typeof key === "string" || typeof key === "number" || typeof key === "symbol" ? key : NO_KEY;
}
