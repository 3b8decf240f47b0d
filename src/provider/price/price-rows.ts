// List prices in dollars per million tokens, as the vendors publish them for standard requests, and the price factor of each other
// service tier. Prices change, so the data is dated and a user can put rows in front of it.
// test/provider/price/public-prices.test.ts compares them with a public catalogue and says why a row differs.

import { onFirstUse } from "../../host/builtin.ts";

export const PRICE_ROWS_DATE = "2026-11-16";
export const PRICE_ROWS_SOURCE =
  "vendors' pricing pages (OpenAI's priority processing and flex, Anthropic's fast mode and prompt caching, Google's optimization page) and the models.dev and genai-prices catalogues; the higher price where it depends on the hour, or is lowered for a while";

/** Dollars per million tokens. A rate left out is the same as the input rate. */
export interface DollarRates {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Cache writes that last an hour. Default: the price of other cache writes. */
  readonly cacheWriteHour?: number;
}

/** What a model costs, in US dollars per million tokens. */
export interface PriceRow extends DollarRates {
  /** The vendor as `providerOf` returns it, or the host as `hostOf` returns it. */
  readonly provider: string;
  /** An id without its date, or a prefix followed by `*`. */
  readonly model: string;
  /** The rates for all tokens of a request whose input is longer than `aboveInputTokens`. */
  readonly longContext?: DollarRates & { readonly aboveInputTokens: number };
  /** The price factor of each service tier, by its name in lower case: `{ flex: 0.5 }`. Tiers not listed cost the list price. */
  readonly tiers?: Readonly<Record<string, number>>;
}

type Numbers = readonly [input: number, output: number, cachedInput?: number, cacheWrite?: number];

const LONG = 272_000;

/** Tier factors by vendor, unless a row overrides them. */
const TIERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  openai: { batch: 0.5, flex: 0.5, ...fast(2) },
  // Prepaid priority capacity is counted at the list price.
  anthropic: { batch: 0.5 },
  // Priority costs from 75 to 100 % more.
  google: { batch: 0.5, flex: 0.5, priority: 2 },
};

/** Price of hour-long cache writes as a multiple of the input price. Each row has its own price for five-minute writes. */
const HOUR_WRITES: Readonly<Record<string, number>> = { anthropic: 2 };

