// Finds a field that a target may read otherwise than the gateway, which would then check one value while the target uses another one.
// R1  A field that is there twice: parsers differ in which of the two they take.
// R2  A field in another case, such as `MAX_TOKENS`: parsers of some targets ignore case, so they would heed it.
// Nesting so deep that programs which walk it by recursion fail is refused, too.

import { type JsonObject, objectOf } from "../../core/json-fields.ts";
import { FACT_PATHS } from "../../provider/wire/request-facts.ts";
import { stringEnd } from "./model-name.ts";

/** All fields that the gateway checks are at the top level, or in an object there, such as Google's `generationConfig`. */
const DEEPEST = 2;
const MAX_DEPTH = 500;
const TOO_DEEP = Symbol("too deep");

/**
 * The name of the first field that a JSON object in text form has twice; null if there is none; `TOO_DEEP` if it is nested too deep.
 * Parsers of some targets ignore the case of the fields they know, so at the top level case does not count.
 */
export function repeatedField(text: string): string | typeof TOO_DEEP | null {
  /** The names in each open object, by depth; null in a list. */
  const seen: (Set<string> | null)[] = [null];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        if (depth > MAX_DEPTH) return TOO_DEEP;
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

/** The names of checked fields in one object, and in the objects below it. */
interface CheckedFields {
  /** Each name by its form in lower case. */
  readonly usual: Map<string, string>;
  readonly within: Map<string, CheckedFields>;
}

const CHECKED = checkedFields(FACT_PATHS);

function checkedFields(paths: readonly (readonly string[])[]): CheckedFields {
  const names = new Set(paths.flatMap(([name]) => name ?? []));
  const below = (name: string): CheckedFields =>
    checkedFields(paths.filter(([first, second]) => first === name && second !== undefined).map(([, ...rest]) => rest));
  return {
    usual: new Map([...names].map((name) => [name.toLowerCase(), name])),
    within: new Map([...names].map((name) => [name, below(name)])),
  };
}

/** The first field that is written in another case, with the usual one. */
function oddCase(body: JsonObject, { usual, within }: CheckedFields): readonly [string, string] | null {
  for (const name in body) {
    const known = within.get(name);
    const meant = known === undefined ? usual.get(name.toLowerCase()) : undefined;
    if (meant !== undefined) return [name, meant];
    const inner = known === undefined || known.usual.size === 0 ? null : objectOf(body[name]);
    const found = inner === null || known === undefined ? null : oddCase(inner, known);
    if (found !== null) return found;
  }
  return null;
}

/** Says which field of a request is not clear; null when all are. `text`: the request as it was sent. */
export function unclearField(text: string, body: JsonObject): string | null {
  const repeated = repeatedField(text);
  if (repeated === TOO_DEEP) return `the body is nested more than ${MAX_DEPTH} levels deep`;
  if (repeated !== null) return `the body has the field ${JSON.stringify(repeated)} twice; send it once`;
  const odd = oddCase(body, CHECKED);
  return odd === null
    ? null
    : `the body has the field ${JSON.stringify(odd[0])}; write it as ${JSON.stringify(odd[1])}`;
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
