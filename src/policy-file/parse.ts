// A policy file's text → a policy, or every mistake in it at once. Nothing is half loaded: one error and there is no policy.

import { LineCounter, parseDocument, visit, type Document, type YAMLParseError } from "yaml";
import {
  classify,
  lintPolicy,
  PRESETS,
  withRows,
  type Finding,
  type FindingKind,
  type Policy,
  type PolicyRow,
  type Retry,
} from "../core/index.ts";
import { type Diagnostic, withoutMark } from "./diagnostic.ts";
import { CODES, explainIssues } from "./issues.ts";
import { diagnosticAt, lineOf, rangeOf, type FilePlace, type Range } from "./locate.ts";
import { policyFileSchema, type PolicyFile, type PolicyFileRetry, type PolicyFileRow } from "./schema.ts";

export interface ParsedPolicy {
  /** null when there is an error. */
  readonly policy: Policy | null;
  /** Errors and warnings, in the order of the file. */
  readonly diagnostics: readonly Diagnostic[];
}

const LINT_CODES: Readonly<Record<FindingKind, string>> = {
  "unreachable-row": "POL101",
  "code-without-row": "POL102",
  "impossible-schedule": "POL103",
  "pointless-retry": "POL104",
  "unreachable-recourse": "POL105",
  "unsafe-number": "POL106",
};

const MAX_FILE_CHARS = 200_000;
/** More mistakes than anybody reads at once. */
const MAX_DIAGNOSTICS = 50;

export function parsePolicy(text: string, file: string): ParsedPolicy {
  const source = typeof text === "string" ? withoutMark(text) : "\0";
  const lines = new LineCounter();
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const place = { file, at };
  if (source.length > MAX_FILE_CHARS) {
    const message = `the file has ${source.length} characters; a policy has at most ${MAX_FILE_CHARS}`;
    return {
      policy: null,
      diagnostics: [diagnosticAt(place, CODES.syntax, message, [0, 1], "", "Check that this is a policy file.")],
    };
  }
  if (source.includes("\0")) {
    const help = "Save the file as UTF-8.";
    return {
      policy: null,
      diagnostics: [diagnosticAt(place, CODES.syntax, "the file is not UTF-8 text", [0, 1], "", help)],
    };
  }
  const document = parseDocument(source, {
    lineCounter: lines,
    keepSourceTokens: true,
    uniqueKeys: true,
    strict: true,
    prettyErrors: false,
  });
  if (document.errors.length > 0) {
    const diagnostics = document.errors.slice(0, MAX_DIAGNOSTICS).map((error) => syntaxDiagnostic(error, place));
    return { policy: null, diagnostics: inOrder(diagnostics) };
  }
  const data = readData(document, place);
  if ("severity" in data) return { policy: null, diagnostics: [data] };
  const checked = policyFileSchema.safeParse(data.value ?? {});
  if (!checked.success) {
    return { policy: null, diagnostics: inOrder(explainIssues(checked.error.issues, data.value, document, place)) };
  }
  const policy = build(checked.data, file, document, at);
  const diagnostics = lintPolicy(policy)
    .filter((finding) => finding.row === null || finding.row.origin.layer === "file")
    .map((finding) => explainFinding(finding, policy, document, place));
  return { policy, diagnostics: inOrder(diagnostics) };
}

/** What the YAML parser's codes mean to whoever wrote the file; its own words for the rest. */
const SYNTAX_WORDS: Readonly<Record<string, { readonly message: string; readonly help: string }>> = {
  MULTIPLE_DOCS: { message: "a policy file holds one document", help: "Remove the `---` line, or make two files." },
  DUPLICATE_KEY: { message: "the same key stands here twice", help: "Keep one of the two." },
  TAB_AS_INDENT: { message: "a tab is used to indent", help: "YAML indents with spaces only." },
};

