// What a response says about how much of a limit is left, so that callers slow down before they are refused.

import { parseDuration } from "./timing.ts";
import { readWith } from "../try-read.ts";
import { createHeaderReader, type HeaderReader, type Signals } from "./read-evidence.ts";

interface Pace {
  /** Nothing is left until then (epoch milliseconds); 0 when something is. */
  readonly emptyUntil: number;
  /** Calls that start this far apart make the remaining limit last until its reset; 0 when there is plenty. */
  readonly intervalMs: number;
}

export const NO_PACE: Pace = Object.freeze({ emptyUntil: 0, intervalMs: 0 });

/** Below this share of the limit calls are spread over the time that is left. */
const SCARCE = 0.1;
/** Longer windows, such as a day's, are not spread: that is a quota, and the refusal says so. */
const LONGEST_WINDOW_MS = 120_000;

/** What a limit counts. */
export const LIMITED = ["requests", "tokens", "input-tokens", "output-tokens"] as const;
type Limited = (typeof LIMITED)[number];

/** One limit as response headers told it. */
export interface LimitLeft {
  readonly of: Limited;
  /** How many are left; null when the headers did not say. */
  readonly remaining: number | null;
  /** How many there are in all. */
  readonly limit: number | null;
  /** When it is full again (epoch milliseconds). */
  readonly resetAt: number | null;
}

interface LimitHeaders {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
  readonly sender: string;
}

/** Limits on requests. */
const FAMILIES: readonly LimitHeaders[] = [
  {
    limit: "x-ratelimit-limit-requests",
    remaining: "x-ratelimit-remaining-requests",
    reset: "x-ratelimit-reset-requests",
    sender: "OpenAI, Azure, Groq: `x-ratelimit-reset-requests: 1s`",
  },
  {
    limit: "anthropic-ratelimit-requests-limit",
    remaining: "anthropic-ratelimit-requests-remaining",
    reset: "anthropic-ratelimit-requests-reset",
    sender: "Anthropic: `anthropic-ratelimit-requests-reset: 2026-11-16T08:00:00Z`",
  },
  {
    limit: "x-ratelimit-limit",
    remaining: "x-ratelimit-remaining",
    reset: "x-ratelimit-reset",
    sender: "OpenRouter and gateways: epoch milliseconds or seconds",
  },
];

/** How many tokens the next call takes is not known before it is made, so these do not set the pace. They are shown. */
const TOKEN_FAMILIES: readonly (LimitHeaders & { readonly of: Limited })[] = [
  {
    of: "tokens",
    limit: "x-ratelimit-limit-tokens",
    remaining: "x-ratelimit-remaining-tokens",
    reset: "x-ratelimit-reset-tokens",
    sender: "OpenAI, Azure, Groq: `x-ratelimit-reset-tokens: 6m0s`",
  },
  ...(["tokens", "input-tokens", "output-tokens"] as const).map((of) => ({
    of,
    limit: `anthropic-ratelimit-${of}-limit`,
    remaining: `anthropic-ratelimit-${of}-remaining`,
    reset: `anthropic-ratelimit-${of}-reset`,
    sender: `Anthropic: \`anthropic-ratelimit-${of}-reset: 2026-11-16T08:00:00Z\``,
  })),
];

/** Every limit that these headers tell of, requests first; `at` is when they came. */
export function readLimits(headers: unknown, at: number): readonly LimitLeft[] {
  const header = createHeaderReader(headers);
  if (header === null) return [];
  const read = (of: Limited, family: LimitHeaders): LimitLeft | null => {
    const remaining = numberIn(header(family.remaining));
    const limit = numberIn(header(family.limit));
    if (remaining === null && limit === null) return null;
    const leftMs = untilReset(header(family.reset), at);
    return { of, remaining, limit, resetAt: leftMs === null ? null : at + leftMs };
  };
  const requests = FAMILIES.map((family) => read("requests", family)).find((limit) => limit !== null);
  const tokens = TOKEN_FAMILIES.map((family) => read(family.of, family));
  return [requests ?? null, ...tokens].filter((limit) => limit !== null);
}

export function readPace(headers: unknown, now: number): Pace {
  const header = createHeaderReader(headers);
  if (header === null) return NO_PACE;
  for (const family of FAMILIES) {
    const pace = paceOf(family, header, now);
    if (pace !== null) return pace;
  }
  return NO_PACE;
}

/** Most responses say that there is plenty, in lower case and in plain numbers: seen with as little as can be. False: `readPace` knows. */
export function hasPlenty(headers: unknown): boolean {
  return typeof headers === "object" && headers !== null && readWith(headers, saysPlenty) === true;
}

function saysPlenty(headers: object): boolean {
  const named = headers as Readonly<Record<string, unknown>>;
  for (let at = 0, family; (family = FAMILIES[at]) !== undefined; at++) {
    const left = named[family.remaining];
    if (left === undefined) continue;
    const whole = named[family.limit];
    const share = typeof left === "string" && typeof whole === "string" ? Number(left) / Number(whole) : NaN;
    return share >= SCARCE && share < Infinity;
  }
  return false;
}

