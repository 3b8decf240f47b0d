// Names of providers that this package knows. Any other name is allowed, for a server of your own, but may be a slip.

import { onFirstUse } from "../../host/builtin.ts";
import { nearest } from "../../options/nearest.ts";
import { providerOf, PROVIDERS } from "../model-facts/provider-of.ts";
import { priceRows } from "./price-rows.ts";
import type { PriceTable } from "./price-table.ts";

/** Vendors whose prices, or whose servers' habits, we know. */
const KNOWN_PROVIDERS = onFirstUse(
  (): ReadonlySet<string> =>
    new Set([...PROVIDERS.map(({ vendor }) => vendor), ...priceRows().map(({ provider }) => provider)]),
);

export function isKnownProvider(provider: string): boolean {
  return KNOWN_PROVIDERS().has(providerOf(provider));
}

/** The known name that is meant, if the difference is small enough for a slip. */
export function nearestProvider(provider: string): string | null {
  return nearest(provider, [...KNOWN_PROVIDERS()]);
}

const warned = new Set<string>();
const MAX_WARNED = 100;

/** Warns, once per name, about a provider whose name looks like a slip. A name with prices of its own is meant as it is written. */
export function warnOfProvider(door: string, provider: string, { own }: PriceTable): void {
  if (isKnownProvider(provider) || warned.has(provider) || own.some((row) => row.provider === provider)) return;
  const near = nearestProvider(provider);
  if (near === null || warned.size >= MAX_WARNED) return;
  warned.add(provider);
  process.emitWarning(
    `${door}: the provider "${provider}" is not known; did you mean "${near}"? Its calls have no price, so a budget does not count them. ` +
      "For a server of your own under this name, add its prices: createFaultline({ prices })",
    { type: "FaultlineWarning" },
  );
}
