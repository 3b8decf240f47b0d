// Rows of entries, made entries again. Gaps, broken JSON and hashes that do not fit are refused with a named fault, so a reader gets
// exactly what was written.

import type { Entry } from "../core/record/event.ts";
import { chainStart, nextLink } from "./chain.ts";
import { decodeEvent } from "./encode.ts";
import type { Positioned } from "./journal.ts";
import { drift } from "./journal-faults.ts";

export interface EventRow {
  readonly position: number;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

export interface ChainedRow extends Omit<EventRow, "position" | "session"> {
  readonly type: string;
  readonly hash: string;
  readonly seal: string;
}

/** Where a session's chain ends. */
export interface ChainHead {
  readonly lastSeq: number;
  readonly lastHash: string;
}

export interface PageAsked {
  readonly after: number;
  readonly limit: number;
}

/** The rows that `checkedEntries` needs for a page: also the entry before the first, whose hash the next one hangs on. */
export function chainedPage(after: number, limit: number): { readonly from: number; readonly count: number } {
  return after === 0 ? { from: 1, count: limit } : { from: after, count: limit + 1 };
}

/** Holds a page against the chain. `head` was read before the rows or with them: a write between the two can only add to it. */
export function checkedEntries(
  name: string,
  { after, limit }: PageAsked,
  head: ChainHead | undefined,
  rows: readonly ChainedRow[],
): readonly Entry[] {
  const { from } = chainedPage(after, limit);
  let link = chainStart(name);
  const entries: Entry[] = [];
  rows.forEach((row, index) => {
    const { seq, at, type, body, hash, seal } = row;
    if (seq !== from + index) throw gap(name, from + index);
    // The entry before the first of this page was held against the chain with its own page, or by the snapshot that hangs on it.
    if (seq > after) {
      if (nextLink(link, seq, at, type, body, seal) !== hash) throw changed(name, seq);
      entries.push({ session: name, seq, at, event: decodeEvent(name, seq, body) });
    }
    if (seq === head?.lastSeq && hash !== head.lastHash) throw changed(name, seq);
    link = hash;
  });
  const last = rows.at(-1)?.seq ?? 0;
  if (head !== undefined && entries.length < limit && last < head.lastSeq && after < head.lastSeq)
    throw gap(name, last + 1);
  return entries;
}

/** The entries of a session behind `after`. */
export function entriesWithoutGap(name: string, after: number, rows: readonly EventRow[]): readonly Positioned[] {
  return rows.map((row, index) => {
    if (row.seq !== after + 1 + index) throw gap(name, after + 1 + index);
    return positioned(row);
  });
}

export function positioned({ position, session, seq, at, body }: EventRow): Positioned {
  return { position, entry: { session, seq, at, event: decodeEvent(session, seq, body) } };
}

function gap(session: string, seq: number): Error {
  return drift(
    `Entry ${seq} of session ${session} is missing although later ones are there. Run a verification, and restore a copy of the journal.`,
    { context: { session, seq } },
  );
}

function changed(session: string, seq: number): Error {
  return drift(
    `Entry ${seq} of session ${session} is not what was written: its hash is that of another one. Run a verification, and restore a copy of the journal.`,
    { context: { session, seq } },
  );
}
