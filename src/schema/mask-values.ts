// Masks the value in a validator's message: many validators quote what they were given
// (`"hunter2" is not a date`), and that may be a secret.

import { SHAPE_REDACTOR } from "../core/index.ts";
import { tryRead } from "../core/try-read.ts";
import { into, isName, type PathStep } from "./path.ts";

/** Takes the value's parts out of messages. Made once per failed check. */
export type Masker = (message: string, steps: readonly PathStep[]) => string;

/** What stands where something was taken out. */
const GAP = "…";
const MAX_MESSAGE_CHARS = 300;
/** A longer message is a dump, not a message. */
const MAX_SEARCHED_CHARS = 5_000;
/** A value with more parts than this is not searched for, and its validator's words are not used. */
const MAX_PARTS = 10_000;
/** A text this long is recognised by its beginning: validators shorten what they quote. */
const BEGINNING_CHARS = 12;

/** Shorter parts are words that messages use anyway: `a`, `is`. */
const MIN_CHARS_WHERE_WRONG = 3;
/** A part from elsewhere in the value is rarely quoted; words such as `string` or `number` must stay readable. */
const MIN_CHARS_ELSEWHERE = 8;

export function maskerFor(value: unknown): Masker {
  const everywhere = partsOf(value, MIN_CHARS_ELSEWHERE);
  return (message, steps) => {
    const wrong = steps.reduce(into, value);
    const here = partsOf(wrong, MIN_CHARS_WHERE_WRONG);
    if (everywhere === null || here === null || message.length > MAX_SEARCHED_CHARS) return "is not valid";
    const own = typeof wrong === "number" || typeof wrong === "bigint" ? [String(wrong)] : [];
    const masked = [...new Set([...here, ...own, ...everywhere])]
      .toSorted((a, b) => b.length - a.length)
      .reduce(take, message);
    return clip(SHAPE_REDACTOR.text(masked.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim()));
  };
}

function clip(text: string): string {
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}${GAP}` : text;
}

/** The message without one part: wherever it stands as a word, or, for a long one, wherever it begins. */
function take(message: string, part: string): string {
  const beginning = part.slice(0, BEGINNING_CHARS);
  let masked = "";
  let from = 0;
  for (let at = message.indexOf(beginning); at !== -1; at = message.indexOf(beginning, Math.max(from, at + 1))) {
    let end = at + beginning.length;
    while (end < message.length && end - at < part.length && message[end] === part[end - at]) end++;
    if (part.length < BEGINNING_CHARS && (isWord(message[at - 1]) || isWord(message[end]))) continue;
    masked += `${message.slice(from, at)}${GAP}`;
    from = end;
  }
  return masked + message.slice(from);
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}_]/u.test(char);
}

/** Every text and number inside a value, and every key that is not a name; null when there are too many or one cannot be read. */
function partsOf(value: unknown, leastChars: number): readonly string[] | null {
  return tryRead(() => {
    const parts = new Set<string>();
    const seen = new Set<object>();
    const open: unknown[] = [value];
    while (open.length > 0) {
      const part = open.pop();
      if (typeof part === "object" && part !== null) {
        if (seen.has(part)) continue;
        seen.add(part);
        open.push(...insideOf(part));
      } else if (isTelling(part)) {
        for (const text of [String(part), JSON.stringify(String(part)).slice(1, -1)])
          if (text.length >= leastChars) parts.add(text);
      }
      if (seen.size + parts.size + open.length > MAX_PARTS) return null;
    }
    return [...parts];
  }, null);
}

function isTelling(part: unknown): part is string | number | bigint {
  return typeof part === "string" || typeof part === "number" || typeof part === "bigint";
}

function insideOf(holder: object): readonly unknown[] {
  if (ArrayBuffer.isView(holder)) return [];
  if (holder instanceof Map || holder instanceof Set) return [...(holder as Iterable<unknown>)];
  if (Array.isArray(holder)) return holder.slice(0, MAX_PARTS + 1);
  return Object.entries(holder).flatMap(([key, inner]: [string, unknown]) => (isName(key) ? [inner] : [key, inner]));
}
