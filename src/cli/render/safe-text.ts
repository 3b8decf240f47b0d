// Makes text from elsewhere harmless to print: a stored text must not move the cursor, colour the screen or hide another text.

import { stripVTControlCharacters } from "node:util";

/** Control characters but tab and line break, and those that reverse or hide text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const STAND_IN = "\ufffd";

/** Lines stay lines, and each character keeps its column. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSAFE, STAND_IN);
}

/** One line, with an end. */
export function oneLine(text: string, maxChars = 500): string {
  const line = stripVTControlCharacters(text).replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).trimEnd()}…`;
}

/** JSON that says the same without a character a terminal would obey. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value));
}

/** For JSON that is there as text already. */
export function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Lines of JSON that are written to files or other programs, where a person may open them later. */
export async function* escapedLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield escapeUnsafe(line);
}

const PLAIN_WORD = /^[\w./:@%+=,-]+$/;

/** A word as a shell takes it, for commands that people copy. */
export function shellWord(text: string): string {
  const word = oneLine(text, Infinity);
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
