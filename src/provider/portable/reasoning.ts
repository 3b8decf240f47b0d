// Reasoning in the history. It is signed, encrypted or tied to one model, so no other model accepts it.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { removeParts, type Part, type Pass } from "./pass.ts";
import { isForeign, isForeignKind, type PortableFacts } from "./target-facts.ts";

/** Removes reasoning with another vendor's mark and without the target's, and parts that only their vendor understands. */
export function removeForeignReasoning(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  return removeParts(options, pass, (part) => isForeignThought(part, pass.to));
}

export function isForeignThought(part: Part, to: PortableFacts): boolean {
  if (part.type === "custom") return isForeignKind(part.kind, to);
  return isReasoning(part) && !isOwn(part, to) && marksOf(part).some((mark) => isForeign(mark, to));
}

export function removeUnsignedReasoning(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  if (!pass.to.signsReasoning) return options;
  return removeParts(options, pass, (part) => isReasoning(part) && !isOwn(part, pass.to));
}

/** Removes reasoning of the same vendor that is tied to another model or account. */
export function removeBoundReasoning(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const { from, to } = pass;
  const otherModel = from !== null && from.model !== to.model && (from.bindsReasoning || to.bindsReasoning);
  if (!otherModel && to.keepsState) return options;
  return removeParts(options, pass, (part) => isReasoning(part) && (otherModel || isKeptThere(part, to)));
}

function isReasoning(part: Part): boolean {
  return part.type === "reasoning" || part.type === "reasoning-file";
}

function marksOf(part: Part): readonly string[] {
  return Object.keys(part.providerOptions ?? {});
}

function isOwn(part: Part, to: PortableFacts): boolean {
  return marksOf(part).some((mark) => to.namespaces.includes(mark));
}

/** OpenAI stores reasoning as an item in the account and encrypts it for that account. */
function isKeptThere(part: Part, to: PortableFacts): boolean {
  return to.namespaces.some((namespace) => part.providerOptions?.[namespace]?.["itemId"] !== undefined);
}
