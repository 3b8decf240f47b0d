// Readers for parsed JSON of unknown shape. Each returns the wanted kind of value or an empty one, and never throws.

import { type JsonObject, objectOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";

/** Accepts an object or its JSON text: the body of a request is text by the time it reaches `fetch`. */
export function objectFrom(value: unknown): JsonObject | null {
  return objectOf(typeof value === "string" ? parseJson(value) : value);
}

/** The length of a value as text; 0 for null and undefined. */
export function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value === undefined || value === null ? 0 : JSON.stringify(value).length;
}

/** Whether the value contains anything. Empty strings, empty lists, objects of only these, null and false do not count. */
export function isFilled(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) if (isFilledLeaf((value as JsonObject)[key])) return true;
  return false;
}

/** One level is enough to tell `{"arguments":""}` from a delta, and keeps the walk flat. */
function isFilledLeaf(value: unknown): boolean {
  return typeof value === "object" ? value !== null : value !== "" && value !== undefined && value !== false;
}
