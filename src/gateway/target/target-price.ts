// What a model costs at a target: the price in the gateway's file, otherwise the one in the price table.

import type { ModelFacts } from "../../provider/model-facts/facts-for.ts";
import { estimateCost } from "../../provider/price/cost.ts";
import { type Price, priceIn, priceOf, type PriceTable } from "../../provider/price/price-table.ts";
import type { ClientKey, GatewayTarget, RouteStep } from "../config/settings.ts";
import { isBounded } from "../key/key-account.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import type { AskedModel } from "../request/gateway-request.ts";

/** null: the price is unknown. */
export function targetPrice(table: PriceTable, { prices, provider }: GatewayTarget, model: string): Price | null {
  return priceIn(prices, provider, model) ?? priceOf(table, provider, model);
}

/** Whether none of the targets that a call asked has a price. Then its cost is unknown, which is not the same as zero. */
export function isUnpriced(
  table: PriceTable,
  steps: readonly RouteStep[],
  model: string,
  { target, decisions }: Pick<LedgerLine, "target" | "decisions">,
): boolean {
  const asked = new Set(decisions.flatMap((one) => (one.attempt > 0 ? [one.target] : [])));
  if (target !== null) asked.add(target);
  const used = steps.filter((step) => asked.has(`${step.target.name}/${step.model ?? model}`));
  return used.length > 0 && used.every((step) => targetPrice(table, step.target, step.model ?? model) === null);
}

/** Whether the key may use only models with a known price: it has a budget, and its owner has not allowed others. */
export function needsPrice(key: ClientKey | null): boolean {
  return key !== null && isBounded(key.limits) && !key.mayUseUnpriced;
}

/** Assumed length of an answer whose request sets no limit. Longer answers are rare, and the cost of a stream is checked as it arrives. */
export const LONGEST_ANSWER_TOKENS = 32_768;

/** Assumed when the context window of a model is not known. Few models have a larger one. */
const UNKNOWN_WINDOW_TOKENS = 1_048_576;

type Limits = Pick<ModelFacts, "contextWindowTokens" | "maxOutputTokens">;

/** The most that a request may cost; null without a price. No tokenizer makes more tokens of a text than it has bytes. */
export function mostCost(
  price: Price | null,
  { facts, bytes }: Pick<AskedModel, "facts" | "bytes">,
  model: Limits,
): number | null {
  if (price === null) return null;
  const window = Number.isFinite(model.contextWindowTokens) ? model.contextWindowTokens : UNKNOWN_WINDOW_TOKENS;
  const files = Math.min(facts.dataTokens, window);
  const input = Math.max(0, bytes.length - facts.dataCharacters) + files;
  const output = facts.maxOutputTokens ?? Math.min(LONGEST_ANSWER_TOKENS, model.maxOutputTokens);
  return estimateCost(input, facts.answers * output, price, facts.serviceTier);
}
