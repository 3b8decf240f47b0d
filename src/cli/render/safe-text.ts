// Makes untrusted text safe to print: it must not move the cursor, colour the screen or hide other text.

import { stripVTControlCharacters } from "node:util";

/** Control characters except tab and line break, and characters that reverse or hide text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const REPLACEMENT = "\ufffd";

/** Keeps line breaks and columns. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSAFE, REPLACEMENT);
}

/** One line of limited length. */
export function oneLine(text: string, maxChars = 500): string {
  const line = stripVTControlCharacters(text).replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).trimEnd()}…`;
}

/** JSON in which control characters are escaped, so that a terminal does not obey them. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value));
}

/** Escapes JSON that is already text. */
export function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** For JSON lines written to files or other programs: a person may later open them in a terminal. */
export async function* escapedLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield escapeUnsafe(line);
}

const PLAIN_WORD = /^[\w./:@%+=,-]+$/;

/** A word quoted for a shell, for commands that people copy. */
export function shellWord(text: string): string {
  const word = oneLine(text, Infinity);
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
