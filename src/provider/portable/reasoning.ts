// What models thought, in the history: signed, encrypted or tied to one model, so that nobody else takes it back.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { removeParts, type Part, type Pass } from "./pass.ts";
import { isForeign, isForeignKind, type PortableFacts } from "./target-facts.ts";

/** Reasoning with another vendor's mark and none of the target's, and parts that only their vendor understands. */
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

/** The vendor is the same, but the model or the account is not. */
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

/** OpenAI's reasoning is an item in an account, encrypted for it. */
function isKeptThere(part: Part, to: PortableFacts): boolean {
  return to.namespaces.some((namespace) => part.providerOptions?.[namespace]?.["itemId"] !== undefined);
}
