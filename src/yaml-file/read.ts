// Parses a file into YAML documents as plain values, or reports all mistakes in its YAML at once. Files that are too long, not
// text, or bombs of references never reach a schema.

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  parseDocument,
  type DocumentOptions,
  type Pair,
  type ParseOptions,
  type Scalar,
  type SchemaOptions,
  visit,
  type YAMLMap,
} from "yaml";
import type { Locale } from "../core/index.ts";
import { type Diagnostic, withoutMark } from "./diagnostic.ts";
import { ISSUE_WORDS } from "./issue-words.ts";
import { diagnosticAt, type FilePlace, type Range, rangeOf } from "./locate.ts";
import { type SyntaxMistake, syntaxMistake } from "./syntax.ts";

/** One kind of file: its name and structure. */
export interface FileKind {
  /** The name in messages: "a policy", "a policy file". */
  readonly article: string;
  readonly name: string;
  /** The code of all YAML syntax errors. */
  readonly syntaxCode: string;
  /** Whether `---` may start another document. */
  readonly documents: "one" | "many";
  /** The language of its diagnostics. Default: English. */
  readonly locale?: Locale;
  /**
   * A file whose only mistakes are repeated keys is read all the same, so that the caller reports its other mistakes as well. Each document
   * is then read several times: with the first value of each repeated key, with the second, and so on.
   */
  readonly readsOn?: true;
}

export interface ReadDocument {
  readonly document: Document;
  /** As plain values, with anchors resolved. */
  readonly value: unknown;
}

export interface ReadFile {
  readonly place: FilePlace;
  readonly documents: readonly ReadDocument[];
  /** If there are any, there are no documents; with `readsOn` there may be. */
  readonly mistakes: readonly Diagnostic[];
}

const MAX_FILE_CHARS = 200_000;
/** More than a person reads at once. */
const MAX_DIAGNOSTICS = 50;
/** Enough for ordinary use of anchors. */
const MAX_ALIASES = 50;

export function readYaml(text: string, file: string, kind: FileKind): ReadFile {
  const source = typeof text === "string" ? withoutMark(text) : "\0";
  const place = placeIn(file, source);
  const words = wordsOf(kind);
  const refuse = (message: string, help: string, at = 0): ReadFile => ({
    place,
    documents: [],
    mistakes: [diagnosticAt(place, kind.syntaxCode, message, [at, at + 1], "", help)],
  });
  if (source.length > MAX_FILE_CHARS) {
    return refuse(words.tooLong(kind.article, source.length, MAX_FILE_CHARS), words.checkKind(kind.name));
  }
  if (source.includes("\0")) return refuse(words.notText, words.saveAsText);
  const undecoded = source.indexOf("\uFFFD");
  if (undecoded !== -1) return refuse(words.notText, words.saveAsText, undecoded);
  const tooDeep = (): ReadFile => refuse(words.tooDeep(MAX_DEPTH), words.checkBrackets);
  let documents: readonly Document[];
  try {
    documents = documentsIn(source, kind);
  } catch (error) {
    // The parser calls itself for each level, and has run out of stack.
    if (!(error instanceof RangeError)) throw error;
    return tooDeep();
  }
  if (documents.some(isTooDeep)) return tooDeep();
  const errors = documents.flatMap((document) => syntaxMistakes(document, source));
  const syntax = inOrder(errors.map((error) => syntaxDiagnostic(error, place, kind)));
  const isReadable =
    errors.length === 0 || (kind.readsOn === true && errors.every((one) => one.kind === "repeated-key"));
  if (!isReadable) return { place, documents: [], mistakes: syntax };
  const read = documents.map((document) => readData(document, place, kind));
  const mistakes = read.filter((one) => "severity" in one);
  // Each reading walks the whole file, and with so many mistakes none of what it finds is shown.
  const isRepeated = errors.length > 0 && errors.length < MAX_DIAGNOSTICS;
  const readings = isRepeated ? documents.flatMap(readingsOf).map((one) => readData(one, place, kind)) : read;
  const sound = mistakes.length > 0 ? [] : readings.filter((one) => "document" in one);
  return { place, documents: sound, mistakes: [...syntax, ...mistakes] };
}

/** Far more than a person writes, and far less than the stack of any program that walks a document holds. */
const MAX_DEPTH = 200;

function isTooDeep({ contents }: Pick<Document, "contents">): boolean {
  let level: unknown[] = [contents];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((node): unknown[] => {
      if (isSeq(node)) return node.items;
      return isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : [];
    });
  }
  return false;
}

/** Sorted by position, and cut to a readable number. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_DIAGNOSTICS);
}

/** Counts lines in the text itself: the parser's counter is wrong after a multi-line scalar that it could not place. */
function placeIn(file: string, source: string): FilePlace {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    file,
    at: (offset) => {
      const line = Math.max(1, countUpTo(starts, Math.min(offset, source.length)));
      return { line, column: Math.max(1, offset - (starts[line - 1] ?? 0) + 1) };
    },
  };
}

