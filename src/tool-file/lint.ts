// Finds mistakes that the schema cannot: duplicate ids, tools that are their own alternative, rows that never match, retry
// schedules that cannot happen.

import { classify, type Retry, rulesWith, schedule, toolRetry, type ToolRetryManifest } from "../core/index.ts";
import type { Path } from "../yaml-file/locate.ts";
import { type Condition, conditionsOf, exampleOf, ruleId } from "./classification.ts";
import type { ToolManifest } from "./manifest.ts";
import type { ToolFileRow, ToolFileTool } from "./schema.ts";

/** Codes are stable, because people search for them. */
export const FINDINGS = {
  "no-tool": { code: "TOOL006", severity: "error" },
  "no-condition": { code: "TOOL006", severity: "error" },
  "id-twice": { code: "TOOL007", severity: "error" },
  "bad-alternative": { code: "TOOL008", severity: "error" },
  "condition-never-holds": { code: "TOOL009", severity: "error" },
  "default-no-json": { code: "TOOL010", severity: "error" },
  "row-never-speaks": { code: "TOOL101", severity: "warning" },
  "impossible-schedule": { code: "TOOL102", severity: "warning" },
  "pointless-retry": { code: "TOOL103", severity: "warning" },
  "cannot-bind": { code: "TOOL104", severity: "warning" },
} as const;

export interface ToolFinding {
  readonly kind: keyof typeof FINDINGS;
  /** Relative to the tool. */
  readonly path: Path;
  readonly message: string;
  readonly label: string;
  readonly help: string;
}

/** A tool as written, and as parsed. */
export interface LintedTool {
  readonly written: ToolFileTool;
  readonly manifest: ToolManifest;
}

/** The findings of each tool, in the same order. */
export function lintTools(tools: readonly LintedTool[]): readonly (readonly ToolFinding[])[] {
  const origins = new Map<string, string>();
  const matchesRule = ruleMatcher(tools);
  return tools.map(({ written, manifest }) => {
    const before = origins.get(written.id);
    if (before === undefined) origins.set(written.id, manifest.origin);
    return [
      ...(before === undefined ? [] : [idTwice(written.id, before)]),
      ...lintAlternatives(written),
      ...lintBinding(written),
      ...lintDefault(written),
      ...lintRows(written, matchesRule),
      ...lintRetry(written),
    ];
  });
}

function idTwice(id: string, before: string): ToolFinding {
  return {
    kind: "id-twice",
    path: ["id"],
    message: `there are two tools \`${id}\``,
    label: `the first is at ${before}`,
    help: "Rename one of them, or merge the two.",
  };
}

function lintAlternatives({ id, alternatives = [] }: ToolFileTool): readonly ToolFinding[] {
  return alternatives.flatMap((name, index) => {
    const own = name === id;
    if (!own && alternatives.indexOf(name) === index) return [];
    return [
      {
        kind: "bad-alternative" as const,
        path: ["alternatives", index],
        message: own ? `\`${id}\` cannot be its own alternative` : `\`${name}\` is named twice`,
        label: own ? "the tool itself" : "already in the list",
        help: own ? "Name another tool; to try the same one again, use `retry_policy`." : "Keep one of the two.",
      },
    ];
  });
}

/** Reports before a call what the call would refuse. An explicit `idempotent`, true or false, silences it. */
function lintBinding({ alternatives = [], idempotent }: ToolFileTool): readonly ToolFinding[] {
  if (alternatives.length === 0 || idempotent !== undefined) return [];
  return [
    {
      kind: "cannot-bind",
      path: ["alternatives"],
      message:
        "alternatives are not used after a failure that may have done its work: a time limit, a crash, a cut connection",
      label: "not after it ran",
      help: "Write `idempotent: true` if the tool may run twice without harm, or `idempotent: false` if this is meant.",
    },
  ];
}

/** A default is written to journals and sent to models, so it must be a JSON value. */
function lintDefault(tool: ToolFileTool): readonly ToolFinding[] {
  if (!Object.hasOwn(tool, "default") || isJson(tool.default, [])) return [];
  return [
    {
      kind: "default-no-json",
      path: ["default"],
      message: "the default is not a JSON value",
      label: "cannot be written as JSON",
      help: "Use maps, lists, text, finite numbers, true, false and null, and no circular references.",
    },
  ];
}

function isJson(value: unknown, holders: readonly object[]): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return value === null || JSON_TYPES.has(typeof value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (holders.includes(value) || (prototype !== Object.prototype && prototype !== Array.prototype)) return false;
  return Object.values(value).every((inner) => isJson(inner, [...holders, value]));
}

const JSON_TYPES: ReadonlySet<string> = new Set(["string", "boolean"]);

/**
 * Tells which rules win for the failures they describe. All tools share one rule book, because building one is slower than using
 * it.
 */
function ruleMatcher(tools: readonly LintedTool[]): (evidence: ReturnType<typeof exampleOf>) => boolean {
  const rules = tools.flatMap(({ manifest }) => manifest.rules);
  if (rules.length === 0) return () => false;
  const ids = new Set(rules.map(({ id }) => id));
  const book = rulesWith(rules);
  return (evidence) => ids.has(classify(evidence, book).evidence.rule);
}

