// Ids of tool calls in a form the target takes. Vendors make ids of their own length and characters, and refuse others'.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { mapMessages, mapParts, type Part, type Pass } from "./pass.ts";

/** What a vendor takes for an id; one that is not listed takes anything. */
const ID_FORMS: Readonly<Record<string, RegExp>> = {
  anthropic: /^[a-zA-Z0-9_-]+$/,
  openai: /^.{1,40}$/s,
  mistral: /^[a-zA-Z0-9]{9}$/,
};

/** A call and its result keep one id; ids are counted from the beginning, so that a longer history gets the same ones. */
export function fitToolCallIds(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const form = ID_FORMS[pass.to.vendor];
  if (form === undefined) return options;
  const known = new Set(options.prompt.flatMap(idsIn));
  const fitted = new Map<string, string>();
  let count = 0;
  for (const id of known) {
    if (form.test(id)) continue;
    let next: string;
    // Nine letters and digits: the shortest form there is.
    do next = `call${String(++count).padStart(5, "0")}`;
    while (known.has(next));
    fitted.set(id, next);
  }
  if (fitted.size === 0) return options;
  return mapMessages(options, (message) =>
    mapParts(message, pass, (part) => {
      const next = "toolCallId" in part ? fitted.get(part.toolCallId) : undefined;
      if (next === undefined) return part;
      pass.note(pass.whereOf(part));
      return pass.replace(part, { ...part, toolCallId: next } as Part);
    }),
  );
}

function idsIn(message: LanguageModelV4CallOptions["prompt"][number]): readonly string[] {
  if (message.role === "system") return [];
  const parts: readonly Part[] = message.content;
  return parts.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : []));
}
