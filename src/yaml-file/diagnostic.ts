// A mistake in a file, shown the way compilers do: what, where, the line itself with a caret under it, and what to do.

import { SHAPE_REDACTOR } from "../core/index.ts";
import { columnsOf } from "./columns.ts";

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
  /** What the caret underlines is a secret, and is not shown. */
  readonly hides?: boolean;
  /** Stands beside the caret. */
  readonly label: string;
  readonly help: string;
}

/** The text of a file without what its diagnostics point at and must not show; as long as it was, so that carets still fit. */
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

/** One diagnostic as text, without colour; `source` is the whole file. A key that stands in it is told about, and not repeated. */
export function renderDiagnostic(diagnostic: Diagnostic, source: string): string {
  const { severity, code, message, file, line, column, length, label, help } = diagnostic;
  const lines = withoutMark(withoutHidden(source, [diagnostic])).split(/\r?\n/);
  const shown = lines[line - 1] ?? "";
  const gutter = String(line).length;
  const margin = " ".repeat(gutter);
  const before = lines[line - 2];
  const rows = [
    `${severity}[${code}]: ${message}`,
    `${margin}--> ${file}:${line}:${column}`,
    `${margin} |`,
    ...(before === undefined || before.trim() === ""
      ? []
      : [`${String(line - 1).padStart(gutter)} | ${SHAPE_REDACTOR.text(before)}`]),
    `${line} | ${SHAPE_REDACTOR.text(shown)}`,
    `${margin} | ${padTo(shown, column - 1)}${"^".repeat(Math.max(1, columnsOf(shown.slice(column - 1, column - 1 + length))))}${label === "" ? "" : ` ${label}`}`,
    ...(help === "" ? [] : [`${margin} = help: ${help}`]),
  ];
  return rows.join("\n");
}

/** A byte order mark is no part of the text. */
export function withoutMark(source: string): string {
  return source.startsWith("\uFEFF") ? source.slice(1) : source;
}

/** Blank space as wide as what stands above it: wide characters take two columns, tabs stay tabs. */
function padTo(shown: string, column: number): string {
  return Array.from(shown.slice(0, column), (char) => (char === "\t" ? "\t" : " ".repeat(columnsOf(char)))).join("");
}
