// Makes untrusted text safe to print: it must not move the cursor, colour the screen or hide other text.

import { stripVTControlCharacters } from "node:util";
import { escapeUnsafe, safeJson, UNSAFE } from "../../core/json-text.ts";

export { escapeUnsafe, safeJson };

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
