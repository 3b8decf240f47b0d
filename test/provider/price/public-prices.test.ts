// Our price table beside a public catalogue. Where they differ, this file says why; a difference that is gone must be deleted here.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { priceRows } from "../../../src/provider/price/price-rows.ts";

interface PublicPrices {
  readonly published: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

const PUBLIC = JSON.parse(readFileSync(new URL("public-prices.json", import.meta.url), "utf8")) as PublicPrices;

const SALE = "the catalogue has the price of a sale, we the price after it";
const OFF_PEAK = "the catalogue has the price of quiet hours and of September, we the peak price";

/** Which columns differ, and why our number stands. */
const DIFFERENT: Readonly<Record<string, readonly [columns: string, why: string]>> = {
  "google/gemini-3.8-flash": ["input output cachedInput", SALE],
  "google/gemini-3.7-flash": ["input output cachedInput", SALE],
  "google/gemini-3.6-flash": ["input output cachedInput", SALE],
  "deepseek/deepseek-v4-flash": ["input output cachedInput", OFF_PEAK],
  "deepseek/deepseek-v4-pro": ["input output cachedInput", OFF_PEAK],
  "xai/grok-4.5": ["cachedInput", "LiteLLM's table of 2026-08-08 has our number"],
  "anthropic/claude-sonnet-4-5": [
    "longInput longOutput",
    "for prompts above 200,000 tokens, which is more than its window without a beta header",
  ],
};

const ours = new Map(
  priceRows().map((row) => [
    `${row.provider}/${row.model}`,
    { ...row, longInput: row.longContext?.input, longOutput: row.longContext?.output },
  ]),
);

describe("the public catalogue", () => {
  it("covers most of our rows, so that the comparison means something", () => {
    expect(PUBLIC.published).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(PUBLIC.rows.length).toBeGreaterThan(60);
  });

  it.each(PUBLIC.rows.map(([model, ...rates]) => [String(model), rates] as const))(
    "agrees with our price of %s, or we say why not",
    (model, rates) => {
      const own = ours.get(model) as Readonly<Record<string, unknown>> | undefined;
      expect(own, `${model} has left our table: run scripts/public-prices.ts again`).toBeDefined();
      const columns = PUBLIC.columns.slice(1);
      const differing = columns.filter((column, index) => {
        const rate = rates[index] ?? null;
        return rate !== null && own?.[column] !== rate;
      });
      expect(differing.join(" ")).toBe(DIFFERENT[model]?.[0] ?? "");
    },
  );
});
