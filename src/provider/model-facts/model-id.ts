// One name for a model, whatever a cloud calls it: `us.anthropic.claude-opus-4-5-20251101-v1:0` at Bedrock and
// `claude-opus-4-5@20251101` at Vertex are `claude-opus-4-5` of anthropic. Tables are looked up by that name.

import { providerRow, type ProviderRow } from "./provider-of.ts";

export interface ModelIdentity {
  /** The company that runs the servers: `azure`. */
  readonly host: string;
  /** The vendor whose API it speaks, from the provider string. */
  readonly seller: string;
  /** The company that made the model: the seller, unless the id names another maker. */
  readonly maker: string;
  /** Spellings from the most exact to the least exact. Tables are searched in this order. */
  readonly names: readonly string[];
}

/** The prefixes that clouds and routers use to name the maker. Example: `anthropic/claude-opus-5-5`. */
const MAKERS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic"],
  ["openai", "openai"],
  ["google", "google"],
  ["x-ai", "xai"],
  ["xai", "xai"],
  ["deepseek", "deepseek"],
  ["deepseek-ai", "deepseek"],
  ["mistral", "mistral"],
  ["mistralai", "mistral"],
]);

export function modelIdentity(provider: string, modelId: string): ModelIdentity {
  const row = providerRow(provider);
  const { maker, name } = makerOf(row, modelId.toLowerCase());
  return {
    host: row.host,
    seller: row.vendor,
    maker,
    names: [...new Set([name, undated(name), hyphenated(maker, undated(name))])],
  };
}

function makerOf(row: ProviderRow, modelId: string): { readonly maker: string; readonly name: string } {
  const path = modelId.replace(/^(?:us|eu|apac|jp|au|ca|global)\.(?=[a-z0-9]+\.)/, "");
  const [, prefix, name] = /^([a-z0-9-]+)[./](.+)$/.exec(path) ?? [];
  const maker = prefix === undefined ? undefined : MAKERS.get(prefix);
  if (maker !== undefined && name !== undefined) return { maker: row.resells ? maker : row.vendor, name };
  // `models/gemini-2.5-pro`, `accounts/fireworks/models/…`, `zai-org/GLM-5.2`: the path is a location, not part of the name.
  return { maker: row.vendor, name: path.slice(path.lastIndexOf("/") + 1) };
}

/** Removes the release date and cloud-specific suffixes: `-2025-08-07`, `-20250514`, `@20250514`, `-v1:0`, `-latest`. */
function undated(name: string): string {
  return name
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/:\d+$/, "")
    .replace(/(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8}|@latest)$/, "")
    .replace(/^(claude-.*)-latest$/, "$1");
}

/** Routers write `claude-sonnet-5.5` where Anthropic writes `claude-sonnet-5-5`. */
function hyphenated(maker: string, name: string): string {
  return maker === "anthropic" ? name.replaceAll(".", "-") : name;
}

/** Finds the row with the longest matching pattern: an id, or a prefix followed by `*`. */
export function longestMatch<Row extends { readonly model: string }>(
  rows: readonly Row[],
  names: readonly string[],
): Row | null {
  for (const name of names) {
    const matching = rows.filter(({ model }) => matches(model.toLowerCase(), name));
    const best = matching.reduce<Row | null>(
      (longest, row) => (longest === null || weight(row.model) > weight(longest.model) ? row : longest),
      null,
    );
    if (best !== null) return best;
  }
  return null;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** An exact id beats any prefix. */
function weight(pattern: string): number {
  return pattern.endsWith("*") ? pattern.length - 1 : Number.MAX_SAFE_INTEGER;
}
