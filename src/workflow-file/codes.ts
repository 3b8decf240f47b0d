// All diagnostics of workflow files: code, severity, meaning. Codes are stable, because people search for them. The documentation
// shows this table.

import type { Path } from "../yaml-file/locate.ts";

export interface MistakeRow {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly means: string;
  /** The caret points at a secret: it is reported, but never shown. */
  readonly hides?: true;
  /** It depends on one value and on the names in the file: it is reported even if other parts of the file have the wrong form. */
  readonly alone?: true;
}

/** The mistakes that a workflow file can have, with their codes. */
// prettier-ignore
export const MISTAKES = {
  "syntax":            { code: "WFL001", severity: "error",   means: "The file is not YAML, not UTF-8, or too long." },
  "unknown-key":       { code: "WFL002", severity: "error",   means: "An unknown key." },
  "wrong-type":        { code: "WFL003", severity: "error",   means: "A value of the wrong type." },
  "unknown-value":     { code: "WFL004", severity: "error",   means: "A word that the key does not accept." },
  "out-of-range":      { code: "WFL005", severity: "error",   means: "A number too small or too large, a text or a list too short or too long." },
  "missing":           { code: "WFL006", severity: "error",   means: "A required key is missing." },
  "bad-name":          { code: "WFL007", severity: "error",   means: "A name that cannot be used." },
  "too-large":         { code: "WFL008", severity: "error",   means: "More nodes, or deeper nesting, than a workflow may have." },
  "bad-duration":      { code: "WFL009", severity: "error",   means: "Not a duration.", alone: true },
  "bad-money":         { code: "WFL010", severity: "error",   means: "Not an amount of money.", alone: true },
  "unknown-node":      { code: "WFL011", severity: "error",   means: "An edge, a branch or the start leads to a node that does not exist.", alone: true },
  "unknown-agent":     { code: "WFL012", severity: "error",   means: "A node names an agent that does not exist.", alone: true },
  "unknown-tool":      { code: "WFL013", severity: "error",   means: "A node or an agent names a tool that does not exist.", alone: true },
  "unknown-provider":  { code: "WFL014", severity: "error",   means: "A model is not written as provider/model, or its provider is unknown.", alone: true },
  "unknown-cli":       { code: "WFL015", severity: "error",   means: "An unknown agent CLI.", alone: true },
  "bad-join":          { code: "WFL017", severity: "error",   means: "A join that is not a merge node or joins two fan-outs, or a merge node that joins nothing." },
  "lost-branch":       { code: "WFL018", severity: "error",   means: "A branch that never reaches the join of its fan-out." },
  "endless-cycle":     { code: "WFL019", severity: "error",   means: "A cycle in which no edge has a `max`." },
  "unknown-fault":     { code: "WFL020", severity: "error",   means: "`retry.on` names a fault code that does not exist.", alone: true },
  "fatal-fault":       { code: "WFL021", severity: "error",   means: "`retry.on` names a fault that a retry cannot help.", alone: true },
  "bad-expression":    { code: "WFL022", severity: "error",   means: "An expression that is not JavaScript." },
  "bad-template":      { code: "WFL023", severity: "error",   means: "A text whose {{ … }} is not a path, or is not closed." },
  "unknown-path":      { code: "WFL024", severity: "error",   means: "A text that names an input, a node or a field that does not exist." },
  "bad-schema":        { code: "WFL025", severity: "error",   means: "Not a valid JSON Schema." },
  "unreadable-file":   { code: "WFL026", severity: "error",   means: "A file that the workflow refers to cannot be read." },
  "no-allow-list":     { code: "WFL027", severity: "error",   means: "Commands that are only known at run time, without an `allow` list." },
  "written-secret":    { code: "WFL028", severity: "error",   means: "The file contains a secret.", hides: true, alone: true },
  "bad-input":         { code: "WFL029", severity: "error",   means: "An input whose default or whose choices do not fit its type." },
  "conflict":          { code: "WFL030", severity: "error",   means: "Keys that exclude or need each other." },
  "bad-command":       { code: "WFL031", severity: "error",   means: "A command line that could never be run without a shell.", alone: true },
  "unreached-node":    { code: "WFL101", severity: "warning", means: "A node that no path leads to." },
  "closed-edge":       { code: "WFL102", severity: "warning", means: "An edge that is never taken, because an edge before it is always open." },
  "unknown-word":      { code: "WFL103", severity: "warning", means: "An expression seems to name an input or a node that does not exist." },
  "unused":            { code: "WFL104", severity: "warning", means: "An unused agent, tool or provider." },
  "variable-not-set":  { code: "WFL105", severity: "warning", means: "The environment variable for a key is not set." },
  "secret-in-prompt":  { code: "WFL106", severity: "warning", means: "A text that a model or a person sees contains a secret input." },
  "not-yet-there":     { code: "WFL107", severity: "warning", means: "A text needs the result of a node that can never have run before it." },
  "cannot-bind":       { code: "WFL108", severity: "warning", means: "A `retry`, `retry-later` or `alternatives` that has no effect after a failure that may have done its work, because the node or tool is not idempotent." },
  "shared-domain":     { code: "WFL109", severity: "warning", means: "All targets of an agent are reached at one address, so they fail together." },
} as const satisfies Readonly<Record<string, MistakeRow>>;

export type MistakeKind = keyof typeof MISTAKES;

/** A mistake that the schema cannot detect. */
export interface WorkflowFinding {
  readonly kind: MistakeKind;
  readonly path: Path;
  /** What the caret points at: the value, its key, or a position in its text. */
  readonly at: "value" | "key" | { readonly brace: number };
  readonly message: string;
  readonly label: string;
  readonly help: string;
  /** The file with the mistake, if it is one that the workflow refers to; `brace` counts in its text. */
  readonly file?: ReferredFile;
}

/** A file that the workflow refers to. */
export interface ReferredFile {
  /** The name the workflow uses. */
  readonly name: string;
  readonly text: string;
}

export function finding(
  kind: MistakeKind,
  path: Path,
  message: string,
  label: string,
  help: string,
  at: WorkflowFinding["at"] = "value",
): WorkflowFinding {
  return { kind, path, at, message, label, help };
}

/** A path as it appears in messages: `nodes.coder.next[0]`. */
export function said(path: Path): string {
  return path.join(".").replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}
