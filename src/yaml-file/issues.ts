// Explains zod's issues: what is wrong, where, what was probably meant, and what is allowed there.

import type * as z from "zod";
import type { Diagnostic } from "./diagnostic.ts";
import { diagnosticAt, keyRange, rangeOf, type FilePlace, type Path } from "./locate.ts";
import { nearest } from "../options/nearest.ts";
import type { ReadDocument } from "./read.ts";

/** What is needed to explain mistakes in one kind of file. */
export interface Grammar {
  /** Also the source of the known keys. */
  readonly schema: z.ZodType;
  /** Codes are stable, because people search for them. */
  readonly codes: IssueCodes;
  /** Hints for numbers out of range, by field. */
  readonly rangeHelp: Readonly<Record<string, string>>;
  /** Where to find the allowed names if there are too many to list. */
  readonly manyNamesHelp: string;
}

export interface IssueCodes {
  readonly unknownKey: string;
  readonly wrongType: string;
  readonly unknownName: string;
  readonly outOfRange: string;
  readonly missing: string;
}

const MAX_KEYS_TOLD = 50;

type Issue = z.core.$ZodIssue;

export function explainIssues(
  issues: readonly Issue[],
  read: ReadDocument,
  place: FilePlace,
  grammar: Grammar,
): readonly Diagnostic[] {
  return flatten(issues).flatMap((issue) => explainIssue(issue, read, place, grammar));
}

/** Of a union, reports the issues of the closest branch: the one that failed deepest. */
function flatten(issues: readonly Issue[]): readonly Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
    const branches = issue.errors.map((branch) =>
      flatten(branch).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
    );
    const depth = (branch: readonly Issue[]): number => Math.max(...branch.map(({ path }) => path.length));
    const isName = (branch: readonly Issue[]): boolean => branch.every(({ code }) => code === "invalid_value");
    return [...branches].sort((a, b) => depth(b) - depth(a) || Number(isName(b)) - Number(isName(a)))[0] ?? [issue];
  });
}

function explainIssue(
  issue: Issue,
  { document, value: data }: ReadDocument,
  place: FilePlace,
  { schema, codes, rangeHelp, manyNamesHelp }: Grammar,
): readonly Diagnostic[] {
  const path = issue.path as Path;
  const where = path.length === 0 ? "the file" : path.join(".").replace(/\.(\d+)/g, "[$1]");
  const field = String(path.at(-1) ?? "");
  const at = (code: string, message: string, label: string, help: string): Diagnostic =>
    diagnosticAt(place, code, message, rangeOf(document, path), label, help);
  const value = path.reduce<unknown>(
    (held, step) => (held as Record<string | number, unknown> | undefined)?.[step],
    data,
  );
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, MAX_KEYS_TOLD).map((key) => {
        const known = knownKeys(schema, path);
        const near = nearest(key, known);
        const label = near === null ? "not known here" : `did you mean \`${near}\`?`;
        return diagnosticAt(
          place,
          codes.unknownKey,
          `unknown key \`${key}\` in ${where}`,
          keyRange(document, [...path, key]),
          label,
          `Known here: ${known.join(", ")}.`,
        );
      });
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const help = allowed.length > 20 ? manyNamesHelp : `Known here: ${allowed.join(", ")}.`;
      if (value === undefined) {
        const add = allowed.length === 1 ? `Add \`${field}: ${allowed[0]}\`.` : help;
        return [at(codes.missing, `${where} is missing`, `needs \`${field}\``, add)];
      }
      const near = typeof value === "string" ? nearest(value, allowed) : null;
      const label =
        near === null ? "not a known value" : near === value ? "write it without quotes" : `did you mean \`${near}\`?`;
      return [at(codes.unknownName, `${where} cannot be ${show(value)}`, label, help)];
    }
    case "invalid_type": {
      const wanted = KINDS[issue.expected] ?? issue.expected;
      if (value === undefined) {
        return [at(codes.missing, `${where} is missing`, `needs \`${field}\``, `Add \`${field}:\` with ${wanted}.`)];
      }
      const isNumber = issue.expected === "number" || issue.expected === "int";
      const help = typeof value === "string" && isNumber ? numberHelp(field, value) : `Write ${wanted}.`;
      return [at(codes.wrongType, `${where} must be ${wanted}`, `this is ${kindOf(value)}`, help)];
    }
    case "too_small": {
      const label = issue.origin === "array" ? "empty" : "too small";
      return [at(codes.outOfRange, `${where} must ${atLeast(issue)}`, label, rangeHelp[field] ?? "")];
    }
    case "too_big":
      return [at(codes.outOfRange, `${where} must ${atMost(issue)}`, "too large", rangeHelp[field] ?? "")];
    case "invalid_format":
      return [at(codes.outOfRange, `${where} ${issue.message}`, "invalid", rangeHelp[field] ?? "")];
    default:
      return [at(codes.wrongType, `${where}: ${issue.message}`, "", "")];
  }
}

function atLeast({ origin, minimum }: z.core.$ZodIssueTooSmall): string {
  if (origin === "array") return `have at least ${minimum} entry`;
  return origin === "string" ? `have at least ${minimum} characters` : `be at least ${minimum}`;
}

function atMost({ origin, maximum }: z.core.$ZodIssueTooBig): string {
  if (origin === "array") return `have at most ${maximum} entries`;
  return origin === "string" ? `have at most ${maximum} characters` : `be at most ${maximum}`;
}

/** The keys that the schema allows at a path. */
function knownKeys(whole: unknown, path: Path): readonly string[] {
  return Object.keys(shapeOf(path.reduce<unknown>(stepInto, whole)));
}

function stepInto(schema: unknown, step: string | number): unknown {
  const inner = unwrap(schema);
  if (typeof step === "number") return (inner as { element?: unknown }).element;
  return shapeOf(inner)[step] ?? (inner as { def?: { valueType?: unknown } }).def?.valueType;
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (unwrap(schema) as { shape?: Record<string, unknown> }).shape ?? {};
}

/** Removes optional and union wrappers around an object. */
function unwrap(schema: unknown): unknown {
  const { def } = (schema ?? {}) as { def?: { innerType?: unknown; options?: readonly unknown[] } };
  if (def?.innerType !== undefined) return unwrap(def.innerType);
  const object = def?.options?.map(unwrap).find((option) => (option as { shape?: unknown }).shape !== undefined);
  return object ?? schema;
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const;

function numberHelp(field: string, value: string): string {
  if (/^\d+(?:\.\d+)?$/.test(value)) return `Write it without quotes: \`${field}: ${value}\`.`;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)$/.exec(value) ?? [];
  if (unit === undefined || !/(?:Ms|_ms)$/.test(field))
    return "Write a number in digits, without quotes and without a unit.";
  return `Times are in milliseconds: write \`${field}: ${Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]}\`.`;
}

/** The kind of a value, with its article. */
const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "a map of keys and values",
  string: "text",
};

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  return KINDS[Array.isArray(value) ? "array" : typeof value] ?? typeof value;
}

/** A value as it would be written in the file. */
function show(value: unknown): string {
  if (typeof value === "string") return `\`${value}\``;
  return typeof value === "number" || typeof value === "boolean" ? `\`${value}\`` : kindOf(value);
}
