// The facts about a target that the portability rules need. `factsFor` returns all of them, and more.

import type { ModelFacts } from "../model-facts/facts-for.ts";
import { vendorOfNamespace } from "../model-facts/provider-of.ts";

export type PortableFacts = Pick<
  ModelFacts,
  | "vendor"
  | "model"
  | "namespaces"
  | "capabilities"
  | "maxOutputTokens"
  | "refusedParameters"
  | "refusedWhileReasoning"
  | "signsReasoning"
  | "bindsReasoning"
  | "acceptsEmptyText"
  | "toolNames"
  | "toolCallIds"
  | "keepsState"
>;

/** Whether a namespace belongs to another known vendor. An unknown namespace is left alone, because no provider sends it. */
export function isForeign(namespace: string, to: PortableFacts): boolean {
  if (to.namespaces.includes(namespace)) return false;
  const vendor = vendorOfNamespace(namespace);
  return vendor !== null && vendor !== to.vendor;
}

/** The names of provider tools and custom parts begin with their vendor: `openai.web_search`. */
export function isForeignKind(kind: string, to: PortableFacts): boolean {
  const owner = kind.slice(0, Math.max(0, kind.indexOf(".")));
  return !to.namespaces.includes(owner) && owner !== to.vendor && vendorOfNamespace(owner) !== to.vendor;
}
