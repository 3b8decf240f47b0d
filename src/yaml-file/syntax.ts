// What is wrong with the syntax of a file, in our own words, and where. The parser's sentences are about its grammar, and it often notices a
// mistake only lines after it: an open bracket or quote is reported where it opens.

import { type Document, isCollection, isScalar, visit, type YAMLParseError } from "yaml";
import type { SyntaxKind } from "./issue-words.ts";
import type { Range } from "./locate.ts";

export interface SyntaxMistake {
  readonly kind: SyntaxKind;
  readonly pos: Range;
  /** The text at the mistake that its sentence names; empty if it names none. */
  readonly written: string;
}

/** What the parser said, and the file. */
interface Said {
  readonly error: Pick<YAMLParseError, "code" | "message" | "pos">;
  readonly document: Document;
  readonly source: string;
}

interface Row {
  readonly code?: string;
  readonly says?: RegExp;
  /** What stands at the place that the parser names. */
  readonly at?: RegExp;
  readonly kind: SyntaxKind;
  /** If the mistake is elsewhere. */
  readonly place?: (said: Said) => number | null;
  readonly writes?: RegExp;
}

const LIST_ENTRY = /^\s*-(?:\s|$)/;
/** The line has no key: its text continues in the next line. */
const NEXT_LINE = /^[^\n:]*\n/;

/** The first row that fits. */
const ROWS: readonly Row[] = [
  { code: "MULTIPLE_DOCS", kind: "several-documents" },
  { code: "TAB_AS_INDENT", kind: "tab" },
  { code: "MISSING_CHAR", says: /closing .quote/, kind: "open-quote", place: openQuote, writes: /^./ },
  { says: /end with a [}\]]/, kind: "open-bracket", place: openBracket, writes: /^./ },
  { says: /flow-(?:map|seq)-end token/, kind: "stray-bracket", writes: /^./ },
  { says: /Unexpected , in flow/, kind: "stray-comma" },
  { says: /Missing , /, kind: "missing-comma" },
  { says: /Sequence item without|A block sequence may not be/, kind: "list-and-keys", place: firstCharacter },
  { says: /need to be on a single line|followed by map values/, at: LIST_ENTRY, kind: "list-and-keys" },
  { says: /at node end/, at: /^[^\s,:[\]{}]+:(?:\s|$)/, kind: "list-and-keys" },
  { code: "BAD_INDENT", kind: "indent", place: firstCharacter },
  { code: "BLOCK_AS_IMPLICIT_KEY", at: NEXT_LINE, kind: "indent", place: nextLine },
  { code: "BLOCK_AS_IMPLICIT_KEY", kind: "two-keys" },
  { code: "BLOCK_IN_FLOW", at: /^(?!-\s)[^\n]*:\s/, kind: "missing-comma" },
  { code: "BLOCK_IN_FLOW", kind: "block-in-brackets" },
  { says: /need to be on a single line/, at: /^[^\s:]+:\S/, kind: "missing-space", writes: /^[^\s:]+:\S+/ },
  { says: /need to be on a single line|followed by map values/, kind: "missing-colon", writes: /^[^\s:]*/ },
  { code: "BAD_SCALAR_START", kind: "first-character", writes: /^./u },
  { code: "BAD_DQ_ESCAPE", kind: "escape", writes: /^\\./u },
  { says: /^Comments must be separated/, kind: "comment" },
  { says: /^Block scalar header/, kind: "text-header" },
  { says: /at node end/, kind: "rest" },
];

export function syntaxMistake(said: Said): SyntaxMistake {
  const { error, source } = said;
  const found = source.slice(error.pos[0]);
  const row = ROWS.find(
    ({ code, says, at }) =>
      (code ?? error.code) === error.code && (says?.test(error.message) ?? true) && (at?.test(found) ?? true),
  );
  const start = row?.place?.(said) ?? error.pos[0];
  const pos: Range = row?.place === undefined ? error.pos : [start, start + 1];
  const [written = ""] = row?.writes?.exec(source.slice(start)) ?? [];
  return { kind: row?.kind ?? "other", pos, written };
}

/** The start of the quoted text that has no closing quote. The parser reports the place where it expected the quote. */
function openQuote({ error, document }: Said): number | null {
  return firstOf(document, (node) => {
    if (!isScalar(node) || node.srcToken === undefined || !("source" in node.srcToken)) return null;
    const { offset, source, type } = node.srcToken;
    return type.endsWith("quoted-scalar") && offset + source.length === error.pos[0] ? offset : null;
  });
}

const CLOSES: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** The outermost open bracket: which of several the author forgot to close cannot be known. */
function openBracket({ document }: Said): number | null {
  return firstOf(document, (node) => {
    if (!isCollection(node) || node.srcToken?.type !== "flow-collection") return null;
    const { start, end } = node.srcToken;
    return end.at(0)?.source === CLOSES[start.source] ? null : start.offset;
  });
}

function firstOf(document: Document, placeOf: (node: unknown) => number | null): number | null {
  let found: number | null = null;
  visit(document, {
    Node(_key, node) {
      found = placeOf(node);
      return found === null ? undefined : visit.BREAK;
    },
  });
  return found;
}

function firstCharacter({ error, source }: Said): number {
  return error.pos[0] + (/^ */.exec(source.slice(error.pos[0]))?.[0].length ?? 0);
}

function nextLine({ error, source }: Said): number {
  return error.pos[0] + (/^[^\n]*\n\s*/.exec(source.slice(error.pos[0]))?.[0].length ?? 0);
}
