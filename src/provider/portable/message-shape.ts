// The shape of a conversation that the target accepts: no empty parts, and no assistant message at the end.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { mapMessages, removeParts, type Pass } from "./pass.ts";

/** The user message for a target that does not support prefill. */
export const CONTINUE_PROMPT = "Continue exactly where your last message ends. Do not repeat it.";

/** A user's text is not judged: only a part without any characters is removed from a user message. */
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
  return {
    ...options,
    prompt: [...options.prompt, { role: "user", content: [{ type: "text", text: CONTINUE_PROMPT }] }],
  };
}
