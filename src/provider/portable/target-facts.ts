// What the rules of portability must know of the target a request goes to. `factsFor` gives all of it, and more.

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

/** Whether a namespace is known to be another vendor's. One that nobody we know of reads is left alone: no provider sends it. */
export function isForeign(namespace: string, to: PortableFacts): boolean {
  if (to.namespaces.includes(namespace)) return false;
  const vendor = vendorOfNamespace(namespace);
  return vendor !== null && vendor !== to.vendor;
}

/** Tools and custom parts say whose they are in front of their name: `openai.web_search`. */
export function isForeignKind(kind: string, to: PortableFacts): boolean {
  const owner = kind.slice(0, Math.max(0, kind.indexOf(".")));
  return !to.namespaces.includes(owner) && owner !== to.vendor && vendorOfNamespace(owner) !== to.vendor;
}
