// How a conversation must look for the target: no empty pieces, and the last word not the assistant's.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { mapMessages, removeParts, type Pass } from "./pass.ts";

/** What a target that cannot be prefilled is asked instead. */
export const GO_ON = "Go on from exactly where your last message ends. Do not repeat it.";

/** A user's words are never judged: only what has no characters at all is taken out of their messages. */
export function removeEmptyText(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  if (pass.to.acceptsEmptyText) return options;
  const withoutParts = removeParts(options, pass, (part, { role }) => {
    if (part.type !== "text") return false;
    return role === "user" ? part.text === "" : part.text.trim() === "";
  });
  return mapMessages(withoutParts, (message) => {
    if (message.content.length > 0) return message;
    pass.note(pass.whereOf(message));
    return null;
  });
}

export function endWithUser(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const isPrefill = options.prompt.findLast(({ role }) => role !== "system")?.role === "assistant";
  if (!isPrefill || pass.to.capabilities.includes("prefill")) return options;
  pass.note("messages");
  return { ...options, prompt: [...options.prompt, { role: "user", content: [{ type: "text", text: GO_ON }] }] };
}
