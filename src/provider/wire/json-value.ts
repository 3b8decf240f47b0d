// Reads of parsed JSON whose shape nobody promised: each gives the wanted kind of value or an empty one, and none throws.

import { parseJson } from "../../core/try-read.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** An object, or the text of one: a request's body is a text by the time it reaches `fetch`. */
export function objectFrom(value: unknown): JsonObject | null {
  return objectOf(typeof value === "string" ? parseJson(value) : value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A count as providers give it; anything else is nothing. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
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
