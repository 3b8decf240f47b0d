// Evidence in, fault out. The order of the groups in `symptoms/` is the order of belief; this file only walks it.

import { limitsUse, traitsOf, type FaultCode } from "../fault/catalogue.ts";
import {
  type ContextValue,
  type EvidenceSource,
  fault,
  type Fault,
  type FaultContext,
  isFaultError,
  isWholeFault,
  withOrigin,
} from "../fault/fault.ts";
import { SHAPE_REDACTOR } from "../fault/redact.ts";
import { fieldOf, readField, readWith, tryRead } from "../try-read.ts";
import type { Evidence } from "./evidence.ts";
import { createHeaderReader, type HeaderReader, readHeaders, readSignals, type Signals } from "./read-evidence.ts";
import { readLimitOwner } from "./limits.ts";
import { originAround, readOrigin } from "./read-origin.ts";
import { readTexts } from "./read-text.ts";
import { checkRules, createRuleBook, type Match, type RuleBook } from "./rule-book.ts";
import type { Rule } from "./rule.ts";
import { SYMPTOMS } from "./symptoms/index.ts";
import { NO_TIMING, readTiming } from "./timing.ts";

/** The rules that `classify` uses when it is given no others. */
export const DEFAULT_RULES: RuleBook = createRuleBook(SYMPTOMS);