function syntaxDiagnostic(error: YAMLParseError, place: FilePlace): Diagnostic {
  const words = SYNTAX_WORDS[error.code];
  const help = words?.help ?? "Check the indentation and the quotes around this place.";
  return diagnosticAt(place, CODES.syntax, words?.message ?? firstLine(error.message), error.pos, "", help);
}

/** Anchors may be used a little; one that leads nowhere, or a bomb of nested ones, is a mistake in the file. */
function readData(document: Document, place: FilePlace): { readonly value: unknown } | Diagnostic {
  try {
    return { value: document.toJS({ maxAliasCount: 50 }) as unknown };
  } catch (error) {
    const { message } = classify({ surface: "schema", error });
    const help = "Write the values out instead of referring to an anchor.";
    return diagnosticAt(place, CODES.syntax, message, aliasRange(document), "", help);
  }
}

/** Where the first reference that leads nowhere stands; the whole file when each leads somewhere, and only to too much. */
function aliasRange(document: Document): Range {
  let found: Range | undefined;
  visit(document, {
    Alias(_key, alias) {
      if (alias.range && alias.resolve(document) === undefined) found ??= [alias.range[0], alias.range[1]];
    },
  });
  return found ?? rangeOf(document, []);
}

function build(data: PolicyFile, file: string, document: Document, at: FilePlace["at"]): Policy {
  const base = PRESETS[data.preset ?? "default"];
  const rows = (data.rows ?? []).map((row, index) => rowOf(row, `${file}:${lineOf(document, ["rows", index], at)}`));
  const layered = withRows(base, rows);
  return {
    ...layered,
    name: file,
    breaker: { ...base.breaker, ...defined(data.breaker ?? {}) },
    retryBudget: { ...base.retryBudget, ...defined(data.retryBudget ?? {}) },
    learnsAfter: data.learnsAfter ?? base.learnsAfter,
  };
}

function rowOf(row: PolicyFileRow, at: string): PolicyRow {
  const match = Object.fromEntries(
    Object.entries(row.match).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, Array.isArray(value) ? value : [value]]],
    ),
  ) as PolicyRow["match"];
  const retry = row.retry === undefined || row.retry === "none" ? null : retryOf(row.retry);
  return { match, retry, then: row.then, origin: { layer: "file", at } };
}

const FILE_RETRY_DEFAULTS = {
  jitter: 0.2,
  maxWaitMs: 600_000,
  maxTotalWaitMs: 3_600_000,
  multiplier: 2,
  maxMs: 86_400_000,
} as const;

function retryOf(retry: PolicyFileRetry): Retry {
  const { backoff } = retry;
  return {
    maxAttempts: retry.maxAttempts,
    backoff: {
      kind: backoff.kind,
      initialMs: backoff.initialMs,
      maxMs: backoff.maxMs ?? FILE_RETRY_DEFAULTS.maxMs,
      multiplier: backoff.multiplier ?? FILE_RETRY_DEFAULTS.multiplier,
    },
    jitter: retry.jitter ?? FILE_RETRY_DEFAULTS.jitter,
    maxWaitMs: retry.maxWaitMs ?? FILE_RETRY_DEFAULTS.maxWaitMs,
    maxTotalWaitMs: retry.maxTotalWaitMs ?? FILE_RETRY_DEFAULTS.maxTotalWaitMs,
  };
}

function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}

function explainFinding(finding: Finding, policy: Policy, document: Document, place: FilePlace): Diagnostic {
  const fileRows = policy.rows.filter(({ origin }) => origin.layer === "file");
  const index = finding.row === null ? -1 : fileRows.indexOf(finding.row);
  const path = [...(index === -1 ? [] : ["rows", index]), ...finding.field.split(".")];
  const label = finding.kind.replaceAll("-", " ");
  const found = diagnosticAt(
    place,
    LINT_CODES[finding.kind],
    finding.message,
    rangeOf(document, path),
    label,
    finding.help,
  );
  return { ...found, severity: "warning" };
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? text).replace(/ at line \d+, column \d+:?$/, "");
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_DIAGNOSTICS);
}
