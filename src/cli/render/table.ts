// Text in columns, aligned by display width and wrapped at the terminal's edge.

import { columnsOf } from "../../yaml-file/columns.ts";
import type { Sink } from "../io.ts";

export interface Column {
  readonly title: string;
  /** Right-aligned, for numbers. */
  readonly right?: true;
}

/** The header, then a line per row. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_column, index) =>
    Math.max(...[titles, ...rows].map((cells) => columnsOf(cells[index] ?? ""))),
  );
  return [titles, ...rows].map((cells) =>
    cells
      .map((cell, index) => padded(cell, widths[index] ?? 0, columns[index]?.right === true))
      .join("  ")
      .trimEnd(),
  );
}

function padded(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - columnsOf(cell)));
  return right ? space + cell : cell + space;
}

/** Narrower text would be unreadable. */
const MIN_COLUMNS = 20;

/** Lines of at most `columns`, broken at spaces or next to a wide (CJK) character. */
export function wrapped(text: string, columns: number): readonly string[] {
  const most = Math.max(MIN_COLUMNS, columns);
  if (columnsOf(text) <= most) return [text];
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(PIECES) ?? []) {
    if (line !== "" && columnsOf(line + piece.trimEnd()) > most) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

/** A sentence as wide as the terminal, with its further lines indented. Elsewhere it stays one line, so that logs can be searched. */
export function fitted(text: string, { isTTY, columns }: Pick<Sink, "isTTY" | "columns">): string {
  return isTTY ? wrapped(text, columns - FURTHER.length).join(`\n${FURTHER}`) : text;
}

const FURTHER = "  ";

/** Joins short facts, as many per line as fit. */
export function factLines(facts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const longer = `${lines.at(-1) ?? ""} · ${fact}`;
    if (lines.length > 0 && columnsOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(...wrapped(fact, columns));
  }
  return lines;
}

/** A wide character with the punctuation that must not begin a line, or a word with the space after it. */
const WIDE = String.raw`[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]`;
const CLOSING = String.raw`[，。；：！？、）」』》”…]`;
const PIECES = new RegExp(`${WIDE}${CLOSING}*\\s*|(?:(?!${WIDE})\\S)+${CLOSING}*\\s*|\\s+`, "gu");
