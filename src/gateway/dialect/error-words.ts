// What a client sees of a fault, in the words of its dialect.
// E1  A status and headers that stop the client's own retries: the gateway has done all of them.
// E2  When a target refuses the gateway's own credential, the client's key is not at fault, so it never becomes a 401 or 403; nor a 5xx, which
//     agents ask again for a minute.
// E3  The exception to E1 is a gateway that stops: another process answers the client that asks again.

import { traitsOf, type FaultCause } from "../../core/fault/catalogue.ts";
import { failedName, type Fault } from "../../core/fault/fault.ts";
import { wordsOf } from "../../core/fault/words/words.ts";
import type { LedgerDecision } from "../ledger/ledger-line.ts";

export interface ErrorWords {
  readonly status: number;
  readonly cause: FaultCause;
  readonly message: string;
  /** Names the call, so that its record can be found; empty for a request that was refused at the door. */
  readonly call: string;
}

const BAD_GATEWAY = 502;
const FAILED_DEPENDENCY = 424;
const UNAVAILABLE = 503;
/** The gateway's own accounts are its operator's business. */
const OWN_ACCOUNT: ReadonlySet<FaultCause> = new Set(["auth-error", "permission-denied"]);
/** A deadline or the client's departure has no status of its own in HTTP. */
const MIN_STATUS = 400;
/** Vendors answer these with 400, and agents know them by that: they compact their conversation instead of asking again. */
const OF_PROMPT: ReadonlySet<FaultCause> = new Set(["context-overflow", "content-filter"]);
const BAD_REQUEST = 400;

export function errorWords(fault: Fault, call: string, decisions: readonly LedgerDecision[] = []): ErrorWords {
  const { code } = fault;
  const { httpStatus, cause } = traitsOf(code);
  const because = (isOfTransport(fault) ? wordsOf(fault, "en").user : fault.message).replace(/\.$/, "");
  // Some targets say nothing but the name of their error.
  const ending = `${because === code ? "" : ` (${code})`}${attemptsIn(decisions)}`;
  if (OWN_ACCOUNT.has(cause)) {
    const message = `the gateway's own credential was refused${by(fault)} (${code})${attemptsIn(decisions)}`;
    return { status: FAILED_DEPENDENCY, cause: "config-invalid", message, call };
  }
  const message = `${because}${ending}`;
  if (isStopping(fault)) return { status: UNAVAILABLE, cause: "overloaded", message, call };
  if (OF_PROMPT.has(cause)) return { status: BAD_REQUEST, cause, message, call };
  return { status: httpStatus < MIN_STATUS ? BAD_GATEWAY : httpStatus, cause, message, call };
}

/** Which targets were asked, how often, and how each failed last; which were passed over, and why. Empty when there was one: its fault says it all. */
function attemptsIn(decisions: readonly LedgerDecision[]): string {
  const failed = decisions.filter(({ code }) => code !== null);
  if (failed.length < 2) return "";
  const tried = [...Map.groupBy(failed, ({ target }) => target)].map(([target, all]) => {
    const asked = all.filter(({ attempt }) => attempt > 0);
    const times = asked.length === 0 ? ", not asked" : asked.length === 1 ? "" : `, ${asked.length} times`;
    return `${target} (${(asked.at(-1) ?? all.at(-1))?.code ?? ""}${times})`;
  });
  return `; tried ${tried.join(", then ")}`;
}

/** Only the gateway itself cancels a call whose client still waits. */
function isStopping({ code }: Fault): boolean {
  return traitsOf(code).cause === "canceled";
}

/** Targets have the names that the gateway's file gives them. */
function by(fault: Fault): string {
  const name = failedName(fault);
  return name === "" ? "" : ` by ${name}`;
}

/** An error of the connection to a target: its message names the target's address, which clients must not see. */
function isOfTransport({ evidence, context }: Fault): boolean {
  return evidence.origin !== undefined && evidence.source !== "raised" && context["status"] === undefined;
}

/** What this machine saw of a broken connection, for the gateway's operator; null for any other failure, which may quote the target. */
export function transportWords(fault: Fault, scrub: (text: string) => string): string | null {
  return isOfTransport(fault) && traitsOf(fault.code).scope === "network" ? scrub(fault.message) : null;
}

