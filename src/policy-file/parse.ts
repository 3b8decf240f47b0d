// Parses a policy file into a policy, or reports all its mistakes at once. A file with an error is never loaded.

import type { Document } from "yaml";
import {
  lintPolicy,
  PRESETS,
  withRows,
  type Finding,
  type FindingKind,
  type Policy,
  type PolicyRow,
  type Retry,
} from "../core/index.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { explainIssues, type Grammar } from "../yaml-file/issues.ts";
import { diagnosticAt, lineOf, rangeOf, type FilePlace } from "../yaml-file/locate.ts";
import { type FileKind, inOrder, readYaml } from "../yaml-file/read.ts";
import { policyFileSchema, type PolicyFile, type PolicyFileRetry, type PolicyFileRow } from "./schema.ts";

/** A policy, or null, and the mistakes that were found. */
export interface ParsedPolicy {
  /** null if there is an error. */
  readonly policy: Policy | null;
  /** Errors and warnings, in file order. */
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

const KIND: FileKind = { article: "a policy", name: "a policy file", syntaxCode: "POL001", documents: "one" };

const GRAMMAR: Grammar = {
  schema: policyFileSchema,
  codes: {
    unknownKey: "POL002",
    wrongType: "POL003",
    unknownName: "POL004",
    outOfRange: "POL005",
    missing: "POL006",
  },
  rangeHelp: { maxAttempts: "maxAttempts counts all attempts, the first included." },
  manyNamesHelp: "`faultline explain --list` lists all fault codes.",
};

/** Reads a policy from YAML and reports every mistake with its place. */
export function parsePolicy(text: string, file: string): ParsedPolicy {
  const { place, documents, mistakes } = readYaml(text, file, KIND);
  const [read] = documents;
  if (read === undefined) return { policy: null, diagnostics: mistakes };
  const checked = policyFileSchema.safeParse(read.value ?? {});
  if (!checked.success) {
    return { policy: null, diagnostics: inOrder(explainIssues(checked.error.issues, read, place, GRAMMAR)) };
  }
  const policy = build(checked.data, file, read.document, place.at);
  const diagnostics = lintPolicy(policy)
    .filter((finding) => finding.row === null || finding.row.origin.layer === "file")
    .map((finding) => explainFinding(finding, policy, read.document, place));
  return { policy, diagnostics: inOrder(diagnostics) };
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
