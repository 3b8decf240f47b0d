// One pass of the rules over one request. Places refer to the original request, whatever earlier rules removed, so that a reader of the
// journal can find them.

import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { PortableFacts } from "./target-facts.ts";

export type Message = LanguageModelV4Message;
export type MessageWithParts = Exclude<Message, { role: "system" }>;
export type Part = MessageWithParts["content"][number];
export type ToolMessage = Extract<Message, { role: "tool" }>;
export type ToolResult = Extract<Part, { type: "tool-result" }>;
export type ToolCall = Extract<Part, { type: "tool-call" }>;

export interface Pass {
  readonly to: PortableFacts;
  /** The target the request was written for, if the caller knows it. */
  readonly from: PortableFacts | null;
  readonly note: (where: string) => void;
  readonly whereOf: (thing: object) => string;
  /** The tool names that are sent, mapped to the caller's own names. */
  readonly toolNames: Map<string, string>;
  /** The number of failures of one call in a row after which the model gets a note. */
  readonly tellAfter: number;
  /** Puts `next` in the place of `before`. */
  readonly replace: <T extends object>(before: object, next: T) => T;
}

export interface Places {
  /** A copy of the request in which no object is shared, so that each object has exactly one place. */
  readonly options: LanguageModelV4CallOptions;
  readonly whereOf: Pass["whereOf"];
  readonly replace: Pass["replace"];
}

export function placesOf(given: LanguageModelV4CallOptions): Places {
  const places = new Map<object, string>();
  const put = <T extends object>(thing: T, where: string): T => {
    places.set(thing, where);
    return thing;
  };
  const whereOf = (thing: object): string => places.get(thing) ?? "messages";
  const prompt = given.prompt.map((message, at) => {
    const where = `messages[${at}]`;
    if (message.role === "system") return put({ ...message }, where);
    const parts = message.content.map((part, index) => put({ ...part }, `${where}.content[${index}]`));
    return put(withParts(message, parts), where);
  });
  const tools = given.tools?.map((tool, at) => put({ ...tool }, `tools[${at}]`));
  const options = tools === undefined ? { ...given, prompt } : { ...given, prompt, tools };
  return { options, whereOf, replace: (before, next) => put(next, whereOf(before)) };
}

/** The parts always come from a message of the same role, which the compiler cannot infer through the union. */
export function withParts(message: MessageWithParts, parts: readonly Part[]): MessageWithParts {
  return { ...message, content: parts } as MessageWithParts;
}

/** Returning null removes a message. If nothing changes, the request is returned as the same object. */
export function mapMessages(
  options: LanguageModelV4CallOptions,
  change: (message: Message, at: number) => Message | null,
): LanguageModelV4CallOptions {
  const prompt = options.prompt.map(change);
  const isSame = prompt.every((message, at) => message === options.prompt[at]);
  return isSame ? options : { ...options, prompt: prompt.filter((message) => message !== null) };
}

/** Returning null removes a part. A message that loses its last part is removed, too. */
export function mapParts(message: Message, pass: Pass, change: (part: Part) => Part | null): Message | null {
  if (message.role === "system" || message.content.length === 0) return message;
  const before: readonly Part[] = message.content;
  const after = before.map(change);
  if (after.every((part, at) => part === before[at])) return message;
  const left = after.filter((part) => part !== null);
  return left.length === 0 ? null : pass.replace(message, withParts(message, left));
}

/** Removes parts everywhere and notes each removal. */
export function removeParts(
  options: LanguageModelV4CallOptions,
  pass: Pass,
  isGone: (part: Part, message: MessageWithParts) => boolean,
): LanguageModelV4CallOptions {
  return mapMessages(options, (message) =>
    message.role === "system"
      ? message
      : mapParts(message, pass, (part) => {
          if (!isGone(part, message)) return part;
          pass.note(pass.whereOf(part));
          return null;
        }),
  );
}
