// Evidence in, fault out. The order of the groups in `symptoms/` is the order of belief; this file only walks it.

import { isFaultCode, traitsOf, type FaultCode } from "../fault/catalogue.ts";
import { fault, type ContextValue, type EvidenceSource, type Fault } from "../fault/fault.ts";
import { isFaultError } from "../fault/fault-error.ts";
import { readWith, tolerate } from "../tolerate.ts";
import type { Evidence } from "./evidence.ts";
import { createHeaderReader, type HeaderReader, readHeaders } from "./headers.ts";
import { readSignals } from "./read-evidence.ts";
import { readTexts } from "./read-text.ts";
import { createRuleBook, type Match, type RuleBook } from "./rule-book.ts";
import type { Rule } from "./rule.ts";
import type { Signals } from "./signals.ts";
import { SYMPTOMS } from "./symptoms/index.ts";
import { NO_TIMING, readTiming } from "./timing.ts";

export const DEFAULT_RULES: RuleBook = createRuleBook(SYMPTOMS);

/** The built-in rules with a tool's, an adapter's or a user's own rows in front. Compile once, use many times. */
export function rulesWith(rows: readonly Rule[]): RuleBook {
  return createRuleBook([{ source: "structured", rules: rows }, ...SYMPTOMS]);
}

interface TimingRule {
  readonly id: string;
  readonly was: FaultCode;
  /** Applies only to faults that this kind of evidence made; null for any. */
  readonly source: EvidenceSource | null;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
  /** Not when one of these rules matched too. */
  readonly unless: readonly string[];
  readonly means: FaultCode;
  readonly example: string;
}

/** How long a wait is may say what is waited for: hours make a quota in all but name, minutes a rate limit that words called a quota. */
export const TIMING_RULES: readonly TimingRule[] = [
  {
    id: "timing/long-wait",
    was: "RateLimited",
    source: null,
    minWaitMs: 6 * 3_600_000,
    maxWaitMs: Infinity,
    unless: [],
    means: "QuotaExhausted",
    example: "You have exceeded the call rate limit of your pricing tier. Please retry after 86400 seconds.",
  },
  {
    id: "timing/short-wait",
    was: "QuotaExhausted",
    source: "text",
    minWaitMs: 1,
    maxWaitMs: 300_000,
    unless: ["words/per-day", "words/money", "words/zero-limit"],
    means: "RateLimited",
    example: "You have exhausted your capacity on this model. Your quota will reset after 5s.",
  },
];

const MAX_MESSAGE_CHARS = 500;
const MAX_NEARLY = 3;
/** Anything that replacing CONTROLS by one space would change: most messages have none of it. */
const UNEVEN = /[^\S ]| {2}|[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const CONTROLS = /[\s\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** Never throws: what cannot even be looked at is a fault too, of which nothing is known. */
export function classify(evidence: Evidence, rules: RuleBook = DEFAULT_RULES): Fault {
  return tolerate(() => classifyReadable(evidence, rules), UNREADABLE);
}

const UNREADABLE: Fault = fault("Unclassified", {
  message: "a failure that could not be read",
  evidence: { rule: "none", source: "none", nearly: [], excerpt: "" },
});

function classifyReadable(evidence: Evidence, rules: RuleBook): Fault {
  const carried = carriedFault(evidence);
  if (carried !== undefined) return carried;
  const signals = readSignals(evidence);
  const header = createHeaderReader(signals.headers);
  if (header !== null) readHeaders(signals, header);
  const matches = matchesIn(signals, rules);
  const [winner] = matches;
  const named = winner?.code ?? "Unclassified";
  const { retryAfterMs, resetAt } = traitsOf(named).lifts ? readTiming(signals, header) : NO_TIMING;
  const timed = timingRule(matches, retryAfterMs ?? 0);
  const code = timed?.means ?? named;
  const excerpt = excerptOf(signals);
  return fault(code, {
    message: excerpt === "" ? code : excerpt,
    context: contextOf(signals, header),
    retryAfterMs,
    resetAt,
    evidence: {
      rule: timed?.id ?? winner?.rule.id ?? "none",
      source: winner?.source ?? "none",
      nearly: nearly(matches, code),
      excerpt,
    },
  });
}

/** Words are read only when structure did not decide. */
function matchesIn(signals: Signals, rules: RuleBook): readonly Match[] {
  const structured = rules.matchStructured(signals);
  if (structured.length > 0) return structured;
  readTexts(signals);
  return rules.matchAll(signals);
}

/** An error that already carries a fault was classified once; it is not classified again. */
function carriedFault({ error, aborted }: Evidence): Fault | undefined {
  if (aborted !== undefined && aborted !== false) return undefined;
  for (let at: unknown = error, depth = 0; typeof at === "object" && at !== null && depth < 16; depth++) {
    const found = readWith(at, faultIn);
    // Another copy of this package may know codes that we do not: those are classified anew.
    if (found !== undefined && readWith(found as Fault, hasKnownCode) === true) return found as Fault;
    at = readWith(at, causeIn);
  }
  return undefined;
}

const faultIn = (link: object): unknown => (isFaultError(link) ? link.fault : undefined);
const hasKnownCode = (found: Fault): boolean => isFaultCode(found.code);
const causeIn = (link: object): unknown => (link as { readonly cause?: unknown }).cause;

function timingRule(matches: readonly Match[], waitMs: number): TimingRule | undefined {
  const [winner] = matches;
  return TIMING_RULES.find(
    (rule) =>
      rule.was === winner?.code &&
      (rule.source === null || rule.source === winner.source) &&
      waitMs >= rule.minWaitMs &&
      waitMs <= rule.maxWaitMs &&
      !matches.some((match) => rule.unless.includes(match.rule.id)),
  );
}

/** Rules that matched and would have said something else. */
function nearly(matches: readonly Match[], code: FaultCode): readonly string[] {
  const others: string[] = [];
  for (const match of matches) {
    if (match.code !== code && others.push(match.rule.id) === MAX_NEARLY) break;
  }
  return others;
}

function excerptOf({ texts, status, errnos, signal, exitCode, stops }: Signals): string {
  // Control characters could move a terminal's cursor or set its title.
  const text = plainLine(texts[0]?.slice(0, MAX_MESSAGE_CHARS * 4) ?? "");
  if (text !== "") return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
  if (status !== 0) return `HTTP ${status}`;
  for (const errno of errnos) return errno;
  if (signal !== "") return `killed by ${signal}`;
  if (exitCode !== null) return `exit code ${exitCode}`;
  for (const stop of stops) return `stopped: ${stop}`;
  return "";
}

function plainLine(text: string): string {
  return (UNEVEN.test(text) ? text.replace(CONTROLS, " ") : text).trim();
}

function contextOf(signals: Signals, header: HeaderReader | null): Readonly<Record<string, ContextValue>> {
  const context: Record<string, ContextValue> = { surface: signals.surface };
  if (signals.provider !== "") context["provider"] = signals.provider;
  if (signals.status !== 0) context["status"] = signals.status;
  if (signals.exitCode !== null) context["exitCode"] = signals.exitCode;
  if (signals.signal !== "") context["signal"] = signals.signal;
  // A tool that ran and then failed may have done part of its work, whatever the failure is called.
  if (signals.surface === "tool" && signals.tokens.has("exit:failed")) context["ran"] = true;
  // OpenAI and Anthropic may overrule their own status; `decide` honours a no.
  if (header?.("x-should-retry") === "false") context["shouldRetry"] = false;
  return context;
}
