// The one place where secrets are taken out: by shape (a key looks like a key), by the name of what holds them, and by
// known value (also encoded). Everything that leaves for a model, a user, a log or a page passes here.

import { parseJson, tryRead } from "../try-read.ts";
import { createKnownValues, CUT } from "./known-values.ts";
import { canBeSecret, isSecretName } from "./secret-names.ts";
import { REDACTED, secretShapes } from "./secret-shapes.ts";

export { REDACTED };

/** Takes secrets out of texts and values. */
export interface Redactor {
  /** Scrubs one string. */
  readonly text: (value: string) => string;
  /** Scrubs any value into plain JSON data; cycles, throwing getters and oversized trees are cut, never thrown. */
  readonly value: (value: unknown) => unknown;
}

export interface LearningRedactor extends Redactor {
  /** Takes these values out as well, from now on: secrets that come up while a program runs. */
  readonly learn: (values: Iterable<unknown>) => void;
}

const UNREADABLE = "[unreadable]";

/** Limits that keep scrubbing linear and finite whatever it is given. */
const MAX_DEPTH = 24;
const MAX_NODES = 20_000;
const MAX_TEXT = 262_144;
const ESCAPE = "\u001b";
const COLOURS = /\u001b\[[0-9;?]{0,32}[A-Za-z]/g;
/** How far from its beginning a secret may be recognised: so much in front of a cut is not shown. */
const REACH = 4608;

/**
 * A redactor that knows these values besides the shapes: texts and numbers, also inside lists and objects. Shorter than four characters they
 * are ignored. With `base` it takes out all that `base` knows, too, now and later: for a run with secrets of its own.
 */
export function createRedactor(knownValues: Iterable<unknown> = [], base: Redactor | null = null): LearningRedactor {
  const values = [...knownValues];
  let known = createKnownValues(values);

  function text(value: string): string {
    // A colour in front of a secret would hide where it begins.
    const plain = value.includes(ESCAPE) ? value.replace(COLOURS, "") : value;
    // A known value may lie across the cut, so it is taken out before.
    const out = known.mask(plain);
    return base === null ? withoutShapes(out) : base.text(out);
  }

  return {
    text,
    value: (value) => scrub(value, text),
    learn: (more) => {
      const news = [...more].filter((value) => value !== undefined && value !== "" && !values.includes(value));
      if (news.length === 0) return;
      values.push(...news);
      known = createKnownValues(values);
    },
  };
}

/** Knows shapes and names only. */
export const SHAPE_REDACTOR: Redactor = createRedactor();

/** Most values are short numbers, and every shape needs more than digits. */
const NUMBER = /^-?[\d.]{0,32}$/;

/** Where a long text is cut, a margin at the cut is dropped as well: half a secret would not be recognised. */
function withoutShapes(text: string): string {
  if (NUMBER.test(text) || clean.has(text)) return text;
  let out = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  for (const { pattern, replace } of secretShapes()) {
    out = replace === undefined ? out.replace(pattern, REDACTED) : out.replace(pattern, replace);
  }
  if (out === text && text.length <= MAX_CLEAN_CHARS) rememberClean(text);
  return text.length > MAX_TEXT ? `${out.slice(0, -REACH)}${CUT} (${text.length} characters)` : out;
}

/** Names and codes come again and again, and looking for every shape costs more than all else. Only what holds no secret is remembered. */
const clean = new Set<string>();
const MAX_CLEAN = 2_000;
const MAX_CLEAN_CHARS = 80;

function rememberClean(text: string): void {
  if (clean.size >= MAX_CLEAN) clean.clear();
  clean.add(text);
}

function scrub(root: unknown, text: (value: string) => string): unknown {
  const path = new Set<object>();
  let nodes = 0;

  function visit(value: unknown, depth: number): unknown {
    if (typeof value === "string") return scrubString(value, depth);
    if (typeof value === "number" || typeof value === "bigint") return scrubNumber(value);
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value !== "object") return undefined;
    if (path.has(value)) return "[circular]";
    if (depth >= MAX_DEPTH || ++nodes > MAX_NODES) return "[too deep or too large]";
    path.add(value);
    const out = tryRead(() => visitObject(value, depth), UNREADABLE);
    path.delete(value);
    return out;
  }

  function visitObject(value: object, depth: number): unknown {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof URL || value instanceof Date) return text(tryRead(() => String(value), UNREADABLE));
    if (Array.isArray(value)) return visitList(value, depth);
    const out: Record<string, unknown> = {};
    const named = secretPair(value);
    for (const [key, item] of entriesOf(value)) {
      const isSecret = (isSecretName(key) || (named && /^value$/i.test(key))) && canBeSecret(key, item);
      const safe = isSecret ? REDACTED : visit(item, depth + 1);
      if (safe === undefined) continue;
      Object.defineProperty(out, text(key), { value: safe, enumerable: true, configurable: true, writable: true });
    }
    return out;
  }

  /** A list may be names and values in turn, as raw headers and arguments are: what follows such a secret name is secret. */
  function visitList(list: readonly unknown[], depth: number): unknown[] {
    return list.slice(0, MAX_NODES).map((item, index) => {
      const before: unknown = list[index - 1];
      const follows = typeof before === "string" && HEADER_OR_FLAG.test(before) && isSecretName(before);
      return follows && typeof item === "string" ? REDACTED : visit(item, depth + 1);
    });
  }

  function scrubNumber(value: number | bigint): unknown {
    const shown = String(value);
    if (text(shown) !== shown) return REDACTED;
    if (typeof value === "bigint") return shown;
    return Number.isFinite(value) ? value : null;
  }

  /** JSON inside a string is scrubbed as data, so that a secret field is found whatever its value looks like. */
  function scrubString(value: string, depth: number): string {
    const opens = value.trimStart().charAt(0);
    if ((opens === "{" || opens === "[") && value.length <= MAX_TEXT && depth < MAX_DEPTH) {
      const parsed = parseJson(value);
      if (typeof parsed === "object" && parsed !== null) return text(JSON.stringify(visit(parsed, depth + 1)));
    }
    return text(value);
  }

  return visit(root, 0);
}

