// A short look at a value, for events and pages: cut in depth, width and length. The value itself is kept apart.

import { tolerate } from "../../core/tolerate.ts";

const MAX_TEXT = 400;
const MAX_ITEMS = 12;
const MAX_DEPTH = 4;

/** Whether a value can be kept: BigInts and rings cannot. */
export function hasJsonForm(value: unknown): boolean {
  return tolerate(() => {
    JSON.stringify(value);
    return true;
  }, false);
}

export function preview(value: unknown, depth = 0): unknown {
  if (typeof value === "string")
    return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}… (${value.length} characters)` : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined)
    return value ?? null;
  if (typeof value !== "object") return `[${typeof value}]`;
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? `[${value.length} items]` : "{…}";
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_ITEMS).map((item: unknown) => preview(item, depth + 1));
    return value.length > MAX_ITEMS ? [...shown, `… ${value.length - MAX_ITEMS} more`] : shown;
  }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, MAX_ITEMS)
    .map(([key, item]) => [key.slice(0, MAX_TEXT), preview(item, depth + 1)] as const);
  return Object.fromEntries(
    entries.length > MAX_ITEMS ? [...shown, ["…", `${entries.length - MAX_ITEMS} more`]] : shown,
  );
}
