// Explains zod's issues: what is wrong, where, what was probably meant, and what is allowed there.

import type * as z from "zod";
import type { Diagnostic } from "./diagnostic.ts";
import { diagnosticAt, keyRange, rangeOf, type FilePlace, type Path } from "./locate.ts";
import type { Locale } from "../core/index.ts";
import { demandInWords } from "./demand-words.ts";
import { ISSUE_WORDS } from "./issue-words.ts";
import { nearest } from "../options/nearest.ts";
import type { ReadDocument } from "./read.ts";
import { isMap, isScalar } from "yaml";
import { PUNCTUATION } from "../core/punctuation.ts";

/** What is needed to explain mistakes in one kind of file. */
export interface Grammar {
  /** Also the source of the known keys. It may depend on what the file holds. */
  readonly schemaFor: (value: unknown) => z.ZodType;
  /** Codes are stable, because people search for them. */
  readonly codes: IssueCodes;
  /**
   * Hints for values out of range or of a wrong form, by field; those for a wrong name are under `INVALID_KEY`, or under that and the section,
   * as in `(name) keys`.
   */
  readonly rangeHelp: Readonly<Record<string, string>>;
  /** What to write for a field that is missing, by field. Without one, only its kind is named. */
  readonly examples?: Readonly<Record<string, string>>;
  /** Where to find the allowed names if there are too many to list. */
  readonly manyNamesHelp: string;
  /** Fields whose value is not shown if its form is wrong: it may be a secret that was put there by mistake. */
  readonly hidden?: readonly string[];
  /** The language of the diagnostics. Default: English. */
  readonly locale?: Locale;
}

export interface IssueCodes {
  readonly unknownKey: string;
  readonly wrongType: string;
  readonly unknownName: string;
  readonly outOfRange: string;
  readonly missing: string;
}

type UsedGrammar = Grammar & { readonly schema: z.ZodType };

export const INVALID_KEY = "(name)";

const MAX_KEYS_TOLD = 50;

/** `orKinds`: what else the value may be, as in a name or a number. */
type Issue = z.core.$ZodIssue & { readonly orKinds?: readonly string[] };

