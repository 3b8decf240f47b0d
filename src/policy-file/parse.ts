// Parses a policy file into a policy, or reports all its mistakes at once. A file with an error is never loaded.

import { defined } from "../core/defined.ts";
import type { Document } from "yaml";
import {
  lintPolicy,
  PRESETS,
  withRows,
  type Finding,
  type FindingKind,
  type Locale,
  type Policy,
  type PolicyRow,
  type Retry,
} from "../core/index.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { checkForm, type Grammar } from "../yaml-file/issues.ts";
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

const EXAMPLES = { match: "match: { code: RateLimited }", then: "then: [fallback, fail]" };

const KIND: FileKind = { article: "a policy", name: "a policy file", syntaxCode: "POL001", documents: "one" };

const GRAMMAR: Omit<Grammar, keyof (typeof HELP)[Locale]> = {
  schemaFor: () => policyFileSchema,
  codes: {
    unknownKey: "POL002",
    wrongType: "POL003",
    unknownName: "POL004",
    outOfRange: "POL005",
    missing: "POL006",
  },
};

const HELP = {
  "en": {
    rangeHelp: { maxAttempts: "maxAttempts counts all attempts, the first included." },
    manyNamesHelp: "`faultline explain --list` lists all fault codes.",
    examples: EXAMPLES,
  },
  "zh-CN": {
    rangeHelp: { maxAttempts: "maxAttempts 是全部尝试次数，包括第一次。" },
    manyNamesHelp: "`faultline explain --list` 会列出所有故障代码。",
    examples: EXAMPLES,
  },
} as const;

/** The kinds of findings in a few words, beside the place. */
const LABELS: Readonly<Record<Locale, Readonly<Record<FindingKind, string>>>> = {
  "en": {
    "unreachable-row": "unreachable row",
    "code-without-row": "code without row",
    "impossible-schedule": "impossible schedule",
    "pointless-retry": "pointless retry",
    "unreachable-recourse": "unreachable recourse",
    "unsafe-number": "unsafe number",
  },
  "zh-CN": {
    "unreachable-row": "永不生效的行",
    "code-without-row": "没有对应行的代码",
    "impossible-schedule": "无法实现的等待安排",
    "pointless-retry": "无意义的重试",
    "unreachable-recourse": "永不执行的办法",
    "unsafe-number": "不安全的数值",
  },
};

/** Reads a policy from YAML and reports every mistake with its place. `locale`: the language of what is said; English by default. */
export function parsePolicy(text: string, file: string, locale: Locale = "en"): ParsedPolicy {
  const { place, documents, mistakes } = readYaml(text, file, { ...KIND, locale });
  const [read] = documents;
  if (read === undefined) return { policy: null, diagnostics: mistakes };
  const checked = policyFileSchema.safeParse(read.value ?? {});
  const grammar = { ...GRAMMAR, ...HELP[locale], locale };
  if (!checked.success) {
    return { policy: null, diagnostics: inOrder(checkForm(read, place, grammar).diagnostics) };
  }
  const policy = build(checked.data, file, read.document, place.at);
  const diagnostics = lintPolicy(policy, locale)
    .filter((finding) => finding.row === null || finding.row.origin.layer === "file")
    .map((finding) => ({
      ...explainFinding(finding, policy, read.document, place),
      label: LABELS[locale][finding.kind],
    }));
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

function explainFinding(finding: Finding, policy: Policy, document: Document, place: FilePlace): Diagnostic {
  const fileRows = policy.rows.filter(({ origin }) => origin.layer === "file");
  const index = finding.row === null ? -1 : fileRows.indexOf(finding.row);
  const path = [...(index === -1 ? [] : ["rows", index]), ...finding.field.split(".")];
  const { kind, message, help } = finding;
  const found = diagnosticAt(place, LINT_CODES[kind], message, rangeOf(document, path), "", help);
  return { ...found, severity: "warning" };
}