function lintRows(
  { id, classification: rows = [] }: ToolFileTool,
  matchesRule: ReturnType<typeof ruleMatcher>,
): readonly ToolFinding[] {
  return rows.flatMap((row, index): readonly ToolFinding[] => {
    const path = ["classification", index];
    const given = conditionsOf(row);
    if (given.length === 0) {
      const help = "Add `status:`, `error_code:` or `text:`, so that the row applies to particular failures.";
      return [{ kind: "no-condition", path, message: "the row has no condition", label: "needs a condition", help }];
    }
    if (!matchesRule(exampleOf(row))) return [neverHolds(row, path, given)];
    const earlier = rows.findIndex((other, at) => at < index && covers(other, row));
    if (earlier === -1) return [];
    return [
      {
        kind: "row-never-speaks",
        path,
        message: `this row never matches: row ${earlier + 1} (${ruleId(id, earlier)}) always matches first`,
        label: "never reached",
        help: "Move it before the other row, narrow the other row, or delete this one.",
      },
    ];
  });
}

function neverHolds(row: ToolFileRow, path: Path, given: readonly Condition[]): ToolFinding {
  const field = row.text === undefined ? (given.at(-1) ?? "text") : "text";
  return {
    kind: "condition-never-holds",
    path: [...path, field],
    message: `no failure ever matches this \`${field}\``,
    label: "never matches",
    help: NEVER_HOLDS_HELP[field],
  };
}

const NEVER_HOLDS_HELP: Readonly<Record<Condition, string>> = {
  status: "Write a status from 400 to 599.",
  error_code:
    "A number is a JSON-RPC code, from -32768 to -32000. Write an HTTP status under `status`, any other code as text.",
  text: "Names in quotes, file names and addresses are not compared: write the words around them.",
};

/** Everything that matches the later row matches the earlier one: its conditions are a subset. */
function covers(earlier: ToolFileRow, later: ToolFileRow): boolean {
  const given = conditionsOf(earlier);
  return given.length > 0 && given.every((name) => plain(earlier[name]) === plain(later[name]));
}

function plain(value: string | number | undefined): string | number | undefined {
  return typeof value === "string" ? value.toLowerCase().replace(/\s+/g, " ").trim() : value;
}

function lintRetry({ retry_policy: written }: ToolFileTool): readonly ToolFinding[] {
  if (written === undefined) return [];
  const policy = written as ToolRetryManifest;
  const retry = toolRetry(policy);
  if (retry.maxAttempts === 1) return lintNoRetry(policy);
  return [...lintCap(policy, retry), ...lintReach(policy, retry)];
}

function lintNoRetry(policy: ToolRetryManifest): readonly ToolFinding[] {
  if (Object.keys(policy).length === 1) return [];
  return [
    {
      kind: "pointless-retry",
      path: placeOf(policy, "max_attempts"),
      message: "max_attempts counts the first attempt too, so with 1 there is no retry and the rest has no effect",
      label: "no retry",
      help: "Write 2 for one retry, or delete the rest.",
    },
  ];
}

function lintCap(policy: ToolRetryManifest, { backoff: { initialMs, maxMs } }: Retry): readonly ToolFinding[] {
  if (maxMs >= initialMs) return [];
  return [
    {
      kind: "impossible-schedule",
      path: placeOf(policy, "max_delay_ms"),
      message: `max_delay_ms (${maxMs}) is below initial_delay_ms (${initialMs}), so the first wait is already capped`,
      label: "below the first wait",
      help: `Raise max_delay_ms to at least ${initialMs}.`,
    },
  ];
}

/** Whether the waits allow all attempts. */
function lintReach(policy: ToolRetryManifest, retry: Retry): readonly ToolFinding[] {
  const waits = schedule(retry);
  const lost = waits.find(({ reachable }) => !reachable);
  if (lost === undefined) return [];
  const { maxAttempts, maxWaitMs, maxTotalWaitMs } = retry;
  const never =
    lost.attempt === 2 ? "there is never a retry" : `attempt ${lost.attempt} of ${maxAttempts} can never be made`;
  const fewer = `lower max_attempts to ${lost.attempt - 1}`;
  if (lost.minMs > maxWaitMs) {
    return [
      {
        kind: "impossible-schedule",
        path: placeOf(policy, "max_delay_ms"),
        message: `${never}: the wait before it (${lost.baseMs} ms) is longer than a call may wait (${maxWaitMs} ms)`,
        label: "longer than a call may wait",
        help: `Lower max_delay_ms to at most ${maxWaitMs}, or ${fewer}.`,
      },
    ];
  }
  const field = policy.max_total_time_ms === undefined ? "max_attempts" : "max_total_time_ms";
  return [
    {
      kind: "impossible-schedule",
      path: placeOf(policy, field),
      message: `${never}: the waits before it pass max_total_time_ms (${maxTotalWaitMs})`,
      label: field === "max_attempts" ? "more than there is time for" : "too short for the waits",
      help: `Raise max_total_time_ms to at least ${lost.totalMaxMs}, or ${fewer}.`,
    },
  ];
}

/** The path of a field, or of its parent if it is missing. */
function placeOf(policy: ToolRetryManifest, field: keyof ToolRetryManifest): Path {
  return policy[field] === undefined ? ["retry_policy"] : ["retry_policy", field];
}
