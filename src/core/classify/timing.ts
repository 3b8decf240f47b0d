// When to try again: read from every form providers use, strongest first: Retry-After, then a field of the body, then the
// headers that say when a limit resets, then words.
// `retryAfterMs` is a wait the other side asked for; `resetAt` is an instant it named. `Retry-After: 0` means now. Any other zero,
// negative and absurd values are ignored.

import { durationInWords, parseClockTime, parseDuration } from "./times.ts";
import type { HeaderReader, Signals } from "./read-evidence.ts";

export interface Timing {
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
}

/** Longer than any real limit window; beyond it a number is a mistake or an attack. */
const MAX_WAIT_MS = 400 * 86_400_000;
/** Epoch numbers: seconds below, milliseconds above. Both ends bound "some time this century". */
const EPOCH_SECONDS = { from: 1.2e9, to: 4.2e9 } as const;

export function readTiming(signals: Signals, header: HeaderReader | null): Timing {
  return (
    (header === null ? undefined : fromRetryAfter(header, signals)) ??
    (signals.timings.size === 0 ? undefined : fromBody(signals)) ??
    (header === null ? undefined : fromResetHeaders(header, signals)) ??
    fromText(signals) ??
    NO_TIMING
  );
}

export const NO_TIMING: Timing = Object.freeze({});

/** `retry-after-ms: 1500`, `retry-after: 30`, `retry-after: Wed, 21 Oct 2026 07:28:00 GMT`. */
function fromRetryAfter(header: HeaderReader, { observedAt }: Signals): Timing | undefined {
  const ms = header("retry-after-ms") ?? header("x-ms-retry-after-ms");
  const exact = ms !== undefined && isNumeric(ms) ? wait(Number(ms), observedAt) : undefined;
  if (exact !== undefined) return exact;
  const value = header("retry-after")?.trim() ?? ms?.trim();
  if (value === undefined || value === "") return undefined;
  if (isNumeric(value) && Number(value) === 0) {
    return observedAt === undefined ? { retryAfterMs: 0 } : { retryAfterMs: 0, resetAt: observedAt };
  }
  const duration = READ_AS.duration(value.split(",")[0] ?? "", observedAt);
  if (duration !== undefined || isNumeric(value)) return duration;
  return until(Date.parse(value), Date.parse(header("date") ?? ""), observedAt);
}

type Form = "ms" | "seconds" | "duration" | "instant";

/** Fields of a body, in lower case, what their value is, and who sends them; the first that is there counts. */
const BODY_FIELDS: readonly (readonly [field: string, form: Form, sender: string])[] = [
  ["retrydelay", "duration", "google.rpc.RetryInfo"],
  ["retry_after_ms", "ms", "gateways"],
  ["retry_after", "duration", "OpenRouter's availability"],
  ["retryafter", "duration", "gateways"],
  ["retry_after_seconds", "seconds", "gateways"],
  ["resets_in_seconds", "seconds", "ChatGPT's usage_limit_reached"],
  ["estimated_time", "seconds", "Hugging Face, a model that is loading"],
  ["resets_at", "instant", "ChatGPT's usage_limit_reached, OpenRouter's budgets"],
  ["resetsat", "instant", "Claude Code's rate_limit_event"],
  ["reset_at", "instant", "gateways"],
  ["reset_time", "instant", "gateways"],
];

const READ_AS: Readonly<Record<Form, (value: string, observedAt: number | undefined) => Timing | undefined>> = {
  ms: (value, observedAt) => wait(Number(value), observedAt),
  seconds: (value, observedAt) => wait(Number(value) * 1000, observedAt),
  // A bare number is seconds.
  duration: (value, observedAt) => wait(isNumeric(value) ? Number(value) * 1000 : parseDuration(value), observedAt),
  instant: (value, observedAt) => until(instantOf(value), NaN, observedAt),
};

function fromBody({ timings, observedAt }: Signals): Timing | undefined {
  for (const [field, form] of BODY_FIELDS) {
    const value = timings.get(field);
    const timing = value === undefined ? undefined : READ_AS[form](String(value), observedAt);
    if (timing !== undefined) return timing;
  }
  return undefined;
}

/** Families of reset headers: `${prefix}-reset${suffix}` with `${prefix}-remaining${suffix}` beside it. */
const RESET_HEADERS: readonly { readonly reset: string; readonly remaining: string }[] = [
  { reset: "anthropic-ratelimit-unified-reset", remaining: "anthropic-ratelimit-unified-remaining" },
  { reset: "x-codex-primary-reset-at", remaining: "x-codex-primary-remaining" },
  ...["requests", "tokens", "input-tokens", "output-tokens"].map((what) => ({
    reset: `anthropic-ratelimit-${what}-reset`,
    remaining: `anthropic-ratelimit-${what}-remaining`,
  })),
  ...["requests", "tokens", "project-tokens"].map((what) => ({
    reset: `x-ratelimit-reset-${what}`,
    remaining: `x-ratelimit-remaining-${what}`,
  })),
  { reset: "x-ratelimit-reset", remaining: "x-ratelimit-remaining" },
  { reset: "x-ratelimit-reset-after", remaining: "x-ratelimit-remaining" },
  { reset: "ratelimit-reset", remaining: "ratelimit-remaining" },
];

