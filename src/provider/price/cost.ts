// What tokens cost, in whole micro-cents, always rounded up. Sums are made in big integers, so that no number of tokens drifts.

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Price, Rates } from "./price-table.ts";

/** What a reported usage costs. Tokens from the cache are part of the input and are counted once, at their own price. */
export function costOfUsage(usage: LanguageModelV4Usage, price: Price): number {
  const { fresh, cacheRead, cacheWrite, output } = countTokens(usage);
  const rates = ratesFor(price, fresh + cacheRead + cacheWrite);
  return roundUp(
    product(fresh, rates.inputMicrocents) +
      product(cacheRead, rates.cachedInputMicrocents) +
      product(cacheWrite, rates.cacheWriteMicrocents) +
      product(output, rates.outputMicrocents),
  );
}

/** An upper bound for a request that was not sent yet: all input at its dearest, and as much output as is allowed. */
export function estimateCost(inputTokens: number, maxOutputTokens: number, price: Price): number {
  const input = whole(inputTokens);
  const rates = ratesFor(price, input);
  const dearest = Math.max(rates.inputMicrocents, rates.cacheWriteMicrocents, rates.cachedInputMicrocents);
  return roundUp(product(input, dearest) + product(whole(maxOutputTokens), rates.outputMicrocents));
}

/** Whether a provider said anything at all about tokens; if not, a cost of zero would be a lie. */
export function isUsageReported({ inputTokens, outputTokens }: LanguageModelV4Usage): boolean {
  const { total, noCache, cacheRead, cacheWrite } = inputTokens;
  const { total: all, text, reasoning } = outputTokens;
  return [total, noCache, cacheRead, cacheWrite, all, text, reasoning].some((count) => count !== undefined);
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

function ratesFor({ longContext, ...rates }: Price, inputTokens: number): Rates {
  return longContext !== null && inputTokens > longContext.aboveInputTokens ? longContext : rates;
}

/** Providers have sent nothing, NaN, negative numbers and fractions; a count is whole and not below zero. */
function whole(count: number | undefined): number {
  if (count === undefined || Number.isNaN(count) || count <= 0) return 0;
  return Math.min(Math.ceil(count), Number.MAX_SAFE_INTEGER);
}

function product(tokens: number, microcentsPerMillion: number): bigint {
  return BigInt(tokens) * BigInt(microcentsPerMillion);
}

const MILLION = 1_000_000n;

/** Beyond ninety million dollars the number stands still, because it could not be added to exactly any more. */
function roundUp(millionths: bigint): number {
  const microcents = (millionths + MILLION - 1n) / MILLION;
  return microcents > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(microcents);
}
