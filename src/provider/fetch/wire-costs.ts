// The cost of requests and answers on the wire, at the price of one model.

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { type AttemptCost, costOfAnswer, estimateCost, tokensIn } from "../price/cost.ts";
import type { Price } from "../price/price-table.ts";
import type { RequestFacts } from "../wire/request-facts.ts";
import type { WireState, WireUsage } from "../wire/wire-state.ts";

export interface WireCosts {
  /** Prices the answer received so far; null without a price. `isWhole`: the provider reported the usage at a proper end. */
  readonly costOf: (
    facts: RequestFacts,
    usage: WireUsage | null,
    isWhole: boolean,
    outputCharacters: number,
  ) => AttemptCost | null;
  /** The most an answer may cost. */
  readonly estimate: (facts: RequestFacts) => number | null;
  /** What a request costs of which only this is known: that it went out. */
  readonly sent: (facts: RequestFacts) => number | null;
}

const ASSUMED_OUTPUT_TOKENS = 4_096;

export function wireCosts(price: Price | null): WireCosts {
  const costOf: WireCosts["costOf"] = (facts, usage, isWhole, outputCharacters) => {
    if (price === null) return null;
    const tier = usage?.serviceTier?.toLowerCase() ?? facts.serviceTier;
    const said = usage === null ? null : usageOf(usage);
    const seen = { inputTokens: () => tokensIn(facts.inputCharacters), outputCharacters };
    return costOfAnswer(said, isWhole, seen, price, tier);
  };
  return {
    costOf,
    estimate: (facts) => {
      const most = facts.answers * (facts.maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS);
      return price === null ? null : estimateCost(tokensIn(facts.inputCharacters), most, price, facts.serviceTier);
    },
    sent: (facts) => costOf(facts, null, false, 0)?.microcents ?? null,
  };
}

/** Books an attempt. One that was rejected or never sent costs nothing; one that was cut, aborted or left unanswered costs what was seen of it. */
export function tellWireCost(
  { costOf }: Pick<WireCosts, "costOf">,
  facts: RequestFacts,
  { usage, isComplete, outputLength, sawContent }: WireState,
  context: RunContext,
  isRefused: boolean,
): void {
  if (usage !== null) context.tokens(usage);
  if (isRefused && usage === null && !sawContent) return context.cost(0);
  const cost = costOf(facts, usage, isComplete, outputLength);
  if (cost !== null) context.cost(cost.microcents, cost.basis);
}

/** The usage in the AI SDK's shape, which the price functions take. */
function usageOf({
  inputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  hourCacheWriteTokens,
  outputTokens,
}: WireUsage): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: inputTokens,
      noCache: undefined,
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    raw: { cache_creation: { ephemeral_1h_input_tokens: hourCacheWriteTokens } },
  };
}
