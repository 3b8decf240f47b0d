// Finds a field that a request has twice. Parsers differ in which of the two they take, so the gateway would check one value and the target would
// use the other one.

import { stringEnd } from "./model-name.ts";

/** All fields that the gateway checks are at the top level, or in an object there, such as Google's `generationConfig`. */
const DEEPEST = 2;

/** The name of the first field that the text has twice; null when there is none. The text is a JSON object. Parsers of some targets ignore the case of the fields they know, so at the top level it does not count. */
export function repeatedField(text: string): string | null {
  /** The names in each open object, by depth; null in a list. */
  const seen: (Set<string> | null)[] = [null];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        isName = depth <= DEEPEST && text.charCodeAt(at) === OPEN_OBJECT;
        if (depth <= DEEPEST) seen[depth] = isName ? new Set() : null;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        isName = false;
        break;
      case COMMA:
        isName = depth <= DEEPEST && seen[depth] !== null;
        break;
      case QUOTE: {
        const end = stringEnd(text, at);
        if (isName) {
          const name = nameIn(text.slice(at, end));
          const size = seen[depth]?.size;
          if (seen[depth]?.add(depth === 1 ? name.toLowerCase() : name).size === size) return name;
          isName = false;
        }
        at = end - 1;
      }
    }
  }
  return null;
}

export function repeatedWords(name: string): string {
  return `the body has the field ${JSON.stringify(name)} twice; send it once`;
}

function nameIn(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