/** What is wrong with the form of a document, and the document as it was probably meant, so that the rest of it can be checked, too. */
export interface CheckedForm {
  /** With the nearest known word in place of each misspelled key or name. */
  readonly meant: ReadDocument;
  /** What is wrong besides misspelled words. */
  readonly issues: readonly z.core.$ZodIssue[];
  /** About misspelled words, and about everything else. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A misspelled key is reported once: it does not count as missing under its right name, and its value is checked as if it had that name. A
 * misspelled name of a known value, such as the type of a node, is reported once, too, and does not hide other mistakes beside it.
 */
export function checkForm(read: ReadDocument, place: FilePlace, grammar: Grammar): CheckedForm {
  const meant = { document: read.document, value: structuredClone(read.value ?? {}) };
  const diagnostics: Diagnostic[] = [];
  const respelled = new Set<string>();
  const renamed = new Set<string>();
  for (;;) {
    const schema = grammar.schemaFor(meant.value);
    const { issues = [] } = schema.safeParse(meant.value).error ?? {};
    const flat = flatten(issues);
    const used = { ...grammar, schema };
    const misspelled = flat.flatMap((issue) => [
      ...rename(meant, issue, place, used, renamed),
      ...respell(meant, issue, place, used, respelled),
    ]);
    diagnostics.push(...misspelled);
    if (misspelled.length > 0) continue;
    // A value that cannot have the right name, as in `api_key: sk-…` for `api_key_env`, is the same mistake.
    const own = flat.filter(({ code, path }) => code !== "invalid_format" || !renamed.has(placeName(path)));
    diagnostics.push(...own.flatMap((issue) => explainIssue(issue, meant, place, used)));
    return { meant, issues, diagnostics };
  }
}

/** Gives the misspelled keys of one map their right names, unless the map has these already. */
function rename(
  { document, value }: ReadDocument,
  issue: Issue,
  place: FilePlace,
  grammar: UsedGrammar,
  renamed: Set<string>,
): Diagnostic[] {
  const path = issue.path as Path;
  const owner = stepsInto(value, path);
  if (issue.code !== "unrecognized_keys" || owner === null) return [];
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const known = knownKeys(grammar.schema, path);
  return issue.keys.slice(0, MAX_KEYS_TOLD).flatMap((key) => {
    const near = nearest(key, known);
    // A key without a value is often the rest of a text with a comma in it, as in `{ title: one, two }`.
    if (near === null || Object.hasOwn(owner, near) || (owner[key] ?? null) === null) return [];
    const told = explainUnknownKey(key, path, document, place, grammar);
    owner[near] = owner[key];
    renamed.add(placeName([...path, near]));
    Reflect.deleteProperty(owner, key);
    const written = isMap(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
      : null;
    if (isScalar(written?.key)) written.key.value = near;
    return [told];
  });
}

/** Gives a misspelled value the known name that is nearest to it. Each place gets one once: two forms of it may know different names. */
function respell(
  meant: ReadDocument,
  issue: Issue,
  place: FilePlace,
  grammar: UsedGrammar,
  respelled: Set<string>,
): readonly Diagnostic[] {
  const path = issue.path as Path;
  const key = path.at(-1);
  const owner = stepsInto(meant.value, path.slice(0, -1));
  const written = key === undefined ? undefined : owner?.[key];
  if (issue.code !== "invalid_value" || owner === null || key === undefined || typeof written !== "string") return [];
  const near = nearest(written, issue.values.map(String));
  if (near === null || respelled.has(placeName(path))) return [];
  respelled.add(placeName(path));
  const told = explainIssue(issue, meant, place, grammar);
  owner[key] = near;
  return told;
}

/** For a union, reports the issues of the closest branch: the one that failed deepest. */
function flatten(issues: readonly Issue[]): readonly Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
    const branches = issue.errors.map((branch) =>
      flatten(branch).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
    );
    const depth = (branch: readonly Issue[]): number => Math.max(...branch.map(({ path }) => path.length));
    const isName = (branch: readonly Issue[]): boolean => branch.every(({ code }) => code === "invalid_value");
    const [closest, ...others] = branches.toSorted(
      (a, b) => depth(b) - depth(a) || Number(isName(b)) - Number(isName(a)),
    );
    if (closest === undefined) return [issue];
    const orKinds = others.flat().flatMap((one) => (one.code === "invalid_type" ? [one.expected] : []));
    return closest.map((one) => (isName(closest) ? { ...one, orKinds } : one));
  });
}

/** Whether an issue lies at this path or below it. */
export function isAbout({ path }: { readonly path: readonly PropertyKey[] }, place: Path): boolean {
  return place.every((step, index) => path[index] === step);
}

/**
 * What a value becomes without the parts that its schema rejects, so that the rest can be checked too. A value that is missing or wrong
 * gets its placeholder, by its key; without one it is left out, and a parent that needs it as well. null: nothing is left.
 */
export function soundPart<T>(
  value: unknown,
  schema: z.ZodType<T>,
  placeholders: Readonly<Record<string, unknown>>,
): T | null {
  const part: unknown = structuredClone(value);
  if (!isObject(part)) return null;
  const mending: Mending = { placeholders, given: new Set() };
  for (;;) {
    const { success, data, error } = schema.safeParse(part);
    if (success) return data;
    const mended = new Set<string>();
    for (const issue of error.issues) {
      // What it is about was replaced or left out together with another mistake.
      if (issue.path.some((_step, index) => mended.has(placeName(issue.path.slice(0, index + 1))))) continue;
      const place = mend(part, issue, mending);
      if (place === null) return null;
      mended.add(placeName(place));
    }
  }
}

