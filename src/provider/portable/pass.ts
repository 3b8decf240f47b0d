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
  const prompt = given.prompt.map((message) =>
    message.role === "system"
      ? { ...message }
      : withParts(
          message,
          message.content.map((part) => ({ ...part })),
        ),
  );
  const tools = given.tools?.map((tool) => ({ ...tool }));
  const options = tools === undefined ? { ...given, prompt } : { ...given, prompt, tools };
  // Most requests need few changes or none, so places are named when the first one is asked for.
  let places: ReadonlyMap<object, string> | null = null;
  /** What was put in the place of another thing, with the thing that the request came with. */
  const origins = new Map<object, object>();
  return {
    options,
    whereOf: (thing) => (places ??= placesIn(options)).get(origins.get(thing) ?? thing) ?? "messages",
    replace: (before, next) => {
      if (next !== before) origins.set(next, origins.get(before) ?? before);
      return next;
    },
  };
}

function placesIn({ prompt, tools = [] }: LanguageModelV4CallOptions): ReadonlyMap<object, string> {
  const places = new Map<object, string>();
  for (const [at, message] of prompt.entries()) {
    const where = `messages[${at}]`;
    places.set(message, where);
    if (message.role === "system") continue;
    for (const [index, part] of message.content.entries()) places.set(part, `${where}.content[${index}]`);
  }
  for (const [at, tool] of tools.entries()) places.set(tool, `tools[${at}]`);
  return places;
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
  const prompt = mapped(options.prompt, change);
  return prompt === options.prompt ? options : { ...options, prompt };
}

/** Returning null removes a part. A message that loses its last part is removed, too. */
export function mapParts(message: Message, pass: Pass, change: (part: Part) => Part | null): Message | null {
  if (message.role === "system" || message.content.length === 0) return message;
  const before: readonly Part[] = message.content;
  const left = mapped(before, change);
  if (left === before) return message;
  return left.length === 0 ? null : pass.replace(message, withParts(message, left));
}

/** null removes an item. If nothing changes, the list itself is returned: a long conversation is walked by many rules, and few change it. */
function mapped<T>(list: readonly T[], change: (item: T, at: number) => T | null): T[] {
  let changed: T[] | null = null;
  for (const [at, item] of list.entries()) {
    const next = change(item, at);
    if (next === item && changed === null) continue;
    changed ??= list.slice(0, at);
    if (next !== null) changed.push(next);
  }
  return changed ?? (list as T[]);
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
