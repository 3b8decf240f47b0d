// The policy of a workflow: a file of its own, or its keys in the workflow file.

import { type Policy, type PolicyRow, withRows } from "../core/index.ts";
import { parsePolicy } from "../policy-file/index.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { diagnosticAt, type FilePlace, lineOf, rangeOf } from "../yaml-file/locate.ts";
import type { ReadDocument } from "../yaml-file/read.ts";
import type { Finding } from "./codes.ts";
import { isFinding, type ReferredFiles } from "./files.ts";
import type { WorkflowFile } from "./schema.ts";

export interface ReadPolicy {
  readonly policy: Policy | null;
  readonly findings: readonly Finding[];
  /** With codes of policy files, which are explained with them. */
  readonly diagnostics: readonly Diagnostic[];
}

const NONE: ReadPolicy = { policy: null, findings: [], diagnostics: [] };

export function readPolicy(
  written: WorkflowFile["policy"],
  files: ReferredFiles,
  read: ReadDocument,
  place: FilePlace,
): ReadPolicy {
  if (written === undefined) return NONE;
  if (typeof written !== "string") return inlinePolicy(written, read, place);
  const file = files.open(written, ["policy"]);
  if (isFinding(file)) return { ...NONE, findings: [file] };
  return { ...parsePolicy(file.text, besides(place.file, file.name)), findings: [] };
}

/** The name of a file beside the workflow, as whoever named the workflow would name it. */
export function besides(workflow: string, name: string): string {
  return workflow.slice(0, Math.max(workflow.lastIndexOf("/"), workflow.lastIndexOf("\\")) + 1) + name;
}

/** Its shape is checked already, so only warnings are left; each is about a row, and told where that row stands. */
function inlinePolicy(
  written: Exclude<WorkflowFile["policy"], string | undefined>,
  { document }: ReadDocument,
  place: FilePlace,
): ReadPolicy {
  const { rows = [], ...rest } = written;
  const head = JSON.stringify({ ...rest, version: 1 }).slice(0, -1);
  const listed = rows.map((row) => JSON.stringify(row)).join(",\n");
  const parsed = parsePolicy(`${head},"rows":[\n${listed}\n]}\n`, place.file);
  const firstRowLine = 2;
  const diagnostics = parsed.diagnostics.map((one) => {
    const row = one.line - firstRowLine;
    const path = row >= 0 && row < rows.length ? ["policy", "rows", row] : ["policy"];
    const { code, message, label, help, severity } = one;
    return { ...diagnosticAt(place, code, message, rangeOf(document, path), label, help), severity };
  });
  const { policy } = parsed;
  if (policy === null) return { policy, diagnostics, findings: [] };
  const at = (index: number): PolicyRow["origin"] => ({
    layer: "file",
    at: `${place.file}:${lineOf(document, ["policy", "rows", index], place.at)}`,
  });
  const own = policy.rows
    .filter(({ origin }) => origin.layer === "file")
    .map((row, index) => ({ ...row, origin: at(index) }));
  const others = { ...policy, rows: policy.rows.filter(({ origin }) => origin.layer !== "file") };
  return { policy: withRows(others, own), diagnostics, findings: [] };
}