/** The built-in rules with a tool's, an adapter's or a user's own rows in front. Compile once, use many times. */
export function rulesWith(rows: readonly Rule[]): RuleBook {
  checkRules(rows);
  return createRuleBook([{ source: "structured", rules: () => rows }, ...SYMPTOMS]);
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

/** The length of the wait may correct the name: hours mean a quota, and minutes a rate limit even if the words said quota. */
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
/** Finds texts that need CONTROLS replaced. Most messages do not, and this test is cheaper. */
const UNEVEN = /[^\S ]| {2}|[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const CONTROLS = /[\s\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Says what went wrong: turns an error, a status or the output of a program into a fault with a code. Use it where an error does not pass
 * through a protected call. It never throws: evidence that cannot be read gives an `Unclassified` fault.
 *
 * @example
 * ```ts
 * import { classify } from "faultline";
 *
 * const { code } = classify({ surface: "http", status: 429 }); // "RateLimited"
 * ```
 */
export function classify(evidence: Evidence, rules: RuleBook = DEFAULT_RULES): Fault {
  return tryRead(() => classifyReadable(evidence, rules), UNREADABLE);
}

/** Classifies an error of the program's own code. A known failure keeps its code; any other is a bug in that code, and `where` says whose. */
export function classifyThrown(
  error: unknown,
  where: { readonly message: string; readonly context?: FaultContext },
  observedAt?: number,
): Fault {
  const evidence: Evidence = { surface: "node", error, observedAt };
  const carried = tryRead(() => carriedFault(evidence), undefined);
  const seen = carried ?? classify(evidence);
  if (carried !== undefined || seen.code !== "Unclassified") return seen;
  const { message, context = {} } = where;
  const said = seen.message === seen.code ? message : `${message}: ${seen.message}`;
  return fault("Uncaught", { message: said, context, cause: seen });
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
  // A cancellation is not an error, so it needs no cause.
  const origin = traitsOf(code).cancels ? null : readOrigin(evidence.error, evidence.body, header);
  return fault(code, {
    message: excerpt === "" ? code : excerpt,
    context: contextOf(signals, header, code, winner),
    retryAfterMs,
    resetAt,
    evidence: {
      rule: timed?.id ?? winner?.rule.id ?? "none",
      source: winner?.source ?? "none",
      nearly: nearly(matches, code),
      excerpt,
      ...(origin === null ? {} : { origin }),
    },
  });
}

/** Words are read only when structure did not decide. */
function matchesIn(signals: Signals, rules: RuleBook): readonly Match[] {
  const structured = rules.matchStructured(signals);
  if (structured.length > 0) return structured;
  readTexts(signals);
  const matches = rules.matchAll(signals);
  return isWeak(matches[0]) ? [...matchesInNames(signals, rules), ...matches] : matches;
}

/** Servers use a status as a default, so an identifier says more. */
function isWeak(winner: Match | undefined): boolean {
  return winner === undefined || winner.source === "status";
}

/**
 * Reads identifiers that are in no table by their words: `exceeded_current_quota_error`, `InvalidApiKey`. Used only if nothing else
 * named the cause, because vendors use some identifiers for many things.
 */
function matchesInNames(signals: Signals, rules: RuleBook): readonly Match[] {
  const texts = signals.names.map(wordsOfName).filter((words) => words.includes(" "));
  if (texts.length === 0) return [];
  const tokens = new Set<string>();
  const found = rules.matchAll({ ...signals, ...NOTHING_ELSE, tokens, errnos: new Set(), stops: new Set(), texts });
  return found[0]?.source === "text" ? found : [];
}

/** The status stays, because it outranks some words. */
const NOTHING_ELSE = { rpcCode: 0, exitCode: null, signal: "", emptyBody: false } as const;

/** `InvalidApiKey` and `INVALID_API_KEY` become `Invalid Api Key` and `INVALID API KEY`. */
function wordsOfName(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|[._:-]+/g, " ");
}

const MAX_SEARCHED = 32;

/** An error that carries a fault is not classified again. A plain fault may also be thrown. */
function carriedFault({ error, aborted }: Evidence): Fault | undefined {
  if (aborted !== undefined && aborted !== false) return undefined;
  const open: unknown[] = [error];
  for (let index = 0; index < open.length && index < MAX_SEARCHED; index++) {
    const link = open[index];
    if (typeof link !== "object" || link === null) continue;
    const found = readWith(link, faultIn);
    // Another copy of this package may use codes unknown here: those errors are classified again.
    if (readWith(found, isWholeFault) === true) {
      const carried = found as Fault;
      return withOrigin(carried, originAround(error, link, carried.evidence.origin));
    }
    open.push(...insideOf(link));
  }
  return undefined;
}

/** Where errors keep what caused them; the AI SDK's RetryError has the errors of its attempts. */
function insideOf(link: object): readonly unknown[] {
  const errors = readField(link, "errors");
  const many = tryRead(
    () => (Array.isArray(errors) ? (errors.slice(-MAX_SEARCHED).toReversed() as unknown[]) : []),
    [],
  );
  // The official SDKs keep the headers of a response, and `fl.fetch` puts the reason there when it has no response to give.
  const headers = readField(link, "headers");
  const headersCause = fieldOf(headers, "cause");
  return [readField(link, "cause"), readField(link, "lastError"), headersCause, ...many];
}

const faultIn = (link: object): unknown => (isFaultError(link) ? link.fault : link);

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
  if (text !== "") return text.length > MAX_MESSAGE_CHARS ? cut(text) : text;
  if (status !== 0) return `HTTP ${status}`;
  for (const errno of errnos) return errno;
  if (signal !== "") return `killed by ${signal}`;
  if (exitCode !== null) return `exit code ${exitCode}`;
  for (const stop of stops) return `stopped: ${stop}`;
  return "";
}

/** Masks secrets before the text is cut, because half a secret is not recognized, and does not cut inside a word. */
function cut(text: string): string {
  const head = SHAPE_REDACTOR.text(text).slice(0, MAX_MESSAGE_CHARS);
  const whole = head.replace(/[^\s"'`,;]{1,300}$/, "");
  return `${whole === "" ? head : whole}…`;
}

function plainLine(text: string): string {
  return (UNEVEN.test(text) ? text.replace(CONTROLS, " ") : text).trim();
}

/** A process that started may have done its work, whatever its failure is called. The exception is a shell that found no program. */
function hasRun({ exitCode, signal, tokens }: Signals, code: FaultCode): boolean {
  if (signal !== "" || tokens.has("exit:failed")) return true;
  return exitCode !== null && exitCode !== 0 && traitsOf(code).cause !== "provider-not-found";
}

function contextOf(
  signals: Signals,
  header: HeaderReader | null,
  code: FaultCode,
  winner: Match | undefined,
): Readonly<Record<string, ContextValue>> {
  const context: Record<string, ContextValue> = { surface: signals.surface };
  if (signals.provider !== "") context["provider"] = signals.provider;
  if (signals.status !== 0) context["status"] = signals.status;
  if (signals.exitCode !== null) context["exitCode"] = signals.exitCode;
  if (signals.signal !== "") context["signal"] = signals.signal;
  if (signals.surface === "tool" && hasRun(signals, code)) context["ran"] = true;
  if (winner?.rule.neverSent === true && signals.surface !== "tool") context["sent"] = false;
  // OpenAI and Anthropic may overrule their own status; `decide` honours a no.
  if (header?.("x-should-retry") === "false") context["shouldRetry"] = false;
  const limitOf = limitsUse(traitsOf(code)) ? readLimitOwner(signals, header) : undefined;
  if (limitOf !== undefined) context["limitOf"] = limitOf;
  return context;
}
