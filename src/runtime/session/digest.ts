// A short name for a value, the same for equal values, to check that a resumed program does what it did before. Nothing
// of the value can be read from it.

import { nodeCrypto } from "../../host/builtin.ts";
import { tryRead } from "../../core/try-read.ts";

export function digestOf(value: unknown): string {
  const text = tryRead(() => JSON.stringify(value, inOrder), undefined);
  return nodeCrypto()
    .hash("sha256", text ?? "undefined")
    .slice(0, 16);
}

/** Keys in one order, however they were written; a value that is not data, such as a function, counts by its type only. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
