// The cost of tokens in whole microcents, always rounded up. Sums that a number cannot hold exactly are computed with BigInt, so
// that the result stays exact for any number of tokens.

import type { LanguageModelV4CallOptions, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Price, Rates } from "./price-table.ts";

/** The cost of a reported usage. Cached tokens are part of the input and are counted once, at their own price. */
export function costOfUsage(usage: LanguageModelV4Usage, price: Price, tier: string | null = null): number {
  return costOfTokens(countTokens(usage), price, tier);
}

/** An upper bound for a request before it is sent: all input at the highest rate, plus the maximum output. */
export function estimateCost(
  inputTokens: number,
  maxOutputTokens: number,
  price: Price,
  tier: string | null = null,
): number {
  const input = whole(inputTokens);
  const rates = ratesFor(inTier(price, tier), input);
  const dearest = Math.max(rates.inputMicrocents, rates.cacheWriteMicrocents, rates.cachedInputMicrocents);
  const output = whole(maxOutputTokens);
  const millionths = input * dearest + output * rates.outputMicrocents;
  if (Number.isSafeInteger(millionths)) return wholeMicrocents(millionths);
  return sumUpExactly([
    { tokens: input, microcentsPerMillion: dearest },
    { tokens: output, microcentsPerMillion: rates.outputMicrocents },
  ]);
}

/** What was sent and received, for answers whose usage the provider does not report in full. */
export interface Seen {
  readonly inputTokens: () => number;
  readonly outputCharacters: number;
}

export interface AttemptCost {
  readonly microcents: number;
  readonly basis: "reported" | "estimated";
}

/**
 * The cost of an answer. If the usage is missing, or the answer was cut, the missing numbers are estimated and the cost is marked as
 * estimated: the input from the size of the request, the output from its characters, unless the provider reported more.
 */
export function costOfAnswer(
  usage: LanguageModelV4Usage | null,
  isWhole: boolean,
  { inputTokens, outputCharacters }: Seen,
  price: Price,
  tier: string | null,
): AttemptCost {
  const said = usage === null ? NO_TOKENS : countTokens(usage);
  const saysInput = said.fresh + said.cacheRead + said.cacheWrite + said.cacheWriteHour > 0;
  // Proxies that do not count tokens send zeros.
  const saysOutput = said.output > 0 || outputCharacters === 0;
  const isReported = isWhole && saysInput && saysOutput;
  const tokens = isReported
    ? said
    : {
        ...said,
        fresh: saysInput ? said.fresh : whole(inputTokens()),
        output: Math.max(said.output, tokensIn(outputCharacters)),
      };
  return { microcents: costOfTokens(tokens, price, tier), basis: isReported ? "reported" : "estimated" };
}

/** English prose and code have about four characters per token. */
const CHARACTERS_PER_TOKEN = 4;

export function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

interface TokenCounts {
  /** Input tokens neither read from nor written to a cache. */
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly output: number;
}

const NO_TOKENS: TokenCounts = { fresh: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0 };

