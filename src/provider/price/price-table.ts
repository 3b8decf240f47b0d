// The prices in force: the user's rows, then the built-in ones. A model without a row has no price, which is not a price of zero.

import { group, listOf, mapOf, number, required, shape, text } from "../../options/kind.ts";
import { longestMatch, modelIdentity } from "../model-facts/model-id.ts";
import { PRICE_ROWS, PRICE_ROWS_DATE, PRICE_ROWS_SOURCE, type DollarRates, type PriceRow } from "./price-rows.ts";

/** Whole micro-cents (1e-8 dollars) per million tokens. Reasoning is output. */
export interface Rates {
  readonly inputMicrocents: number;
  readonly cachedInputMicrocents: number;
  readonly cacheWriteMicrocents: number;
  /** Of cache writes that last an hour. */
  readonly cacheWriteHourMicrocents: number;
  readonly outputMicrocents: number;
}

export interface Price extends Rates {
  /** What all tokens cost once the input is longer than this. */
  readonly longContext: (Rates & { readonly aboveInputTokens: number }) | null;
  /** What the tiers cost that do not cost the same, by name. */
  readonly tiers: ReadonlyMap<string, Price>;
}

export interface PriceTable {
  readonly date: string;
  readonly source: string;
  /** Rows of the user. A match among them wins over the built-in rows, however exact those are. */
  readonly own: readonly PriceRow[];
  readonly builtIn: readonly PriceRow[];
}

export function priceTable(overrides: readonly PriceRow[] = []): PriceTable {
  return { date: PRICE_ROWS_DATE, source: PRICE_ROWS_SOURCE, own: overrides, builtIn: PRICE_ROWS };
}

/** `provider` is the AI SDK's string (`openai.responses`) or a vendor's name. Null: nobody knows, the caller marks it unpriced. */
export function priceOf(table: PriceTable, provider: string, modelId: string): Price | null {
  const { host, seller, maker, names } = modelIdentity(provider, modelId);
  for (const rows of [table.own, table.builtIn]) {
    // Clouds and routers sell at the maker's list price unless they have a row of their own.
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

function toPrice(row: PriceRow): Price {
  const tiers = new Map<string, Price>();
  for (const [tier, times] of Object.entries(row.tiers ?? {})) tiers.set(tier, pricedAt(row, times, NO_TIERS));
  return pricedAt(row, 1, tiers);
}

const NO_TIERS: Price["tiers"] = new Map();

function pricedAt(row: PriceRow, times: number, tiers: Price["tiers"]): Price {
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

/** The only place where a fraction of a dollar is met; from here on everything is whole. */
function microcents(dollars: number): number {
  return Math.round(dollars * 1e8);
}

/** Dollars per million tokens. A price beyond a million dollars is a slip of the unit. */
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
