// A mistake in a file, shown as compilers do: message, position, the line with a caret under it, and what to do.

import { type Locale, SHAPE_REDACTOR } from "../core/index.ts";
import { columnsOf } from "./columns.ts";
import { ISSUE_WORDS } from "./issue-words.ts";
import { joinChinese, PUNCTUATION } from "../core/punctuation.ts";

/** A mistake in a file, with its place and a hint. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** Stable, e.g. `POL002`. */
  readonly code: string;
  readonly message: string;
  readonly file: string;
  /** 1-based, as editors count. */
  readonly line: number;
  readonly column: number;
  /** How many characters the caret underlines. */
  readonly length: number;
  /** The underlined text is a secret and is not shown. */
  readonly hides?: boolean;
  /** The text beside the caret. */
  readonly label: string;
  readonly help: string;
}

/**
 * Masks the parts of a file that its diagnostics point at and must not show. The length stays the same, so that carets still fit.
 */
export function withoutHidden(source: string, diagnostics: readonly Diagnostic[]): string {
  const lines = withoutMark(source).split(/\r?\n/);
  for (const { hides, line, column, length } of diagnostics) {
    const written = lines[line - 1];
    if (hides !== true || written === undefined) continue;
    const end = column - 1 + length;
    lines[line - 1] = written.slice(0, column - 1) + "•".repeat(length) + written.slice(end);
  }
  return lines.join("\n");
}

/**
 * Renders a diagnostic as text without colour; `source` is the whole file. Secrets in it are not repeated. `locale`: the language of its own
 * words; English by default.
 */
export function renderDiagnostic(diagnostic: Diagnostic, source: string, locale: Locale = "en"): string {
  const words = ISSUE_WORDS[locale];
  const { colon } = PUNCTUATION[locale];
  const { severity, code, message, file, line, column, length, label, help } = diagnostic;
  const lines = withoutMark(withoutHidden(source, [diagnostic])).split(/\r?\n/);
  const { text: shown, before: cut } = excerptOf(lines[line - 1] ?? "", column);
  const at = column - cut;
  const gutter = String(line).length;
  const margin = " ".repeat(gutter);
  const before = lines[line - 2]?.slice(0, MAX_SHOWN);
  const rows = [
    `${words[severity]}[${code}]${colon}${message}`,
    `${margin}--> ${file}:${line}:${column}`,
    `${margin} |`,
    ...(before === undefined || before.trim() === ""
      ? []
      : [`${String(line - 1).padStart(gutter)} | ${SHAPE_REDACTOR.text(before)}`]),
    `${line} | ${SHAPE_REDACTOR.text(shown)}`,
    `${margin} | ${padTo(shown, at - 1)}${"^".repeat(Math.max(1, columnsOf(shown.slice(at - 1, at - 1 + length))))}${label === "" ? "" : ` ${label}`}`,
    ...(help === "" ? [] : [`${margin} = ${words.help}${colon}${help}`]),
  ];
  return rows.join("\n");
}

const MAX_SHOWN = 400;

/** The part of a line around a column, and how many characters before it are left out: a line may be a whole file. */
function excerptOf(line: string, column: number): { readonly text: string; readonly before: number } {
  if (line.length <= MAX_SHOWN) return { text: line, before: 0 };
  const before = Math.max(0, Math.min(column - 1 - MAX_SHOWN / 2, line.length - MAX_SHOWN));
  return { text: line.slice(before, before + MAX_SHOWN), before };
}

/** Drops a byte order mark. */
export function withoutMark(source: string): string {
  return source.startsWith("\uFEFF") ? source.slice(1) : source;
}

/** Padding as wide as the text above it: wide characters take two columns, tabs stay tabs. */
function padTo(shown: string, column: number): string {
  return Array.from(shown.slice(0, column), (char) => (char === "\t" ? "\t" : " ".repeat(columnsOf(char)))).join("");
}

/**
 * A sentence about a mistake, and its Chinese. `{}` in English is what differs; `{1}`, `{2}` … in Chinese are these parts in order. A part
 * that is a sentence itself is translated, too.
 */
export type SentenceRow = readonly [english: string, chinese: string];

/** A sentence in Chinese; one without a row stays as it is. */
export function createSentences(rows: readonly SentenceRow[]): (english: string) => string {
  const split = rows.map(([row, chinese]) => ({ pieces: row.split("{}"), chinese }));
  const inChinese = (english: string): string => {
    for (const { pieces, chinese } of split) {
      const parts = partsBetween(pieces, english);
      if (parts !== null) return filled(chinese, parts, inChinese);
    }
    return english;
  };
  return inChinese;
}

/** A name keeps the spaces around its hole; a part that became Chinese does not. */
function filled(chinese: string, parts: readonly string[], inChinese: (english: string) => string): string {
  const [, before = "", number, after = ""] = /^(.*?)\{(\d)\}(.*)$/s.exec(chinese) ?? [];
  if (number === undefined) return chinese;
  const part = parts[Number(number) - 1] ?? "";
  const translated = inChinese(part);
  const rest = filled(after, parts, inChinese);
  return translated === part ? `${before}${part}${rest}` : joinChinese(before, translated, rest);
}

/** Diagnostics in Chinese, by their English sentences. Tests read every mistake they know in Chinese and name the sentences without a row. */
export function createTranslator(rows: readonly SentenceRow[]): (diagnostic: Diagnostic, locale: Locale) => Diagnostic {
  const inChinese = createSentences(rows);
  return (diagnostic, locale) => {
    if (locale === "en") return diagnostic;
    const { message, label, help } = diagnostic;
    return { ...diagnostic, message: inChinese(message), label: inChinese(label), help: inChinese(help) };
  };
}

/** What stands between the fixed pieces of a row; null if the text does not fit. Takes linear time, as a text may be hostile. */
function partsBetween(pieces: readonly string[], text: string): readonly string[] | null {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first ? [] : null;
  if (!text.startsWith(first)) return null;
  const parts: string[] = [];
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1) return null;
    parts.push(text.slice(at, found));
    at = found + piece.length;
  }
  const end = text.length - last.length;
  return end < at || !text.endsWith(last) ? null : [...parts, text.slice(at, end)];
}