/** The reset time of the exhausted limit. A limit with room left is not the one; a limit without a remaining count may be. */
function fromResetHeaders(header: HeaderReader, { observedAt }: Signals): Timing | undefined {
  const draft = fromRateLimitField(header("ratelimit"), observedAt);
  if (draft !== undefined) return draft;
  let used: Timing | undefined;
  let any: Timing | undefined;
  for (const { reset, remaining } of RESET_HEADERS) {
    const value = header(reset);
    const timing = value === undefined ? undefined : resetValue(value.trim(), observedAt);
    if (timing === undefined) continue;
    const left = header(remaining)?.trim();
    if (left === undefined) any = longer(any, timing);
    if (left === "0") used = longer(used, timing);
  }
  return used ?? any;
}

/** The IETF draft: `RateLimit: "default";r=0;t=30`; `t` is seconds. */
function fromRateLimitField(value: string | undefined, observedAt: number | undefined): Timing | undefined {
  if (value === undefined) return undefined;
  let found: Timing | undefined;
  const legacy = /\bremaining=0\b.{0,40}\breset=(\d{1,9})/.exec(value)?.[1];
  if (legacy !== undefined) return wait(Number(legacy) * 1000, observedAt);
  for (const item of value.split(",")) {
    const left = /;\s*r=(\d+)/.exec(item)?.[1];
    const seconds = /;\s*t=(\d+)/.exec(item)?.[1];
    const timing = left === "0" && seconds !== undefined ? wait(Number(seconds) * 1000, observedAt) : undefined;
    if (timing !== undefined) found = longer(found, timing);
  }
  return found;
}

/** A reset header holds a Go duration (OpenAI, Groq), plain seconds (Azure), an epoch (OpenRouter, Claude) or RFC 3339 (Anthropic). */
function resetValue(value: string, observedAt: number | undefined): Timing | undefined {
  if (isNumeric(value)) {
    const number = Number(value);
    return number >= EPOCH_SECONDS.from ? until(instantOf(number), NaN, observedAt) : wait(number * 1000, observedAt);
  }
  const duration = parseDuration(value);
  return Number.isNaN(duration) ? until(Date.parse(value), NaN, observedAt) : wait(duration, observedAt);
}

/** "Please try again in 6m 11.52s", "retry after 86400 seconds", "resets 9:16pm (UTC)". */
function fromText({ texts, observedAt }: Signals): Timing | undefined {
  for (const text of texts) {
    if (!/\d/.test(text)) continue;
    const timing =
      wait(durationInWords(text), observedAt) ??
      until(Number(LIMIT_EPOCH.exec(text.slice(0, SEARCHED_CHARS))?.[1] ?? NaN) * 1000, NaN, observedAt) ??
      until(parseClockTime(text, observedAt), NaN, undefined);
    if (timing !== undefined) return timing;
  }
  return undefined;
}

/** Claude Code's older form: `Claude AI usage limit reached|1794747600`. */
const LIMIT_EPOCH = /limit reached\|(\d{10})\b/;
const SEARCHED_CHARS = 16_384;

function wait(ms: number, observedAt: number | undefined): Timing | undefined {
  if (!(ms > 0 && ms <= MAX_WAIT_MS)) return undefined;
  const retryAfterMs = Math.max(1, Math.round(ms));
  return observedAt === undefined ? { retryAfterMs } : { retryAfterMs, resetAt: observedAt + retryAfterMs };
}

/** An instant. How long that is from now is known only with a clock: the server's own if it sent one, else the observer's. */
function until(at: number, serverNow: number, observedAt: number | undefined): Timing | undefined {
  if (!Number.isFinite(at) || at < EPOCH_SECONDS.from * 1000 || at > EPOCH_SECONDS.to * 1000) return undefined;
  if (!Number.isNaN(serverNow)) return wait(at - serverNow, observedAt);
  if (observedAt === undefined) return { resetAt: at };
  return wait(at - observedAt, observedAt);
}

function instantOf(value: string | number): number {
  const number = Number(value);
  if (Number.isNaN(number)) return Date.parse(String(value));
  return number <= EPOCH_SECONDS.to ? number * 1000 : number;
}

function longer(a: Timing | undefined, b: Timing): Timing {
  if (a === undefined) return b;
  return (b.retryAfterMs ?? b.resetAt ?? 0) > (a.retryAfterMs ?? a.resetAt ?? 0) ? b : a;
}

function isNumeric(value: string): boolean {
  return /^\s*\d{1,15}(?:\.\d{1,9})?\s*$/.test(value);
}
