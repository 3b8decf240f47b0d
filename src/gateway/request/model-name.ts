// Puts another model into a request without touching any other byte.

import type { JsonObject } from "../../core/json-fields.ts";

const FIELD = `"model"`;
const BACKSLASH = 0x5c;

/** The request's text with `model` as the model of every such field at its top level. */
export function withModel(text: string, body: JsonObject, model: string): string {
  if (body["model"] === model) return text;
  const value = JSON.stringify(model);
  let out = "";
  let from = 0;
  for (const [start, end] of topLevelValues(text)) {
    out += text.slice(from, start) + value;
    from = end;
  }
  // The name of the field is written with escapes, or it is missing.
  return from === 0 ? JSON.stringify({ ...body, model }) : out + text.slice(from);
}

/** The places of the text values of `model` at depth 1. The text is valid JSON. */
function* topLevelValues(text: string): Generator<readonly [number, number]> {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    else if (character === `"`) {
      const end = stringEnd(text, at);
      const isField = depth === 1 && end - at === FIELD.length && text.startsWith(FIELD, at);
      at = end - 1;
      const value = isField ? valueAt(text, end) : -1;
      if (value === -1) continue;
      const valueEnd = stringEnd(text, value);
      yield [value, valueEnd];
      at = valueEnd - 1;
    }
  }
}

/** Where the text after a colon begins; -1 if there is no colon, or no text after it. */
function valueAt(text: string, from: number): number {
  const found = /\s*:\s*(?=")/y;
  found.lastIndex = from;
  return found.test(text) ? found.lastIndex : -1;
}

/** Behind the closing quote of the string that begins at `start`. */
export function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf(`"`, start + 1); at !== -1; at = text.indexOf(`"`, at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