/** How many of the sorted numbers are at most `most`. */
function countUpTo(sorted: readonly number[], most: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

function documentsIn(source: string, kind: FileKind): readonly Document[] {
  const options: ParseOptions & DocumentOptions & SchemaOptions = {
    keepSourceTokens: true,
    // Checked in `repeatedKeys`: the parser compares every key with all previous ones.
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    // A library prints nothing; yaml would print warnings about odd keys to stderr.
    logLevel: "error",
  };
  if (kind.documents === "one") return [parseDocument(source, options)];
  const all = parseAllDocuments(source, options);
  // A file with only comments has no document. An empty one reports what it lacks.
  return "empty" in all ? [parseDocument(source, options)] : all;
}

/** After the first syntax error the parser has lost its place, so later errors are only consequences. */
function syntaxMistakes(document: Document, source: string): readonly SyntaxMistake[] {
  const error = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
  return [...(error === undefined ? [] : [syntaxMistake({ error, document, source })]), ...repeatedKeys(document)];
}

/** All repetitions of a key. Linear time and no recursion, for any input. */
export function repeatedKeys({ contents }: Pick<Document, "contents">): readonly SyntaxMistake[] {
  const found: SyntaxMistake[] = [];
  for (const map of mapsIn(contents))
    for (const [, ...again] of pairsByKey(map).values())
      for (const { key } of again) {
        const at = key.range?.[0] ?? 0;
        found.push({ kind: "repeated-key", pos: [at, at + 1], written: "" });
      }
  return found;
}

/** More than a person repeats a key. */
const MAX_READINGS = 10;

/** A document without repeated keys for each of their values. */
function readingsOf(document: Document): readonly Document[] {
  let times = 1;
  for (const map of mapsIn(document.contents))
    for (const { length } of pairsByKey(map).values()) times = Math.max(times, length);
  return Array.from({ length: Math.min(times, MAX_READINGS) }, (_none, index) => {
    const reading = document.clone();
    for (const map of mapsIn(reading.contents)) {
      const kept = new Set<unknown>(Array.from(pairsByKey(map).values(), (pairs) => pairs[index] ?? pairs.at(-1)));
      map.items = map.items.filter((pair) => !isScalar(pair.key) || kept.has(pair));
    }
    return reading;
  });
}

/** All maps at any depth. A map may be changed before the next one is asked for. */
function* mapsIn(contents: unknown): Generator<YAMLMap> {
  const open: unknown[] = [contents];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isSeq(node)) for (const item of node.items) open.push(item ?? null);
    if (!isMap(node)) continue;
    yield node;
    for (const { key, value } of node.items) open.push(key ?? null, value ?? null);
  }
}

type ScalarPair = Pair<Scalar>;

function pairsByKey(map: YAMLMap): ReadonlyMap<unknown, readonly ScalarPair[]> {
  return Map.groupBy(
    map.items.filter((pair): pair is ScalarPair => isScalar(pair.key)),
    ({ key }) => key.value,
  );
}

function wordsOf({ locale = "en" }: FileKind): (typeof ISSUE_WORDS)[Locale] {
  return ISSUE_WORDS[locale];
}

function syntaxDiagnostic({ kind, pos, written }: SyntaxMistake, place: FilePlace, file: FileKind): Diagnostic {
  const [said, help] = wordsOf(file).syntax[kind](written, file.name);
  return diagnosticAt(place, file.syntaxCode, said, pos, "", help);
}

/** An unresolved reference, or a bomb of nested ones, is a mistake in the file. */
function readData(document: Document, place: FilePlace, kind: FileKind): ReadDocument | Diagnostic {
  const words = wordsOf(kind);
  const unresolved = unresolvedAlias(document);
  const refuse = (message: string, range: Range): Diagnostic =>
    diagnosticAt(place, kind.syntaxCode, message, range, "", words.noAnchors);
  if (unresolved !== null) return refuse(words.unknownAnchor(unresolved.name), unresolved.range);
  try {
    return { document, value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch (error) {
    if (error instanceof ReferenceError) return refuse(words.tooManyAliases, rangeOf(document, []));
    if (error instanceof Error && /merge/i.test(error.message)) return refuse(words.badMerge, rangeOf(document, []));
    throw error;
  }
}

/** The first reference to an anchor that no earlier line sets. */
function unresolvedAlias(document: Document): { readonly name: string; readonly range: Range } | null {
  let found: { readonly name: string; readonly range: Range } | null = null;
  visit(document, {
    Alias(_key, alias) {
      if (alias.range && alias.resolve(document) === undefined)
        found ??= { name: alias.source, range: [alias.range[0], alias.range[1]] };
    },
  });
  return found;
}
