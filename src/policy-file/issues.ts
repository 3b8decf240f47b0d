// What zod found wrong, in words: what, where, what was probably meant, and what is allowed there.

import { closest, distance } from "fastest-levenshtein";
import type { Document } from "yaml";
import type * as z from "zod";
import type { Diagnostic } from "./diagnostic.ts";
import { diagnosticAt, keyRange, rangeOf, type FilePlace, type Path } from "./locate.ts";
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
  const [from, to] = rangeOf(document, path);
  const value = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], data);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
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
      if (value === undefined) {
        return [
          diagnosticAt(place, CODES.missing, `${where} is missing`, [from, to], `needs \`${lastOf(path)}\``, help),
        ];
      }
      const shown = show(value);
      const near = nearest(shown, allowed);
      const label = near === null ? "not a known value" : `did you mean \`${near}\`?`;
      return [diagnosticAt(place, CODES.unknownName, `${where} cannot be \`${shown}\``, [from, to], label, help)];
    }
    case "invalid_type": {
      if (value === undefined) {
        return [
          diagnosticAt(
            place,
            CODES.missing,
            `${where} is missing`,
            [from, to],
            `needs \`${lastOf(path)}\``,
            `Add \`${lastOf(path)}:\` with a value of type ${issue.expected}.`,
          ),
        ];
      }
      const help =
        typeof value === "string" && issue.expected === "number"
          ? numberHelp(lastOf(path), value)
          : `Write a value of type ${issue.expected}.`;
      return [
        diagnosticAt(
          place,
          CODES.wrongType,
          `${where} must be a ${issue.expected}`,
          [from, to],
          `this is ${kindOf(value)}`,
          help,
        ),
      ];
    }
    case "too_small":
      return [
        diagnosticAt(
          place,
          CODES.outOfRange,
          `${where} must be at least ${String(issue.minimum)}`,
          [from, to],
          "too small",
          rangeHelp(issue.path),
        ),
      ];
    case "too_big":
      return [
        diagnosticAt(
          place,
          CODES.outOfRange,
          `${where} must be at most ${String(issue.maximum)}`,
          [from, to],
          "too large",
          rangeHelp(issue.path),
        ),
      ];
    default:
      return [diagnosticAt(place, CODES.wrongType, `${where}: ${issue.message}`, [from, to], "", "")];
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

/** A name close enough to be meant. */
function nearest(word: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const byCase = known.find((name) => name.toLowerCase() === word.toLowerCase());
  const near = byCase ?? closest(word, known);
  return distance(word.toLowerCase(), near.toLowerCase()) <= Math.max(2, Math.floor(word.length / 3)) ? near : null;
}

function numberHelp(field: string, value: string): string {
  const seconds = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)$/.exec(value);
  if (seconds === null || !field.endsWith("Ms")) return `Write a number without quotes: \`${field}: 3\`.`;
  const factor = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }[seconds[2] ?? "ms"] ?? 1;
  return `Times are in milliseconds: write \`${field}: ${Number(seconds[1]) * factor}\`.`;
}

function rangeHelp(path: readonly PropertyKey[]): string {
  const field = String(path.at(-1) ?? "");
  return field === "maxAttempts" ? "maxAttempts counts all attempts, the first included." : "";
}

function lastOf(path: Path): string {
  return String(path.at(-1) ?? "");
}

function show(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value) || (typeof value === "object" && "items" in value)) return "a list or a map";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}
