// Reads a gateway's ledger, the newest calls first.

import type { Journal, Timed } from "../../journal/journal.ts";
import type { LedgerLine, LedgerPage } from "./ledger-line.ts";

/** The place of a line: its page, and how many lines of that page, from its end, come before it. */
export interface LinePlace {
  readonly at: number;
  readonly key: string;
  readonly index: number;
}

export interface PlacedLine {
  readonly line: LedgerLine;
  readonly place: LinePlace;
}

export interface LedgerQuery {
  readonly limit: number;
  /** Only calls older than this one. */
  readonly after?: LinePlace;
  /** Only these calls. */
  readonly where?: (line: LedgerLine) => boolean;
}

const PAGES_AT_ONCE = 20;
/** The search for an old call stops after this many others. */
const MOST_LINES = 200_000;

export async function readLedger(journal: Journal, query: LedgerQuery): Promise<readonly PlacedLine[]> {
  const { limit, after, where } = query;
  const found: PlacedLine[] = [];
  let read = 0;
  const take = (page: Pick<Timed, "at" | "key" | "value">, from: number): void => {
    const lines = (page.value as LedgerPage).lines.toReversed();
    for (let index = from; index < lines.length && found.length < limit; index++) {
      const line = lines[index];
      read += 1;
      if (line !== undefined && where?.(line) !== false)
        found.push({ line, place: { at: page.at, key: page.key, index } });
    }
  };
  if (after !== undefined) {
    const value = await journal.kept("ledger", after.key);
    if (value !== null) take({ ...after, value }, after.index + 1);
  }
  let last: Pick<Timed, "at" | "key"> | undefined = after;
  while (found.length < limit && read < MOST_LINES) {
    const pages = await journal.keptByTime("ledger", {
      order: "newest",
      limit: PAGES_AT_ONCE,
      ...(last === undefined ? {} : { after: { at: last.at, key: last.key } }),
    });
    for (const page of pages) take(page, 0);
    last = pages.at(-1);
    if (pages.length < PAGES_AT_ONCE) break;
  }
  return found;
}

/** The newest calls first. */
export async function ledgerOf(journal: Journal, limit: number): Promise<readonly LedgerLine[]> {
  return (await readLedger(journal, { limit })).map(({ line }) => line);
}
