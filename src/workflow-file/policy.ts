// The policy of a workflow: a separate file, or keys in the workflow file.

import type { Locale, Policy } from "../core/index.ts";
import { parsePolicy } from "../policy-file/index.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { diagnosticAt, type FilePlace, lineOf, rangeOf } from "../yaml-file/locate.ts";
import type { ReadDocument } from "../yaml-file/read.ts";
import type { WorkflowFinding } from "./codes.ts";
import { isFinding, type ReferredFiles } from "./files.ts";
import type { WorkflowFile } from "./schema.ts";

export interface ReadPolicy {
  readonly policy: Policy | null;
  readonly findings: readonly WorkflowFinding[];
  /** With the codes of policy files. */
  readonly diagnostics: readonly Diagnostic[];
}

const NONE: ReadPolicy = { policy: null, findings: [], diagnostics: [] };

export function readPolicy(
  written: WorkflowFile["policy"],
  files: ReferredFiles,
  read: ReadDocument,
  place: FilePlace,
  locale: Locale,
): ReadPolicy {
  if (written === undefined) return NONE;
  if (typeof written !== "string") return inlinePolicy(written, read, place, locale);
  const file = files.open(written, ["policy"]);
  if (isFinding(file)) return { ...NONE, findings: [file] };
  return { ...parsePolicy(file.text, besides(place.file, file.name), locale), findings: [] };
}

/** The path of a file beside the workflow, relative to the same folder as the workflow's own path. */
export function besides(workflow: string, name: string): string {
  return workflow.slice(0, Math.max(workflow.lastIndexOf("/"), workflow.lastIndexOf("\\")) + 1) + name;
}

/** The schema has checked its shape, so only warnings remain. Each is about a row and points at that row. */
function inlinePolicy(
  written: Exclude<WorkflowFile["policy"], string | undefined>,
  { document }: ReadDocument,
  place: FilePlace,
  locale: Locale,
): ReadPolicy {
  const { rows = [], ...rest } = written;
  const lines = rows.map((_row, index) => lineOf(document, ["policy", "rows", index], place.at));
  const { text, rowAt } = onTheirLines(JSON.stringify({ ...rest, version: 1 }), rows, lines);
  const parsed = parsePolicy(text, place.file, locale);
  const diagnostics = parsed.diagnostics.map((one) => {
    const row = rowAt(one);
    const path = row === null ? ["policy"] : ["policy", "rows", row];
    const { code, message, label, help, severity } = one;
    return { ...diagnosticAt(place, code, message, rangeOf(document, path), label, help), severity };
  });
  return { policy: parsed.policy, diagnostics, findings: [] };
}

/** Builds a policy file in which every row is on the same line as in the workflow, so that messages name the right line. */
function onTheirLines(
  head: string,
  rows: readonly unknown[],
  lines: readonly number[],
): { readonly text: string; readonly rowAt: (at: Pick<Diagnostic, "line" | "column">) => number | null } {
  const written = [`${head.slice(0, -1)},"rows":[`];
  const starts: { readonly line: number; readonly column: number }[] = [];
  for (const [index, row] of rows.entries()) {
    while (written.length < (lines[index] ?? 0)) written.push("");
    const line = written.length;
    const before = written[line - 1] ?? "";
    starts.push({ line, column: before.length + 1 });
    written[line - 1] = `${before}${JSON.stringify(row)}${index === rows.length - 1 ? "" : ","}`;
  }
  const rowAt = ({ line, column }: Pick<Diagnostic, "line" | "column">): number | null => {
    const row = starts.findLastIndex((start) => start.line < line || (start.line === line && start.column <= column));
    return row === -1 ? null : row;
  };
  return { text: `${written.join("\n")}]}\n`, rowAt };
}
