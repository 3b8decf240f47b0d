// A cursor names the last item of a page. Clients send it back unread, so its content may change between versions.

import type { z } from "zod";
import { parseJson } from "../core/try-read.ts";
import { Refused } from "./problems.ts";

export function toCursor(place: Readonly<Record<string, string | number>>): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** The place in a cursor; undefined when none was sent. Refuses what `toCursor` did not make for this shape. */
export function fromCursor<Shape extends z.ZodType>(
  cursor: string | undefined,
  shape: Shape,
): z.output<Shape> | undefined {
  if (cursor === undefined) return undefined;
  const read = shape.safeParse(parseJson(Buffer.from(cursor, "base64url").toString("utf8")));
  if (read.success) return read.data;
  const detail = "use `next` of the page before, unchanged";
  throw new Refused("invalid", { errors: [{ pointer: "/query/cursor", detail }] });
}

/**
 * One page: ask the store for one item more than `limit`, so that the last page is known to be the last.
 */
export function pageFrom<Item, Shown>(
  found: readonly Item[],
  limit: number,
  show: (item: Item) => Shown,
  placeOf: (last: Item) => Readonly<Record<string, string | number>>,
): { items: Shown[]; next: string | null } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items: items.map(show), next: found.length > limit && last !== undefined ? toCursor(placeOf(last)) : null };
}
