// Tool call ids. Each vendor accepts its own format, and ids must be unique in a conversation. A history from another vendor's model
// may break both rules. Calls and results are renamed together.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { mapMessages, mapParts, type Part, type Pass } from "./pass.ts";

/** Gives each further call with the same id, and its result, a new id. */
export function separateToolCallIds(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const freeId = freeIds(options);
  const used = new Set<string>();
  /** Ids of calls without a result so far, oldest first, by the caller's id. */
  const open = new Map<string, string[]>();
  return mapMessages(options, (message) => {
    const here = new Set<string>();
    return mapParts(message, pass, (part) => {
      if (!("toolCallId" in part)) return part;
      const { toolCallId: id } = part;
      if (part.type === "tool-result") return renamed(part, pass, open.get(id)?.shift() ?? id);
      // A vendor may list its own call twice: before it is approved, and after it has run.
      if (part.providerExecuted === true) return part;
      const own = used.has(id) ? freeId() : id;
      used.add(id);
      // A call from an earlier message that is still open was interrupted. The results that follow belong to other calls.
      const waiting = here.has(id) ? (open.get(id) ?? []) : [];
      here.add(id);
      open.set(id, [...waiting, own]);
      return renamed(part, pass, own);
    });
  });
}

/** Numbers the new ids from the start of the history, so that a longer history gets the same ids. */
export function fitToolCallIds(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const form = pass.to.toolCallIds;
  if (form === null) return options;
  const freeId = freeIds(options);
  const fitted = new Map<string, string>();
  for (const id of idsIn(options)) if (!form.test(id)) fitted.set(id, freeId());
  if (fitted.size === 0) return options;
  return mapMessages(options, (message) =>
    mapParts(message, pass, (part) =>
      "toolCallId" in part ? renamed(part, pass, fitted.get(part.toolCallId) ?? part.toolCallId) : part,
    ),
  );
}

/** Nine letters and digits: the strictest format of any vendor. */
function freeIds(options: LanguageModelV4CallOptions): () => string {
  const known = idsIn(options);
  let count = 0;
  return () => {
    let id: string;
    do id = `call${String(++count).padStart(5, "0")}`;
    while (known.has(id));
    return id;
  };
}

function renamed(part: Extract<Part, { toolCallId: string }>, pass: Pass, toolCallId: string): Part {
  if (toolCallId === part.toolCallId) return part;
  pass.note(pass.whereOf(part));
  return pass.replace(part, { ...part, toolCallId });
}

/** All ids of the calls and results in a conversation. */
export function idsIn({ prompt }: Pick<LanguageModelV4CallOptions, "prompt">): Set<string> {
  const ids = new Set<string>();
  for (const message of prompt) {
    if (message.role === "system") continue;
    for (const part of message.content) if ("toolCallId" in part) ids.add(part.toolCallId);
  }
  return ids;
}
