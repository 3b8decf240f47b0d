// Writes test/provider/price/public-prices.json: what a public catalogue says about the models of our price table, for the test that
// compares the two. Get the catalogue first: `npm pack @pydantic/genai-prices`, unpack it, then
// `node scripts/public-prices.ts <folder of the package> <day it was published>`.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { priceRows } from "../src/provider/price/price-rows.ts";

type Rate = number | { readonly base: number; readonly tiers: readonly { start: number; price: number }[] } | undefined;

interface Found {
  readonly model: { readonly id: string; readonly context_window?: number };
  readonly model_price: Readonly<Record<string, Rate>>;
}

interface Catalogue {
  readonly calcPrice: (
    usage: { input_tokens: number },
    model: string,
    options: { providerId: string; timestamp: Date },
  ) => Found | null;
}

/** Our names of providers, where the catalogue uses other names. */
const PROVIDER_IDS: Readonly<Record<string, string>> = { xai: "x-ai", togetherai: "together" };

const [folder = "", published = ""] = process.argv.slice(2);
const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
const { calcPrice } = (await import(pathToFileURL(resolve(folder, "dist/index.js")).href)) as Catalogue;

const rows = priceRows().flatMap(({ provider, model }) => {
  const name = model.replace("*", "");
  const providerId = PROVIDER_IDS[provider] ?? provider;
  const found = calcPrice({ input_tokens: 1 }, name, { providerId, timestamp: new Date(published) });
  // The catalogue also matches by the beginning of a name, and would give an older model's price to a newer one.
  if (found === null || !(found.model.id === name || found.model.id.startsWith(`${name}-`))) return [];
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok, cache_write_1h_mtok } = found.model_price;
  const rates = [input_mtok, output_mtok, cache_read_mtok, cache_write_mtok, cache_write_1h_mtok].map(base);
  const long = [input_mtok, output_mtok].map((rate) => (typeof rate === "object" ? rate.tiers[0]?.price : undefined));
  return [JSON.stringify([`${provider}/${model}`, ...rates, ...long])];
});

function base(rate: Rate): number | undefined {
  return typeof rate === "object" ? rate.base : rate;
}

const COLUMNS = ["model", "input", "output", "cachedInput", "cacheWrite", "cacheWriteHour", "longInput", "longOutput"];
const head = { source: `@pydantic/genai-prices ${version}`, licence: license, published, unit: "$ per million tokens" };
const target = fileURLToPath(new URL("../test/provider/price/public-prices.json", import.meta.url));
writeFileSync(
  target,
  `${JSON.stringify({ ...head, columns: COLUMNS }).slice(0, -1)},"rows":[\n${rows.join(",\n")}\n]}\n`,
);
spawnSync("npx", ["oxfmt", target]);