/** A budget that has room again so soon: the client's own retry helps. */
const SOON_MS = 10_000;

/** Headers of every error: when to come back, if that is known, and whether asking again helps. */
export function errorHeaders(fault: Fault, now: number): Record<string, string> {
  const { code, resetAt, retryAfterMs } = fault;
  const waitMs = resetAt === undefined ? retryAfterMs : resetAt - now;
  const wait = waitMs === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
  const isSoon = traitsOf(code).cause === "budget-exceeded" && waitMs !== undefined && waitMs <= SOON_MS;
  return { "x-should-retry": String(isStopping(fault) || isSoon), "x-faultline-code": code, ...wait };
}

interface OpenaiWords {
  readonly type: string;
  readonly code: string | null;
}

interface CauseRow {
  readonly openai: OpenaiWords;
  readonly anthropic: string;
  readonly google: string;
}

const INVALID: OpenaiWords = { type: "invalid_request_error", code: null };

// prettier-ignore
const CAUSES: Readonly<Partial<Record<FaultCause, CauseRow>>> = {
  "rate-limited":       { openai: { type: "requests", code: "rate_limit_exceeded" },                    anthropic: "rate_limit_error",      google: "RESOURCE_EXHAUSTED" },
  "quota-exhausted":    { openai: { type: "insufficient_quota", code: "insufficient_quota" },           anthropic: "billing_error",         google: "RESOURCE_EXHAUSTED" },
  "budget-exceeded":    { openai: { type: "insufficient_quota", code: "insufficient_quota" },           anthropic: "billing_error",         google: "RESOURCE_EXHAUSTED" },
  "overloaded":         { openai: { type: "server_error", code: "server_is_overloaded" },               anthropic: "overloaded_error",      google: "UNAVAILABLE" },
  "circuit-open":       { openai: { type: "server_error", code: "server_is_overloaded" },               anthropic: "overloaded_error",      google: "UNAVAILABLE" },
  "timeout":            { openai: { type: "server_error", code: "timeout" },                            anthropic: "timeout_error",         google: "DEADLINE_EXCEEDED" },
  "context-overflow":   { openai: { type: "invalid_request_error", code: "context_length_exceeded" },   anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" },
  "content-filter":     { openai: { type: "invalid_request_error", code: "content_policy_violation" },  anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" },
  "provider-not-found": { openai: { type: "invalid_request_error", code: "model_not_found" },           anthropic: "not_found_error",       google: "NOT_FOUND" },
  "capability-missing": { openai: INVALID, anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" },
  "bad-request":        { openai: INVALID, anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" },
  "config-invalid":     { openai: INVALID, anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" },
};

// prettier-ignore
const STATUSES: Readonly<Record<number, CauseRow>> = {
  401: { openai: { type: "invalid_request_error", code: "invalid_api_key" }, anthropic: "authentication_error", google: "UNAUTHENTICATED" },
  403: { openai: { type: "invalid_request_error", code: "forbidden" },       anthropic: "permission_error",     google: "PERMISSION_DENIED" },
  404: { openai: INVALID,                                                    anthropic: "not_found_error",      google: "NOT_FOUND" },
  413: { openai: { type: "invalid_request_error", code: "request_too_large" }, anthropic: "request_too_large",  google: "INVALID_ARGUMENT" },
};

const SERVER: CauseRow = {
  openai: { type: "server_error", code: "server_error" },
  anthropic: "api_error",
  google: "INTERNAL",
};
const CLIENT: CauseRow = { openai: INVALID, anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" };

function rowOf({ status, cause }: ErrorWords): CauseRow {
  // A status says more than most causes; that it is the model which is missing, only the cause says.
  const missing = cause === "provider-not-found" ? CAUSES[cause] : undefined;
  return missing ?? STATUSES[status] ?? CAUSES[cause] ?? (status < 500 ? CLIENT : SERVER);
}

export function openaiWords(words: ErrorWords): OpenaiWords {
  return rowOf(words).openai;
}

export function anthropicType(words: ErrorWords): string {
  return rowOf(words).anthropic;
}

export function googleStatus(words: ErrorWords): string {
  return rowOf(words).google;
}