interface Mending {
  readonly placeholders: Readonly<Record<string, unknown>>;
  /** Places that have got their placeholder. None gets it twice, so mending ends. */
  readonly given: Set<string>;
}

function placeName(path: readonly PropertyKey[]): string {
  return JSON.stringify(path);
}

/** Changes the part in place. Returns where; null if only the whole could be left out. */
function mend(part: object, issue: Issue, mending: Mending): Path | null {
  const path = issue.path as Path;
  // Entries of a list keep their places, so a list is left out as a whole.
  const list = path.findIndex((step) => typeof step === "number");
  const to = list === -1 ? path : path.slice(0, list);
  const holder = stepsInto(part, to.slice(0, -1));
  const key = to.at(-1);
  if (issue.code === "unrecognized_keys" && list === -1) {
    const owner = stepsInto(part, path) ?? {};
    for (const extra of issue.keys) Reflect.deleteProperty(owner, extra);
    return [...path, issue.keys[0] ?? ""];
  }
  if (key === undefined) return null;
  const placeholder = Object.hasOwn(mending.placeholders, key) ? mending.placeholders[key] : undefined;
  if (holder !== null && placeholder !== undefined && !mending.given.has(placeName(to))) {
    mending.given.add(placeName(to));
    holder[key] = structuredClone(placeholder);
    return to;
  }
  if (holder !== null && Object.hasOwn(holder, key)) {
    Reflect.deleteProperty(holder, key);
    return to;
  }
  return mend(part, { ...issue, code: "custom", path: to.slice(0, -1) }, mending);
}

function stepsInto(whole: unknown, path: Path): Record<string, unknown> | null {
  const found = path.reduce<unknown>((held, step) => (isObject(held) ? held[step] : undefined), whole);
  return isObject(found) ? found : null;
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((held, step) => (held as Record<string | number, unknown> | undefined)?.[step], data);
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}

function explainIssue(
  issue: Issue,
  { document, value: data }: ReadDocument,
  place: FilePlace,
  grammar: UsedGrammar,
): readonly Diagnostic[] {
  const { codes, rangeHelp, manyNamesHelp, locale = "en" } = grammar;
  const words = ISSUE_WORDS[locale];
  const path = issue.path as Path;
  const where = shownPath(path, words);
  const field = String(path.at(-1) ?? "");
  const hint = rangeHelp[field] ?? "";
  const at = (code: string, message: string, label: string, help: string): Diagnostic =>
    diagnosticAt(place, code, message, rangeOf(document, path), label, help);
  const value = valueAt(data, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, MAX_KEYS_TOLD).map((key) => explainUnknownKey(key, path, document, place, grammar));
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const kinds = (issue.orKinds ?? []).map((kind) => kindNamed(kind, words));
      const help = allowed.length > 20 ? manyNamesHelp : words.knownHere([...allowed, ...kinds]);
      if (value === undefined) {
        const add = allowed.length === 1 ? words.add(`${field}: ${allowed[0]}`) : help;
        return [at(codes.missing, words.isMissing(where), words.needs(field), add)];
      }
      const near = typeof value === "string" ? nearest(value, allowed) : null;
      const label = near === null ? words.notAValue : near === value ? words.noQuotes : words.didYouMean(near);
      return [at(codes.unknownName, words.cannotBe(where, show(value, words)), label, help)];
    }
    case "invalid_type": {
      const wanted = kindNamed(issue.expected, words);
      const example = grammar.examples?.[field];
      if (value === undefined) {
        const help = example === undefined ? words.addKind(field, wanted) : words.add(example);
        return [at(codes.missing, words.isMissing(where), words.needs(field), help)];
      }
      const isNumber = issue.expected === "number" || issue.expected === "int";
      const hasDigits = typeof value === "string" && isNumber;
      const isBare = issue.expected === "string" && (typeof value === "number" || typeof value === "boolean");
      const help = hasDigits
        ? numberHelp(field, value, words)
        : isBare
          ? words.quoteIt(`${field}: "${writtenAt(document, path) ?? value}"`)
          : kindHelp(wanted, example, words);
      return [at(codes.wrongType, words.mustBe(where, wanted), words.thisIs(kindOf(value, words)), help)];
    }
    case "too_small": {
      const label = issue.origin === "array" ? words.empty : words.tooSmall;
      const said = words.atLeast[unitOf(issue)](where, String(issue.minimum));
      return [at(codes.outOfRange, said, label, hint)];
    }
    case "too_big": {
      const said = words.atMost[unitOf(issue)](where, String(issue.maximum));
      return [at(codes.outOfRange, said, words.tooLarge, hint)];
    }
    case "invalid_format": {
      const told = at(codes.outOfRange, `${where} ${demandInWords(issue.message, locale)}`, words.invalid, hint);
      return [grammar.hidden?.includes(field) === true ? { ...told, hides: true } : told];
    }
    case "invalid_key": {
      const said = `${where} ${demandInWords(issue.issues[0]?.message ?? "", locale)}`;
      const help = rangeHelp[`${INVALID_KEY} ${path[0]}`] ?? rangeHelp[INVALID_KEY] ?? "";
      return [diagnosticAt(place, codes.outOfRange, said, keyRange(document, path), words.invalid, help)];
    }
    default: {
      const said = `${where}${PUNCTUATION[locale].colon}${demandInWords(issue.message, locale)}`;
      return [at(codes.wrongType, said, "", hint)];
    }
  }
}