/** In a list only these announce a value; any other word may be a step of a path. */
const HEADER_OR_FLAG =
  /^(?:--?[a-z-]{2,40}|(?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?(?:goog-)?api-key|x-[a-z-]{2,40})$/i;

/** `{ name: "Authorization", value: "…" }`, as HAR files and some clients write headers. */
function secretPair(value: object): boolean {
  const { name, key, Name } = value as { readonly name?: unknown; readonly key?: unknown; readonly Name?: unknown };
  return [name, key, Name].some((label) => typeof label === "string" && isSecretName(label));
}

interface Tagged {
  readonly [Symbol.toStringTag]?: unknown;
  readonly entries?: unknown;
}

/** By its tag: naming the class itself makes Node load all of its `fetch`, and other packages have a class of their own. */
function isHeaders(value: object): value is Headers {
  const isTagged = (it: Tagged): boolean => it[Symbol.toStringTag] === "Headers" && typeof it.entries === "function";
  return tryRead(() => isTagged(value), false);
}

/** Own fields of anything: errors show name, message and causes, headers and maps their pairs; a getter that throws shows as such. */
function* entriesOf(value: object): Iterable<[string, unknown]> {
  if (value instanceof Error) {
    for (const key of ["name", "message", "cause", "errors"] as const) {
      yield [key, tryRead(() => (value as { readonly [field in typeof key]?: unknown })[key], UNREADABLE)];
    }
  }
  if (value instanceof Map || isHeaders(value)) {
    for (const [key, item] of value.entries()) yield [String(key), item];
    return;
  }
  if (value instanceof Set) {
    let index = 0;
    for (const item of value) yield [String(index++), item];
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of tryRead(() => Object.keys(fields), [UNREADABLE])) {
    yield [key, tryRead(() => fields[key], UNREADABLE)];
  }
}
