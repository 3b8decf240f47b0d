// The price table: the user's rows, then the built-in ones. A model without a row has no price, which is not the same as a price of zero.

import { group, listOf, mapOf, number, required, shape, text } from "../../options/check-options.ts";
import { longestMatch, modelIdentity } from "../model-facts/model-id.ts";
import { priceRows, PRICE_ROWS_DATE, PRICE_ROWS_SOURCE, type DollarRates, type PriceRow } from "./price-rows.ts";

/** Whole micro-cents (1e-8 dollars) per million tokens. Reasoning is output. */
export interface Rates {
  readonly inputMicrocents: number;
  readonly cachedInputMicrocents: number;
  readonly cacheWriteMicrocents: number;
  /** For cache writes that last an hour. */
  readonly cacheWriteHourMicrocents: number;
  readonly outputMicrocents: number;
}

export interface Price extends Rates {
  /** The rates for all tokens if the input is longer than `aboveInputTokens`. */
  readonly longContext: (Rates & { readonly aboveInputTokens: number }) | null;
  /** The price of each tier that differs from the list price, by name. */
  readonly tiers: ReadonlyMap<string, Price>;
}

export interface PriceTable {
  readonly date: string;
  readonly source: string;
  /** The user's rows. A match here wins over any built-in row, however exact that is. */
  readonly own: readonly PriceRow[];
}

export function priceTable(overrides: readonly PriceRow[] = []): PriceTable {
  return { date: PRICE_ROWS_DATE, source: PRICE_ROWS_SOURCE, own: overrides };
}

/** `provider` is the AI SDK's string (`openai.responses`) or a vendor's name. Returns null if there is no price; the caller then marks the call as unpriced. */
export function priceOf(table: PriceTable, provider: string, modelId: string): Price | null {
  const { host, seller, maker, names } = modelIdentity(provider, modelId);
  for (const rows of [table.own, priceRows()]) {
    // Clouds and routers charge the maker's list price unless they have their own row.
    for (const vendor of new Set([host, seller, maker])) {
      const row = longestMatch(
        rows.filter((candidate) => candidate.provider === vendor),
        names,
      );
      if (row !== null) return toPrice(row);
    }
  }
  return null;
}

/** The price in rows of one seller; null when none of them names the model. */
export function priceIn(rows: readonly StatedPrice[], provider: string, modelId: string): Price | null {
  const row = longestMatch(rows, modelIdentity(provider, modelId).names);
  return row === null ? null : toPrice(row);
}

/** A price without its seller. */
export type StatedPrice = Omit<PriceRow, "provider">;

function toPrice(row: StatedPrice): Price {
  const tiers = new Map<string, Price>();
  for (const [tier, times] of Object.entries(row.tiers ?? {})) tiers.set(tier, pricedAt(row, times, NO_TIERS));
  return pricedAt(row, 1, tiers);
}

const NO_TIERS: Price["tiers"] = new Map();

function pricedAt(row: StatedPrice, times: number, tiers: Price["tiers"]): Price {
  const { longContext: long } = row;
  const longContext = long === undefined ? null : { ...toRates(long, times), aboveInputTokens: long.aboveInputTokens };
  return { ...toRates(row, times), longContext, tiers };
}

function toRates(rates: DollarRates, times: number): Rates {
  const { input, output, cachedInput = input, cacheWrite = input, cacheWriteHour = cacheWrite } = rates;
  return {
    inputMicrocents: microcents(input * times),
    cachedInputMicrocents: microcents(cachedInput * times),
    cacheWriteMicrocents: microcents(cacheWrite * times),
    cacheWriteHourMicrocents: microcents(cacheWriteHour * times),
    outputMicrocents: microcents(output * times),
  };
}

/** The only place that handles fractions of a dollar. Everything after it is an integer. */
function microcents(dollars: number): number {
  return Math.round(dollars * 1e8);
}

/** Dollars per million tokens. A price above a million dollars is a wrong unit. */
const dollars = number(0, 1_000_000);
const RATES = { cachedInput: dollars, cacheWrite: dollars, cacheWriteHour: dollars };

export const pricesKind = listOf(
  group(
    shape<PriceRow>({
      provider: required(text),
      model: required(text),
      input: required(dollars),
      output: required(dollars),
      ...RATES,
      longContext: group(
        shape<NonNullable<PriceRow["longContext"]>>({
          input: required(dollars),
          output: required(dollars),
          ...RATES,
          aboveInputTokens: required(number(0)),
        }),
      ),
      tiers: mapOf(number(0, 100)),
    }),
  ),
);