function explainUnknownKey(
  key: string,
  path: Path,
  document: ReadDocument["document"],
  place: FilePlace,
  { schema, codes, locale = "en" }: UsedGrammar,
): Diagnostic {
  const words = ISSUE_WORDS[locale];
  const known = knownKeys(schema, path);
  const near = nearest(key, known);
  const label = near === null ? words.notKnown : words.didYouMean(near);
  const said = words.unknownKey(key, shownPath(path, words));
  const range = keyRange(document, [...path, key]);
  return diagnosticAt(place, codes.unknownKey, said, range, label, words.knownHere(known));
}

function shownPath(path: Path, words: Words): string {
  return path.length === 0 ? words.theFile : path.join(".").replace(/\.(\d+)/g, "[$1]");
}

type Words = (typeof ISSUE_WORDS)[Locale];

function unitOf({ origin }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): keyof Words["atLeast"] {
  if (origin === "array") return "entries";
  return origin === "string" ? "characters" : "number";
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

/** A value as it stands in the file: `1.10`, which YAML reads as 1.1. */
function writtenAt(document: ReadDocument["document"], path: Path): string | null {
  const node = document.getIn(path, true);
  return isScalar(node) ? (node.source ?? null) : null;
}

function kindHelp(wanted: string, example: string | undefined, words: Words): string {
  return example === undefined ? words.write(wanted) : words.writeAs(wanted, example);
}

function numberHelp(field: string, value: string, words: Words): string {
  if (/^\d+(?:\.\d+)?$/.test(value)) return words.quotedNumber(`${field}: ${value}`);
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)$/.exec(value) ?? [];
  if (unit === undefined || !/(?:Ms|_ms)$/.test(field)) return words.digitsOnly;
  return words.inMs(`${field}: ${Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]}`);
}

/** The kind of a value, with its article; a kind without a word keeps its name. */
function kindNamed(kind: string, { kinds }: Words): string {
  return (kinds as Readonly<Record<string, string>>)[kind] ?? kind;
}

function kindOf(value: unknown, words: Words): string {
  return kindNamed(value === null ? "null" : Array.isArray(value) ? "array" : typeof value, words);
}

/** A value as it would be written in the file. */
function show(value: unknown, words: Words): string {
  if (typeof value === "string") return `\`${value}\``;
  return typeof value === "number" || typeof value === "boolean" ? `\`${value}\`` : kindOf(value, words);
}
