// The request, messages, parts, tools and tool outputs can all have `providerOptions`. These rules remove what another vendor wrote
// there: references to state on its servers, cache marks, and everything else in its namespace.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { mapMessages, mapParts, type Message, type Part, type Pass, removeParts } from "./pass.ts";
import { isForeign, isForeignKind, type PortableFacts } from "./target-facts.ts";

interface KeyRow {
  readonly namespaces: readonly string[];
  readonly keys: readonly string[];
}

/** References to state that an earlier answer stored at the vendor. Only the account that created it can use it. */
const STATE: readonly KeyRow[] = [
  { namespaces: ["openai", "azure", "xai"], keys: ["previousResponseId", "conversation", "itemId"] },
  { namespaces: ["anthropic"], keys: ["container", "thread"] },
  { namespaces: ["google", "googleVertex", "vertex"], keys: ["cachedContent", "continuationToken"] },
];

const CACHE_MARKS: readonly KeyRow[] = [
  { namespaces: ["anthropic", "openrouter"], keys: ["cacheControl", "cache_control"] },
  {
    namespaces: ["openai", "azure"],
    keys: ["promptCacheKey", "promptCacheRetention", "promptCacheOptions", "promptCacheBreakpoint"],
  },
  { namespaces: ["bedrock", "amazonBedrock"], keys: ["cachePoint"] },
];

export function removeServerState(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  return removeKeys(options, pass, STATE, (namespace, to) => to.namespaces[0] !== namespace || !to.keepsState);
}

export function removeCacheMarks(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  return removeKeys(options, pass, CACHE_MARKS, isForeign);
}

export function removeForeignOptions(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  return editOptions(options, pass, (given, where) =>
    keepEntries(given, (namespace) => {
      if (!isForeign(namespace, pass.to)) return true;
      pass.note(`${where()}.${namespace}`);
      return false;
    }),
  );
}

/** A namespace that loses its last key is removed, too. */
function removeKeys(
  options: LanguageModelV4CallOptions,
  pass: Pass,
  rows: readonly KeyRow[],
  isGone: (namespace: string, to: PortableFacts) => boolean,
): LanguageModelV4CallOptions {
  return editOptions(options, pass, (given, where) => {
    let edited = given;
    for (const [namespace, values] of Object.entries(given)) {
      const keys = rows.filter((row) => row.namespaces.includes(namespace)).flatMap((row) => row.keys);
      if (!isGone(namespace, pass.to)) continue;
      const left = keepEntries(values, (key) => {
        if (!keys.includes(key)) return true;
        pass.note(`${where()}.${namespace}.${key}`);
        return false;
      });
      if (left === values) continue;
      edited =
        Object.keys(left).length === 0
          ? keepEntries(edited, (name) => name !== namespace)
          : { ...edited, [namespace]: left };
    }
    return edited;
  });
}

/** Returns the same object if nothing changed. */
type Edit = (given: SharedV4ProviderOptions, where: () => string) => SharedV4ProviderOptions;

interface Carrier {
  providerOptions?: SharedV4ProviderOptions;
}

function editOptions(options: LanguageModelV4CallOptions, pass: Pass, edit: Edit): LanguageModelV4CallOptions {
  const own = editCarrier(options, () => "providerOptions", edit);
  const tools = own.tools?.map((tool) =>
    tool.type === "function"
      ? pass.replace(tool, editCarrier<LanguageModelV4FunctionTool>(tool, at(pass, tool), edit))
      : tool,
  );
  const isSame = tools === undefined || tools.every((tool, index) => tool === own.tools?.[index]);
  return mapMessages(isSame ? own : { ...own, tools }, (message) => editMessage(message, pass, edit));
}

function editMessage(message: Message, pass: Pass, edit: Edit): Message | null {
  const own = pass.replace(message, editCarrier(message, at(pass, message), edit));
  return mapParts(own, pass, (part) => pass.replace(part, editPart(part, at(pass, part), edit)));
}

function editPart(part: Part, where: () => string, edit: Edit): Part {
  const own = editCarrier(part, where, edit);
  if (own.type !== "tool-result") return own;
  const output = editOutput(own.output, where, edit);
  return output === own.output ? own : { ...own, output };
}

function editOutput(
  output: LanguageModelV4ToolResultOutput,
  where: () => string,
  edit: Edit,
): LanguageModelV4ToolResultOutput {
  if (output.type !== "content") return editCarrier(output, where, edit);
  const value = output.value.map((item) => editCarrier(item, where, edit));
  return value.every((item, index) => item === output.value[index]) ? output : { ...output, value };
}

function editCarrier<T extends Carrier>(thing: T, where: () => string, edit: Edit): T {
  if (thing.providerOptions === undefined) return thing;
  const edited = edit(thing.providerOptions, where);
  if (edited === thing.providerOptions) return thing;
  const copy = { ...thing, providerOptions: edited };
  if (Object.keys(edited).length === 0) delete (copy as Carrier).providerOptions;
  return copy;
}

function at(pass: Pass, thing: object): () => string {
  return () => `${pass.whereOf(thing)}.providerOptions`;
}

function keepEntries<T extends object>(given: T, isKept: (key: string) => boolean): T {
  const entries = Object.entries(given);
  const left = entries.filter(([key]) => isKept(key));
  return left.length === entries.length ? given : (Object.fromEntries(left) as T);
}

// Reasoning in the history. It is signed, encrypted or tied to one model, so no other model accepts it.

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
