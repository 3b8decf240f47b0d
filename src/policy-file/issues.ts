// What zod found wrong, in words: what, where, what was probably meant, and what is allowed there.

import type { Document } from "yaml";
import type * as z from "zod";
import type { Diagnostic } from "./diagnostic.ts";
import { diagnosticAt, keyRange, rangeOf, type FilePlace, type Path } from "./locate.ts";
import { nearest } from "./nearest.ts";
import { policyFileSchema } from "./schema.ts";

/** Codes are stable: people search for them. */
export const CODES = {
  syntax: "POL001",
  unknownKey: "POL002",
  wrongType: "POL003",
  unknownName: "POL004",
  outOfRange: "POL005",
  missing: "POL006",
} as const;

const MAX_KEYS_TOLD = 50;

type Issue = z.core.$ZodIssue;

/** `data` is the document as plain values, with anchors followed. */
export function explainIssues(
  issues: readonly Issue[],
  data: unknown,
  document: Document,
  place: FilePlace,
): readonly Diagnostic[] {
  return flatten(issues).flatMap((issue) => explainIssue(issue, data, document, place));
}

/** A union's issues are those of the branch that came closest: the one that failed deepest. */
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

function explainIssue(issue: Issue, data: unknown, document: Document, place: FilePlace): readonly Diagnostic[] {
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
        const known = knownKeys(path);
        const near = nearest(key, known);
        const label = near === null ? "not known here" : `did you mean \`${near}\`?`;
        return diagnosticAt(
          place,
          CODES.unknownKey,
          `unknown key \`${key}\` in ${where}`,
          keyRange(document, [...path, key]),
          label,
          `Known here: ${known.join(", ")}.`,
        );
      });
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const help =
        allowed.length > 20
          ? "`faultline explain --list` lists all fault codes."
          : `Known here: ${allowed.join(", ")}.`;
      if (value === undefined) return [at(CODES.missing, `${where} is missing`, `needs \`${field}\``, help)];
      const near = typeof value === "string" ? nearest(value, allowed) : null;
      const label =
        near === null ? "not a known value" : near === value ? "write it without quotes" : `did you mean \`${near}\`?`;
      return [at(CODES.unknownName, `${where} cannot be ${show(value)}`, label, help)];
    }
    case "invalid_type": {
      const wanted = KINDS[issue.expected] ?? issue.expected;
      if (value === undefined) {
        return [at(CODES.missing, `${where} is missing`, `needs \`${field}\``, `Add \`${field}:\` with ${wanted}.`)];
      }
      const isNumber = issue.expected === "number" || issue.expected === "int";
      const help = typeof value === "string" && isNumber ? numberHelp(field, value) : `Write ${wanted}.`;
      return [at(CODES.wrongType, `${where} must be ${wanted}`, `this is ${kindOf(value)}`, help)];
    }
    case "too_small": {
      const least = issue.origin === "array" ? `have at least ${issue.minimum} entry` : `be at least ${issue.minimum}`;
      return [
        at(
          CODES.outOfRange,
          `${where} must ${least}`,
          issue.origin === "array" ? "empty" : "too small",
          rangeHelp(field),
        ),
      ];
    }
    case "too_big":
      return [at(CODES.outOfRange, `${where} must be at most ${issue.maximum}`, "too large", rangeHelp(field))];
    default:
      return [at(CODES.wrongType, `${where}: ${issue.message}`, "", "")];
  }
}

/** The keys the schema knows at a place, read from the schema itself. */
function knownKeys(path: Path): readonly string[] {
  let schema: unknown = policyFileSchema;
  for (const step of path) schema = stepInto(schema, step);
  return Object.keys(shapeOf(schema));
}

function stepInto(schema: unknown, step: string | number): unknown {
  const inner = unwrap(schema);
  if (typeof step === "number") return (inner as { element?: unknown }).element;
  return shapeOf(inner)[step];
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (unwrap(schema) as { shape?: Record<string, unknown> }).shape ?? {};
}

/** Optional and union wrappers hide the object a person writes. */
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
  if (unit === undefined || !field.endsWith("Ms"))
    return "Write a number in digits, without quotes and without a unit.";
  return `Times are in milliseconds: write \`${field}: ${Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]}\`.`;
}

function rangeHelp(field: string): string {
  return field === "maxAttempts" ? "maxAttempts counts all attempts, the first included." : "";
}

/** What a value is called, with its article. */
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

/** A value as it would stand in the file. */
function show(value: unknown): string {
  if (typeof value === "string") return `\`${value}\``;
  return typeof value === "number" || typeof value === "boolean" ? `\`${value}\`` : kindOf(value);
}
