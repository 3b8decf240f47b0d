// Whose limit was reached, as far as the answer says so: the whole account's, or one model's. Vendors limit most things per
// model, so a limit without a word about it is taken for the model's; a quota for the account's (see `scopeOf`).

import type { HeaderReader } from "./headers.ts";
import type { Signals } from "./signals.ts";

export type LimitOwner = "account" | "model";

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
