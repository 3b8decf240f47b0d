// What tokens cost, in whole micro-cents, always rounded up. Sums that a number cannot hold exactly are made in big integers, so
// that no number of tokens drifts.

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Price, Rates } from "./price-table.ts";

/** What a reported usage costs. Tokens from the cache are part of the input and are counted once, at their own price. */
export function costOfUsage(usage: LanguageModelV4Usage, price: Price): number {
  const counts = countTokens(usage);
  const { fresh, cacheRead, cacheWrite, output } = counts;
  const rates = ratesFor(price, fresh + cacheRead + cacheWrite);
  const { inputMicrocents, cachedInputMicrocents, cacheWriteMicrocents, outputMicrocents } = rates;
  const millionths =
    fresh * inputMicrocents +
    cacheRead * cachedInputMicrocents +
    cacheWrite * cacheWriteMicrocents +
    output * outputMicrocents;
  // All of it is whole and none below zero: a safe sum has safe parts, so nothing was rounded on the way.
  return Number.isSafeInteger(millionths) ? wholeMicrocents(millionths) : sumUpExactly(chargesOf(counts, rates));
}

/** An upper bound for a request that was not sent yet: all input at its dearest, and as much output as is allowed. */
export function estimateCost(inputTokens: number, maxOutputTokens: number, price: Price): number {
  const input = whole(inputTokens);
  const rates = ratesFor(price, input);
  const dearest = Math.max(rates.inputMicrocents, rates.cacheWriteMicrocents, rates.cachedInputMicrocents);
  const output = whole(maxOutputTokens);
  const millionths = input * dearest + output * rates.outputMicrocents;
  if (Number.isSafeInteger(millionths)) return wholeMicrocents(millionths);
  return sumUpExactly([
    { tokens: input, microcentsPerMillion: dearest },
    { tokens: output, microcentsPerMillion: rates.outputMicrocents },
  ]);
}

/** Whether a provider said anything at all about tokens; if not, a cost of zero would be a lie. */
export function isUsageReported({ inputTokens, outputTokens }: LanguageModelV4Usage): boolean {
  const { total, noCache, cacheRead, cacheWrite } = inputTokens;
  const { total: all, text, reasoning } = outputTokens;
  const some = total ?? noCache ?? cacheRead ?? cacheWrite ?? all ?? text ?? reasoning;
  return some !== undefined;
}

interface TokenCounts {
  /** Input that was neither read from nor written to a cache. */
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

function countTokens({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenCounts {
  const cacheRead = whole(inputTokens.cacheRead);
  const cacheWrite = whole(inputTokens.cacheWrite);
  // Some providers give the total, some the parts, some both; what no part accounts for is fresh.
  const fresh = Math.max(whole(inputTokens.noCache), whole(inputTokens.total) - cacheRead - cacheWrite);
  const output =
    outputTokens.total === undefined
      ? whole(outputTokens.text) + whole(outputTokens.reasoning)
      : whole(outputTokens.total);
  return { fresh, cacheRead, cacheWrite, output };
}

function ratesFor(price: Price, inputTokens: number): Rates {
  const { longContext } = price;
  return longContext !== null && inputTokens > longContext.aboveInputTokens ? longContext : price;
}

/** Providers have sent nothing, NaN, negative numbers and fractions; a count is whole and not below zero. */
function whole(count: number | undefined): number {
  return count !== undefined && count > 0 ? Math.min(Math.ceil(count), Number.MAX_SAFE_INTEGER) : 0;
}

interface Charge {
  readonly tokens: number;
  readonly microcentsPerMillion: number;
}

const MILLION = 1_000_000;

function chargesOf({ fresh, cacheRead, cacheWrite, output }: TokenCounts, rates: Rates): readonly Charge[] {
  return [
    { tokens: fresh, microcentsPerMillion: rates.inputMicrocents },
    { tokens: cacheRead, microcentsPerMillion: rates.cachedInputMicrocents },
    { tokens: cacheWrite, microcentsPerMillion: rates.cacheWriteMicrocents },
    { tokens: output, microcentsPerMillion: rates.outputMicrocents },
  ];
}

function wholeMicrocents(millionths: number): number {
  const rest = millionths % MILLION;
  return (millionths - rest) / MILLION + (rest > 0 ? 1 : 0);
}

/** Beyond ninety million dollars the number stands still, because it could not be added to exactly any more. */
function sumUpExactly(charges: readonly Charge[]): number {
  let millionths = 0n;
  for (const { tokens, microcentsPerMillion } of charges) millionths += BigInt(tokens) * BigInt(microcentsPerMillion);
  const microcents = (millionths + BigInt(MILLION - 1)) / BigInt(MILLION);
  return microcents > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(microcents);
}
