// What a model costs at a target: as the gateway's file says, else as the price table says.

import { type Price, priceIn, priceOf, type PriceTable } from "../../provider/price/price-table.ts";
import type { ClientKey, GatewayTarget } from "../config/settings.ts";
import { isBounded } from "../key/key-account.ts";

/** null: the price is unknown. */
export function targetPrice(table: PriceTable, { prices, provider }: GatewayTarget, model: string): Price | null {
  return priceIn(prices, provider, model) ?? priceOf(table, provider, model);
}

/** Nothing without a price is asked for a key with a budget, unless its owner allows it: the budget could not hold. */
export function needsPrice(key: ClientKey | null): boolean {
  return key !== null && isBounded(key.limits) && !key.mayUseUnpriced;
}
