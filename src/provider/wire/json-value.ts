// Reads of parsed JSON whose shape nobody promised: each gives the wanted kind of value or an empty one, and none throws.

import { type JsonObject, objectOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";

/** An object, or the text of one: a request's body is a text by the time it reaches `fetch`. */
export function objectFrom(value: unknown): JsonObject | null {
  return objectOf(typeof value === "string" ? parseJson(value) : value);
}

/** How long it is as text; nothing has no length. */
export function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value === undefined || value === null ? 0 : JSON.stringify(value).length;
}

/** Does the value say anything? Empty texts, empty lists, objects of such, null and false do not. */
export function isFilled(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value !== "" && Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) if (isFilledLeaf((value as JsonObject)[key])) return true;
  return false;
}

/** One level is enough to tell `{"arguments":""}` from a delta, and keeps the walk flat. */
function isFilledLeaf(value: unknown): boolean {
  return typeof value === "object" ? value !== null : value !== "" && value !== undefined && value !== false;
}
