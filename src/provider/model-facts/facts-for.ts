// What one target can do and what it rejects, from the tables and the user's overrides. An unknown model is assumed to be capable of
// everything: it gets every capability, an unlimited context window and `known: false`.

import { CAPABILITIES, filesAt } from "./capability.ts";
import { longestMatch, modelIdentity } from "./model-id.ts";
import { modelRows, type ModelRow, THINKS_MS } from "./model-rows.ts";
import { PROVIDERS, providerRow, type ProviderRow } from "./provider-of.ts";

/** What a model can do: capabilities, window, limits. */
export interface ModelFacts {
  /** Whether the table has this model. If not, the other facts are assumptions. */
  readonly known: boolean;
  readonly vendor: string;
  readonly host: string;
  /** The id without date and cloud-specific parts: `claude-opus-4-5`. */
  readonly model: string;
  /** Infinity if unknown. */
  readonly contextWindowTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: readonly string[];
  /** How long the model may stay silent while it works. */
  readonly quietMs: number;
  readonly refusedParameters: readonly string[];
  readonly refusedWhileReasoning: readonly string[];
  /** The namespaces of `providerOptions` it reads, its own first. */
  readonly namespaces: readonly string[];
  readonly signsReasoning: boolean;
  readonly bindsReasoning: boolean;
  readonly acceptsEmptyText: boolean;
  /** Tool names it accepts. A name that does not match is renamed in the request and restored in the answer. */
  readonly toolNames: RegExp;
  /** Tool call ids it accepts; null for all. */
  readonly toolCallIds: RegExp | null;
  /** Whether it can read state that earlier answers stored at the vendor. False for another account. */
  readonly keepsState: boolean;
}

/** Corrections to what Faultline knows about a model. */
export type FactOverrides = Partial<Omit<ModelFacts, "known" | "vendor" | "host" | "model">>;

export function factsFor(provider: string, modelId: string, overrides: FactOverrides = {}): ModelFacts {
  const seller = providerRow(provider);
  const { maker, names } = modelIdentity(provider, modelId);
  const row = longestMatch(
    modelRows().filter(({ vendor }) => vendor === maker),
    names,
  );
  const namespaces = [...seller.namespaces, ...namespacesOfMaker(seller, maker)];
  const cannot: readonly string[] = row?.lacks ?? [];
  return {
    known: row !== null,
    vendor: seller.vendor,
    host: seller.host,
    model: names.at(-1) ?? modelId,
    contextWindowTokens: row?.contextWindowTokens ?? Infinity,
    maxOutputTokens: row?.maxOutputTokens ?? Infinity,
    capabilities: [...CAPABILITIES.filter((capability) => !cannot.includes(capability)), ...namespaces.map(filesAt)],
    quietMs: row?.quietMs ?? THINKS_MS,
    refusedParameters: [...new Set([...seller.refuses, ...refusedBy(row)])],
    refusedWhileReasoning: row?.refusesWhileReasoning ?? [],
    namespaces,
    signsReasoning: seller.signsReasoning,
    bindsReasoning: row?.bindsReasoning ?? false,
    acceptsEmptyText: seller.acceptsEmptyText,
    toolNames: seller.toolNames,
    toolCallIds: seller.toolCallIds,
    keepsState: true,
    ...overrides,
  };
}

/** Routers pass the maker's options on to the maker. */
function namespacesOfMaker(seller: ProviderRow, maker: string): readonly string[] {
  if (!seller.resells || maker === seller.vendor) return [];
  const own = PROVIDERS.filter(({ vendor }) => vendor === maker).flatMap(({ namespaces }) => namespaces);
  return [...new Set(own)].filter((name) => !seller.namespaces.includes(name));
}

function refusedBy(row: ModelRow | null): readonly string[] {
  if (row === null) return [];
  return row.lacks.includes("reasoning") ? [...row.refuses, "reasoning"] : row.refuses;
}
