// When to try again: read from every form providers use, strongest first: Retry-After, then a field of the body, then the
// headers that say when a limit resets, then words.
// `retryAfterMs` is a wait the other side asked for; `resetAt` is an instant it named. `Retry-After: 0` means now. Any other zero,
// negative and absurd values are ignored.

import type { HeaderReader, Signals } from "./read-evidence.ts";
import { tryRead } from "../try-read.ts";

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
/** How much of a text is searched. */
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

// Durations as machines write them (`1.4s`, `6m 11.52s`, `1h23m45.6s`, `7m12s`, `120ms`) and as sentences do
// ("in 5 days 22 hours 11 minutes", "after 37 seconds"); below, times of day with their zone.

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const UNIT = "(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)";
const PART = `\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}`;
const DURATION = new RegExp(`^\\s*${PART}(?:[\\s,]{0,3}(?:and )?${PART}){0,6}\\s*$`, "i");
const PARTS = new RegExp(`(\\d{1,12}(?:\\.\\d{1,9})?)\\s{0,2}(${UNIT})(?![a-z])`, "gi");

/** NaN when the text is not a duration. */
export function parseDuration(text: string): number {
  return text.length <= 80 && DURATION.test(text) ? sum(text) : NaN;
}

/** Words after which a server says how long to wait. "Retrying in" is a client talking of itself and does not count. */
const LEAD =
  "(?:try again(?: later)?(?: in| after)|retry(?: your request)?(?: in| after)|retry[-_ ]after[:=]?|please wait(?: for)?(?: at least| about| approximately)?|wait(?: for)?(?= \\d+ ?\\w+ before)|available(?: again)? in|resets? (?:in|after)|next (?:request|attempt) in|in about)";
const SAID = new RegExp(
  `\\b${LEAD}[\\s:"']{1,4}(?:approximately |about |another |~ ?)?(\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}(?![a-z])(?:[\\s,]{0,3}(?:and )?\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}(?![a-z])){0,6})`,
  "i",
);

/** A header quoted in text: `Retry-After: 30` means seconds. */
const QUOTED_HEADER = /\bretry-after["']?: ?["']?(\d{1,9}(?:\.\d{1,9})?)\b(?! ?[a-z%])/i;

/** 请在 30 秒后重试 */
const CHINESE = /(\d{1,9}(?:\.\d{1,9})?)\s{0,2}(毫秒|秒|分钟|分|小时|天)(?:钟)?(?:之|以)?后\s{0,2}(?:再|重)/;
const CHINESE_UNIT_MS: Readonly<Record<string, number>> = {
  毫秒: 1,
  秒: 1000,
  分: 60_000,
  分钟: 60_000,
  小时: 3_600_000,
  天: 86_400_000,
};

/** The wait a sentence asks for, in milliseconds; NaN when it asks for none. */
export function durationInWords(text: string): number {
  const searched = text.slice(0, SEARCHED_CHARS);
  const said = SAID.exec(searched)?.[1];
  if (said !== undefined) return sum(said);
  const [, amount = "", unit = ""] = CHINESE.exec(searched) ?? [];
  if (unit !== "") return Number(amount) * (CHINESE_UNIT_MS[unit] ?? NaN);
  return Number(QUOTED_HEADER.exec(searched)?.[1] ?? NaN) * 1000;
}

function sum(text: string): number {
  let total = 0;
  // `matchAll` would copy the expression each time.
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(text); part !== null; part = PARTS.exec(text)) {
    const [, amount = "", unit = ""] = part;
    total += Number(amount) * (UNIT_MS[unitKey(unit)] ?? NaN);
  }
  // 9.816 s is 9816 ms, whatever the binary fraction says.
  return Math.round(total * 1000) / 1000;
}

function unitKey(unit: string): string {
  const lower = unit.toLowerCase();
  return lower.startsWith("ms") || lower.startsWith("milli") ? "ms" : lower.charAt(0);
}

// "resets 9:16pm (UTC)", "reset at 5pm (Europe/Warsaw)", "regain access on 2026-06-01 at 00:00 UTC": a time of day with
// its zone, as an instant. A clock time without a zone is ambiguous and is ignored.

const CLOCK =
  /\b(?:resets?|reset at|try again|again|until|available)(?: on)?(?: at)? (?:([A-Z][a-z]{2})[a-z]{0,6} (\d{1,2})(?:,? (\d{4}))?,? (?:at )?)?(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\.? \(([A-Za-z]{2,32}(?:\/[A-Za-z_+-]{2,32}){0,2})\)/;
const DATE =
  /\b(?:access|resets?|again|until|available)(?: on| at)? (\d{4})-(\d{2})-(\d{2})(?:[T ](?:at )?(\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)? ?(?:UTC|Z|GMT))/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** NaN when the text names no time, or `observedAt` is needed to know the day and is missing. */
export function parseClockTime(text: string, observedAt: number | undefined): number {
  const searched = text.slice(0, SEARCHED_CHARS);
  const date = DATE.exec(searched);
  if (date !== null) {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = date.slice(1).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute);
  }
  const clock = CLOCK.exec(searched);
  if (clock === null || observedAt === undefined) return NaN;
  const [, month, day, year, hour = "0", minute = "0", half = "a", zone = ""] = clock;
  const today = partsIn(zone, observedAt);
  if (today === undefined || (month !== undefined && !MONTHS.includes(month))) return NaN;
  const hours = (Number(hour) % 12) + (half === "p" ? 12 : 0);
  const at = (years: number, days: number): number =>
    instantIn(
      zone,
      Date.UTC(
        (year === undefined ? today.year : Number(year)) + years,
        month === undefined ? today.month : MONTHS.indexOf(month),
        (day === undefined ? today.day : Number(day)) + days,
        hours,
        Number(minute),
      ),
    );
  // A time that has passed today means tomorrow; a day without a year that has passed means next year.
  if (at(0, 0) > observedAt || year !== undefined) return at(0, 0);
  return day === undefined ? at(0, 1) : at(1, 0);
}

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly asUtc: number;
}

/** The wall clock of a zone at an instant; undefined for an unknown zone. */
function partsIn(zone: string, at: number): Parts | undefined {
  const format = zoneFormat(zone);
  if (format === undefined) return undefined;
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month: month - 1, day, asUtc: Date.UTC(year, month - 1, day, hour, minute, second) };
}

/** The instant at which the zone's wall clock shows what `wall` shows in UTC: a guess, corrected once where the clock changes in between. */
function instantIn(zone: string, wall: number): number {
  const guess = wall - offsetAt(zone, wall);
  return wall - offsetAt(zone, guess);
}

function offsetAt(zone: string, at: number): number {
  return (partsIn(zone, at)?.asUtc ?? NaN) - at;
}

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  return tryRead(
    () =>
      new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      }),
    undefined,
  );
}