function countTokens({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): TokenCounts {
  const cacheRead = whole(inputTokens.cacheRead);
  const written = whole(inputTokens.cacheWrite);
  const cacheWriteHour = Math.min(written, hourWrites(raw));
  // Some providers report the total, some the parts, some both. Tokens in no part are fresh.
  const fresh = Math.max(whole(inputTokens.noCache), whole(inputTokens.total) - cacheRead - written);
  const output =
    outputTokens.total === undefined
      ? whole(outputTokens.text) + whole(outputTokens.reasoning)
      : whole(outputTokens.total);
  return { fresh, cacheRead, cacheWrite: written - cacheWriteHour, cacheWriteHour, output };
}

/** Cache writes that last an hour. Only Anthropic reports them separately, in its raw usage. */
function hourWrites(raw: LanguageModelV4Usage["raw"]): number {
  const written = raw?.["cache_creation"] as { readonly ephemeral_1h_input_tokens?: unknown } | null | undefined;
  const tokens = written?.ephemeral_1h_input_tokens;
  return typeof tokens === "number" ? whole(tokens) : 0;
}

function costOfTokens(tokens: TokenCounts, price: Price, tier: string | null): number {
  const { fresh, cacheRead, cacheWrite, cacheWriteHour, output } = tokens;
  const rates = ratesFor(inTier(price, tier), fresh + cacheRead + cacheWrite + cacheWriteHour);
  const millionths =
    fresh * rates.inputMicrocents +
    cacheRead * rates.cachedInputMicrocents +
    cacheWrite * rates.cacheWriteMicrocents +
    cacheWriteHour * rates.cacheWriteHourMicrocents +
    output * rates.outputMicrocents;
  // All terms are whole and not negative, so if the sum is a safe integer, no term was rounded.
  return Number.isSafeInteger(millionths) ? wholeMicrocents(millionths) : sumUpExactly(chargesOf(tokens, rates));
}

function inTier(price: Price, tier: string | null): Price {
  return tier === null ? price : (price.tiers.get(tier) ?? price);
}

function ratesFor(price: Price, inputTokens: number): Rates {
  const { longContext } = price;
  return longContext !== null && inputTokens > longContext.aboveInputTokens ? longContext : price;
}

/** Providers have sent undefined, NaN, negative numbers and fractions. A count is whole and not negative. */
function whole(count: number | undefined): number {
  return count !== undefined && count > 0 ? Math.min(Math.ceil(count), Number.MAX_SAFE_INTEGER) : 0;
}

interface Charge {
  readonly tokens: number;
  readonly microcentsPerMillion: number;
}

const MILLION = 1_000_000;

function chargesOf(tokens: TokenCounts, rates: Rates): readonly Charge[] {
  const { fresh, cacheRead, cacheWrite, cacheWriteHour, output } = tokens;
  return [
    { tokens: fresh, microcentsPerMillion: rates.inputMicrocents },
    { tokens: cacheRead, microcentsPerMillion: rates.cachedInputMicrocents },
    { tokens: cacheWrite, microcentsPerMillion: rates.cacheWriteMicrocents },
    { tokens: cacheWriteHour, microcentsPerMillion: rates.cacheWriteHourMicrocents },
    { tokens: output, microcentsPerMillion: rates.outputMicrocents },
  ];
}

function wholeMicrocents(millionths: number): number {
  const rest = millionths % MILLION;
  return (millionths - rest) / MILLION + (rest > 0 ? 1 : 0);
}

/** Capped at about ninety million dollars, the largest amount that a number can add exactly. */
function sumUpExactly(charges: readonly Charge[]): number {
  let millionths = 0n;
  for (const { tokens, microcentsPerMillion } of charges) millionths += BigInt(tokens) * BigInt(microcentsPerMillion);
  const microcents = (millionths + BigInt(MILLION - 1)) / BigInt(MILLION);
  return Math.min(Number(microcents), Number.MAX_SAFE_INTEGER);
}

// The service tier of a model request: the tier that served it if the answer says so, otherwise the requested tier.

type Options = Readonly<Record<string, unknown>>;

/** `provider` is the AI SDK's string (`openai.responses`); options and metadata are stored under its first part. */
export function askedTier(provider: string, { providerOptions }: LanguageModelV4CallOptions): string | null {
  const options = optionsOf(provider, providerOptions);
  // Anthropic sells speed as an option apart from its tiers.
  return options["speed"] === "fast" ? "fast" : nameOf(options["serviceTier"]);
}

export function servedTier(
  provider: string,
  asked: LanguageModelV4CallOptions,
  usage: LanguageModelV4Usage,
  metadata: Readonly<Record<string, unknown>> | undefined,
): string | null {
  const raw: Options = usage.raw ?? {};
  const wanted = askedTier(provider, asked);
  const { speed } = raw;
  if (speed === "fast" || (wanted === "fast" && provider.startsWith("anthropic") && speed === undefined)) return "fast";
  const served = optionsOf(provider, metadata)["serviceTier"] ?? raw["service_tier"] ?? raw["serviceTier"];
  return nameOf(served) ?? wanted;
}

function optionsOf(provider: string, all: Readonly<Record<string, unknown>> | undefined): Options {
  const own = all?.[provider.split(".")[0] ?? ""];
  return typeof own === "object" && own !== null ? (own as Options) : {};
}

function nameOf(tier: unknown): string | null {
  return typeof tier === "string" && tier !== "" ? tier.toLowerCase() : null;
}
