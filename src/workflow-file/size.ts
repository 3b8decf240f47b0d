// Maps and lists longer than any workflow has. They are refused before the YAML is read as a document: one mistake is told then, at
// the place it stands, and not one for each entry.

import { type CST, Parser } from "yaml";

/** More than there may be nodes. */
export const MAX_ENTRIES = 1000;

/** A longer file is refused for its length alone. */
const MAX_CHARS = 200_000;

/** Where the first map or list with too many entries begins; null when there is none. */
export function tooLongAt(source: string): number | null {
  if (source.length > MAX_CHARS) return null;
  // Every entry has one of these, so most files need not be looked at twice.
  if ((source.match(/[:,\n]/g)?.length ?? 0) <= MAX_ENTRIES) return null;
  const open: CST.Token[] = [...new Parser().parse(source)];
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (token.type === "document" && token.value !== undefined) open.push(token.value);
    if (!("items" in token)) continue;
    if (token.items.length > MAX_ENTRIES) return token.offset;
    for (const { key, value } of token.items)
      open.push(...[key, value].filter((one) => one !== null && one !== undefined));
  }
  return null;
}
