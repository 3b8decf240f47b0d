// Where in a value something is wrong, as text: `$.items[0].price`. Only names are shown: a key that could be data, such as
// a token or an address, is written `[…]`.

import { fieldOf } from "../core/try-read.ts";
import { SHAPE_REDACTOR } from "../core/index.ts";

/** A key or an index; anything else a validator may return counts as an unnamed key. */
export type PathStep = PropertyKey;

const MAX_STEPS = 32;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** `value` is what the path leads into: it tells an index from a key that is made of digits. */
export function pathText(steps: readonly PathStep[], value: unknown): string {
  let text = "$";
  let holder = value;
  for (const step of steps.slice(0, MAX_STEPS)) {
    text += stepText(step, holder);
    holder = into(holder, step);
  }
  return steps.length > MAX_STEPS ? `${text}…` : text;
}

function stepText(step: PathStep, holder: unknown): string {
  const name = String(step);
  if (typeof step === "number" || (Array.isArray(holder) && /^\d{1,16}$/.test(name))) return `[${name}]`;
  if (typeof step === "symbol" || !isName(name)) return "[…]";
  return PLAIN_NAME.test(name) ? `.${name}` : `["${name}"]`;
}

/** Short, one word or a few, and of no shape that secrets have. */
export function isName(key: string): boolean {
  return /^[\p{L}\p{N}_$][\p{L}\p{N}_$ .:/-]{0,63}$/u.test(key) && SHAPE_REDACTOR.text(key) === key;
}

/** The value's type. */
export function kindOf(steps: readonly PathStep[], value: unknown): string {
  const found = steps.reduce(into, value);
  if (found === undefined) return "nothing";
  if (found === null) return "null";
  return Array.isArray(found) ? "array" : typeof found;
}

/** The value one step further in; undefined where there is none. */
export function into(holder: unknown, step: PathStep): unknown {
  return fieldOf(holder, step as string);
}