export const priceRows = onFirstUse((): readonly PriceRow[] => [
  ...price("openai", ["gpt-6-astra"], [10, 50, 1, 12.5], LONG, [20, 75, 2, 25]),
  ...price("openai", ["gpt-6.1-sol"], [2, 10, 0.1, 2.5], LONG, [4, 15, 0.2, 5]),
  ...price("openai", ["gpt-6.1-terra"], [1, 5, 0.05, 1.25], LONG, [2, 7.5, 0.1, 2.5]),
  ...price("openai", ["gpt-6-sol"], [2, 10, 0.2, 2.5], LONG, [4, 15, 0.4, 5]),
  ...price("openai", ["gpt-6-luna"], [0.1, 0.5, 0.01, 0.125], LONG, [0.2, 0.75, 0.02, 0.25]),
  ...price("openai", ["gpt-5.6", "gpt-5.6-sol"], [4, 20, 0.4, 5], LONG, [8, 30, 0.8, 10]),
  ...price("openai", ["gpt-5.6-terra"], [2, 12, 0.2, 2.5], LONG, [4, 18, 0.4, 5]),
  ...price("openai", ["gpt-5.6-luna"], [0.2, 1.2, 0.02, 0.25], LONG, [0.4, 1.8, 0.04, 0.5]),
  ...withTiers(fast(2.5), price("openai", ["gpt-5.5"], [5, 30, 0.5], LONG, [10, 45, 1])),
  ...price("openai", ["gpt-5.4"], [2.5, 15, 0.25], LONG, [5, 22.5, 0.5]),
  ...price("openai", ["gpt-5.5-pro", "gpt-5.4-pro"], [30, 180], LONG, [60, 270]),
  ...price("openai", ["gpt-5.4-mini"], [0.75, 4.5, 0.075]),
  ...price("openai", ["gpt-5.4-nano"], [0.2, 1.25, 0.02]),
  ...price("openai", ["gpt-5.3-codex", "gpt-5.2", "gpt-5.2-codex"], [1.75, 14, 0.175]),
  ...price("openai", ["gpt-5.3-chat-latest", "gpt-5.2-chat-latest"], [1.75, 14, 0.175]),
  ...price("openai", ["gpt-5.2-pro"], [21, 168]),
  ...price("openai", ["gpt-5.1", "gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5.1-chat-latest"], [1.25, 10, 0.125]),
  ...price("openai", ["gpt-5", "gpt-5-codex", "gpt-5-chat-latest"], [1.25, 10, 0.125]),
  ...withTiers(fast(1.8), price("openai", ["gpt-5-mini", "gpt-5.1-codex-mini"], [0.25, 2, 0.025])),
  ...price("openai", ["gpt-5-nano"], [0.05, 0.4, 0.005]),
  ...price("openai", ["gpt-5-pro"], [15, 120]),
  ...withTiers(fast(1.75), price("openai", ["gpt-4.1"], [2, 8, 0.5])),
  ...withTiers(fast(1.75), price("openai", ["gpt-4.1-mini"], [0.4, 1.6, 0.1])),
  ...price("openai", ["gpt-4.1-nano"], [0.1, 0.4, 0.025]),
  ...withTiers(fast(1.7), price("openai", ["gpt-4o"], [2.5, 10, 1.25])),
  ...withTiers(fast(1.75), price("openai", ["gpt-4o-2024-05-13"], [5, 15])),
  ...withTiers(fast(5 / 3), price("openai", ["gpt-4o-mini"], [0.15, 0.6, 0.075])),
  ...price("openai", ["text-embedding-3-small"], [0.02, 0]),
  ...price("openai", ["text-embedding-3-large"], [0.13, 0]),
  ...price("openai", ["text-embedding-ada-002"], [0.1, 0]),
  ...price("openai", ["o1"], [15, 60, 7.5]),
  ...withTiers(fast(1.75), price("openai", ["o3"], [2, 8, 0.5])),
  ...price("openai", ["o3-pro"], [20, 80]),
  ...price("openai", ["o3-mini"], [1.1, 4.4, 0.55]),
  ...withTiers(fast(20 / 11), price("openai", ["o4-mini"], [1.1, 4.4, 0.275])),

  // The fourth number is the price of five-minute cache writes.
  ...price("anthropic", ["claude-fable-5-2"], [8, 40, 0.8, 10]),
  ...price("anthropic", ["claude-fable-5-1", "claude-mythos-5-1"], [10, 50, 0.25, 12.5]),
  ...price("anthropic", ["claude-fable-5", "claude-mythos-5"], [10, 50, 1, 12.5]),
  ...withTiers({ fast: 2 }, price("anthropic", ["claude-opus-5-5"], [4, 20, 0.2, 5])),
  ...withTiers({ fast: 2 }, price("anthropic", ["claude-opus-5", "claude-opus-4-8"], [5, 25, 0.5, 6.25])),
  ...withTiers({ fast: 6 }, price("anthropic", ["claude-opus-4-7", "claude-opus-4-6"], [5, 25, 0.5, 6.25])),
  ...price("anthropic", ["claude-opus-4-5"], [5, 25, 0.5, 6.25]),
  ...price("anthropic", ["claude-opus-4-1", "claude-opus-4", "claude-opus-4-0"], [15, 75, 1.5, 18.75]),
  ...price("anthropic", ["claude-sonnet-5-5"], [2, 10, 0.1, 2.5]),
  ...price("anthropic", ["claude-sonnet-5"], [2, 10, 0.2, 2.5]),
  ...price("anthropic", ["claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4"], [3, 15, 0.3, 3.75]),
  ...price("anthropic", ["claude-sonnet-4-0", "claude-3-7-sonnet", "claude-3-5-sonnet"], [3, 15, 0.3, 3.75]),
  ...price("anthropic", ["claude-haiku-5-5"], [0.1, 0.5, 0.01, 0.125], 100_000, [0.5, 2.5, 0.05, 0.625]),
  ...price("anthropic", ["claude-haiku-4-5"], [1, 5, 0.1, 1.25]),
  ...price("anthropic", ["claude-3-5-haiku"], [0.8, 4, 0.08, 1]),
  ...price("anthropic", ["claude-3-haiku"], [0.25, 1.25, 0.03, 0.3]),

  // Half this price until 2026-11-30 …
  ...price("google", ["gemini-4-argon", "gemini-4-carbon"], [4, 20, 0.2]),
  // … and half this price until 2026-12-31.
  ...price("google", ["gemini-3.8-flash", "gemini-3.7-flash", "gemini-3.6-flash"], [1.5, 7.5, 0.15]),
  ...price("google", ["gemini-3.5-flash"], [1.5, 9, 0.15]),
  ...price("google", ["gemini-3.5-flash-lite"], [0.3, 2.5, 0.03]),
  ...price("google", ["gemini-3.1-pro-preview*", "gemini-3-pro-preview"], [2, 12, 0.2], 200_000, [4, 18, 0.4]),
  ...price("google", ["gemini-3.1-flash-lite", "gemini-3.1-flash-lite-preview"], [0.25, 1.5, 0.025]),
  ...price("google", ["gemini-3-flash-preview"], [0.5, 3, 0.05]),
  ...price("google", ["gemini-2.5-pro"], [1.25, 10, 0.125], 200_000, [2.5, 15, 0.25]),
  ...price("google", ["gemini-2.5-flash"], [0.3, 2.5, 0.03]),
  ...price("google", ["gemini-2.5-flash-lite"], [0.1, 0.4, 0.01]),
  ...price("google", ["gemini-2.0-flash", "gemini-2.0-flash-001"], [0.1, 0.4, 0.025]),
  ...price("google", ["gemini-embedding-001"], [0.15, 0]),

  ...price("xai", ["grok-4.6", "grok-4.5"], [2, 6, 0.5], 200_000, [4, 12, 1]),
  ...price("xai", ["grok-4.3", "grok-4.20*"], [1.25, 2.5, 0.2], 200_000, [2.5, 5, 0.4]),
  ...price("xai", ["grok-build-0.1"], [1, 2, 0.2], 200_000, [2, 4, 0.4]),
  // The price in peak hours. Other hours cost half.
  ...price("deepseek", ["deepseek-flash", "deepseek-v4-flash"], [0.3, 1.2, 0.006]),
  ...price("deepseek", ["deepseek-v4-pro"], [1.32, 3.96, 0.044]),
  // Currently discounted by half.
  ...price("mistral", ["mistral-large-4", "mistral-large-4-0"], [1.36, 4.18, 0.14]),
  ...price("mistral", ["mistral-large-3"], [0.5, 1.5]),
  ...price("mistral", ["mistral-medium-3.5", "mistral-medium-3-5", "mistral-medium-2604"], [1.5, 7.5, 0.15]),
  ...price("mistral", ["mistral-medium-2508"], [0.4, 2, 0.04]),
  ...price("mistral", ["mistral-small-2603"], [0.15, 0.6, 0.015]),
  ...price("groq", ["gpt-oss-120b"], [0.15, 0.6, 0.075]),
  ...price("groq", ["gpt-oss-20b"], [0.075, 0.3, 0.0375]),
  ...price("groq", ["llama-3.3-70b-versatile"], [0.59, 0.79]),
  ...price("groq", ["llama-3.1-8b-instant"], [0.05, 0.08]),
  ...price("groq", ["qwen3-32b"], [0.29, 0.59]),
  ...price("togetherai", ["deepseek-v4-pro"], [1.74, 3.48, 0.2]),
  ...price("togetherai", ["glm-5.2"], [1.4, 4.4, 0.26]),
  ...price("togetherai", ["kimi-k2.7-code"], [0.95, 4, 0.19]),
  ...price("togetherai", ["minimax-m3"], [0.3, 1.2, 0.06]),
]);

function price(
  provider: string,
  models: readonly string[],
  numbers: Numbers,
  aboveInputTokens?: number,
  long?: Numbers,
): readonly PriceRow[] {
  const longContext =
    aboveInputTokens === undefined || long === undefined
      ? {}
      : { longContext: { ...rates(provider, long), aboveInputTokens } };
  const tiers = TIERS[provider] ?? {};
  return models.map((model) => ({ provider, model, ...rates(provider, numbers), ...longContext, tiers }));
}

function rates(
  provider: string,
  [input, output, cachedInput = input, cacheWrite = input]: Numbers,
): Required<DollarRates> {
  const times = HOUR_WRITES[provider];
  const cacheWriteHour = times === undefined ? cacheWrite : times * input;
  return { input, output, cachedInput, cacheWrite, cacheWriteHour };
}

/** OpenAI's priority processing has both names. */
function fast(times: number): Readonly<Record<string, number>> {
  return { priority: times, fast: times };
}

function withTiers(tiers: Readonly<Record<string, number>>, rows: readonly PriceRow[]): readonly PriceRow[] {
  return rows.map((row) => ({ ...row, tiers: { ...row.tiers, ...tiers } }));
}
