// The end of a long text, cut so that the redactor still recognises a secret that lay across the cut.

import { CUT } from "./known-values.ts";

/** The rest of a word that the cut went through. No key is longer than 512 characters. */
const BROKEN_WORD = /^[^\s"',;:<>()[\]{}]{1,512}/;

/** The last characters, from a whole word on: half a key has no shape. `…` tells the redactor to look for the end of a known value. */
export function lastOf(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : afterCut(text.slice(-maxChars));
}

/** The rest of a text whose beginning was cut off. */
export function afterCut(rest: string): string {
  return `${CUT}${rest.replace(BROKEN_WORD, "")}`;
}
