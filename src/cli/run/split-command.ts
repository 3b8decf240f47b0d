// A command in one text, as words: split at spaces, quotes keep words together. Nothing is expanded: no variables, no patterns.

import { UsageError } from "../io.ts";

/** In one go: a quoted part, an escaped character, plain characters, or the space between two words. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(\s+)/y;

export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) {
      throw new UsageError(`--fallback: a quote or a \\ at character ${at + 1} has no end: ${JSON.stringify(text)}.`);
    }
    at = PART.lastIndex;
    const [, single, double, escaped, plain, space] = part;
    if (space === undefined) {
      // Within double quotes only a quote and a backslash need one.
      word = (word ?? "") + (single ?? double?.replace(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "");
    } else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  return words;
}
