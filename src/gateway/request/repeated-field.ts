// Finds a field that a target may read otherwise than the gateway, which would then check one value while the target uses another one.
// R1  A field that is there twice: parsers differ in which of the two they take.
// R2  A field in another case, such as `MAX_TOKENS`: parsers of some targets ignore case, so they would heed it.
// R3  A bound that is no number, such as `"n":"20"`: lenient servers read it as one.
// Nesting so deep that programs which walk it by recursion fail is refused, too.

import { isMap, type JsonObject, objectOf } from "../../core/json-fields.ts";
import { FACT_KINDS, FACT_PATHS, type FieldKind } from "../../provider/wire/request-facts.ts";
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
          if (seen[depth]?.add(depth === 1 ? folded(name) : name).size === size) return name;
          isName = false;
        }
        at = end - 1;
      }
    }
  }
  return null;
}

/** A checked field, and those below it. */
interface CheckedField {
  /** What its value has to be; null: anything. */
  readonly kind: FieldKind | null;
  /** The fields below it, each by its name in lower case. */
  readonly usual: ReadonlyMap<string, string>;
  readonly within: ReadonlyMap<string, CheckedField>;
}

type KindPath = readonly [path: readonly string[], kind: FieldKind | null];

/** Folding changes no name of only these characters, and most names have no others. To look costs a fraction of changing the case twice. */
const IS_FOLDED = /^[a-z0-9_]*$/;

const CHECKED = checkedField([...FACT_PATHS.map((path): KindPath => [path, null]), ...FACT_KINDS]);

function checkedField(paths: readonly KindPath[]): CheckedField {
  const names = [...new Set(paths.flatMap(([[name]]) => name ?? []))];
  const below = (name: string): CheckedField =>
    checkedField(paths.filter(([[first]]) => first === name).map(([[, ...rest], kind]) => [rest, kind]));
  return {
    kind: paths.find(([path, kind]) => path.length === 0 && kind !== null)?.[1] ?? null,
    usual: new Map(names.map((name) => [folded(name), name])),
    within: new Map(names.map((name) => [name, below(name)])),
  };
}

/** Says which field is written in another case, or has a value of another kind; null when none is. */
function oddField(body: JsonObject, { usual, within }: CheckedField): string | null {
  for (const name in body) {
    const known = within.get(name);
    if (known === undefined) {
      const meant = usual.get(folded(name));
      if (meant === undefined) continue;
      return `the body has the field ${JSON.stringify(name)}; write it as ${JSON.stringify(meant)}`;
    }
    const value = body[name];
    if (known.kind !== null && !isOfKind(value, known.kind))
      return `the field ${JSON.stringify(name)} must be ${known.kind}`;
    const inner = known.usual.size === 0 ? null : objectOf(value);
    const found = inner === null ? null : oddField(inner, known);
    if (found !== null) return found;
  }
  return null;
}

/** null counts as absent, as it does for vendors. */
function isOfKind(value: unknown, kind: FieldKind): boolean {
  if (value === null) return true;
  switch (kind) {
    case "a number":
      return typeof value === "number";
    case "true or false":
      return typeof value === "boolean";
    case "a text":
      return typeof value === "string";
    case "an object":
      return isMap(value);
  }
}

/** Parsers that ignore case also take `ſ` for s and the sign of Kelvin for k. */
function folded(name: string): string {
  return IS_FOLDED.test(name) ? name : name.toUpperCase().toLowerCase();
}

/** Says which field of a request is not clear; null when all are. `text`: the request as it was sent. */
export function unclearField(text: string, body: JsonObject): string | null {
  const repeated = repeatedField(text);
  if (repeated === TOO_DEEP) return `the body is nested more than ${MAX_DEPTH} levels deep`;
  if (repeated !== null)
    return `the body has the field ${JSON.stringify(repeated)} twice, perhaps in another case; send it once`;
  return oddField(body, CHECKED);
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