function paceOf({ limit, remaining, reset }: LimitHeaders, header: HeaderReader, now: number): Pace | null {
  const left = numberIn(header(remaining));
  if (left === null) return null;
  const whole = numberIn(header(limit));
  const isScarce = left <= 0 || (whole !== null && left / whole < SCARCE);
  if (!isScarce) return NO_PACE;
  const leftMs = untilReset(header(reset), now);
  if (leftMs === null || leftMs > LONGEST_WINDOW_MS) return null;
  return left <= 0 ? { emptyUntil: now + leftMs, intervalMs: 0 } : { emptyUntil: 0, intervalMs: leftMs / (left + 1) };
}

function numberIn(value: string | undefined): number | null {
  const number = value === undefined || value.trim() === "" ? NaN : Number(value);
  return Number.isFinite(number) && number >= 0 ? number : null;
}

/** `1s`, `6m0s`, `120ms`; seconds; an instant as text, epoch seconds or epoch milliseconds. */
function untilReset(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const number = numberIn(value);
  if (number !== null) {
    const ms = number > 1e12 ? number - now : number > 1e9 ? number * 1_000 - now : number * 1_000;
    return ms > 0 ? ms : null;
  }
  const ms = parseDuration(value);
  const leftMs = Number.isFinite(ms) ? ms : Date.parse(value) - now;
  return leftMs > 0 ? leftMs : null;
}

// Whose limit was reached, as far as the answer says so: the whole account's, or one model's. Vendors limit most things per
// model, so a limit without a word about it is taken for the model's; a quota for the account's (see `scopeOf`).

type LimitOwner = "account" | "model";

interface OwnerRow {
  readonly owner: LimitOwner;
  readonly says: (answer: Answer) => boolean;
  /** A real answer, or the part of it that counts. */
  readonly example: string;
}

interface Answer {
  readonly text: string;
  readonly tokens: ReadonlySet<string>;
  readonly header: HeaderReader;
}

/** The first row that fits speaks: what names a model is about that model, even if it names the account too. */
export const LIMIT_OWNERS: readonly OwnerRow[] = [
  {
    owner: "model",
    says: ({ header }) => /^seven_day_(?:opus|sonnet|haiku)/.test(claimOf(header)),
    example: "anthropic-ratelimit-unified-representative-claim: seven_day_opus",
  },
  {
    owner: "account",
    says: ({ header }) => claimOf(header) !== "",
    example: "anthropic-ratelimit-unified-representative-claim: five_hour",
  },
  {
    owner: "model",
    says: ({ tokens }) => tokens.has("quota:model"),
    example: "quotaId: GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
  },
  {
    owner: "account",
    says: ({ tokens }) => tokens.has("quota:account"),
    example: "quotaId: GenerateRequestsPerMinutePerProject",
  },
  words("account", /free-models-per-|\b(?:all|across) models\b/i, "Rate limit exceeded: free-models-per-min."),
  words(
    "model",
    /\bmodel\b|\bfor \S+ in organi[sz]ation\b/i,
    "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29937",
  ),
  // Anthropic names the organisation and means its limit for one model: https://docs.anthropic.com/en/api/rate-limits
  words(
    "model",
    /\borgani[sz]ation(?:['’]s rate limit)?(?: \([^)]{1,80}\))? of [\d,]+ (?:input tokens|output tokens|requests) per minute/i,
    "This request would exceed the rate limit for your organization of 20,000 input tokens per minute.",
  ),
  words(
    "account",
    /\b(?:organi[sz]ation|account|workspace|project|team|subscription|api key)(?:['’]s)?(?: \w+){0,2} (?:rate|request|usage|token|concurrency) ?limit/i,
    "This request would exceed your account's rate limit. Please try again later.",
  ),
  words(
    "account",
    /\blimit(?:s|ed)?(?: \w+){0,3} (?:for|of|in|on) (?:your |the |this )?(?:organi[sz]ation|account|workspace|project|team|org_?id|api key)\b/i,
    "Rate limit reached for organization org-1 on input-images per min: Limit 10, Used 10, Requested 2.",
  ),
  words("account", /\btrial key\b/i, "You are using a Trial key, which is limited to 20 API calls / minute."),
  words("account", /账[户号].{0,10}(?:速率|限制|限流)/u, "您的账户已达到速率限制，请您控制请求频率"),
];

function words(owner: LimitOwner, pattern: RegExp, example: string): OwnerRow {
  return { owner, says: ({ text }) => pattern.test(text), example };
}

function claimOf(header: HeaderReader): string {
  return header("anthropic-ratelimit-unified-representative-claim") ?? "";
}

/** undefined: the answer does not say. */
export function readLimitOwner({ texts, tokens }: Signals, header: HeaderReader | null): LimitOwner | undefined {
  // An address may hold any of these words: https://platform.openai.com/account/rate-limits.
  const text = (texts[0] ?? "").slice(0, SEARCHED_CHARS).replaceAll(/https?:\/\/\S+/g, "");
  const answer: Answer = { text, tokens, header: header ?? (() => undefined) };
  return LIMIT_OWNERS.find(({ says }) => says(answer))?.owner;
}

const SEARCHED_CHARS = 2_000;
