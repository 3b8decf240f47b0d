// The checksums of kept values: how each is computed when a value is written, and checked when it is read. A value that was changed,
// moved to another key or put back from earlier is refused by name, before anything is done with it.

import { SEAL } from "./keep-kinds.ts";
import { boundDigest, chainStart, keptDigest, nextLink } from "./chain.ts";
import { decodeEvent, decodeKept, type EncodedKeep, type EventRow, positioned } from "./encode.ts";
import type { KeepKind, Positioned } from "./journal.ts";
import { drift } from "./journal-faults.ts";
import type { Entry } from "../core/record/event.ts";

/** A row of kept values, with the entry that it hangs on, if any. */
export interface KeptRow {
  readonly key: string;
  /** Text, unless it was tampered with. */
  readonly value: unknown;
  readonly hash: string;
  /** The session whose chain it hangs on; null when it stands alone. */
  readonly session: string | null;
  readonly seq: number;
  /** The seal of entry `seq` of that session; null if there is no such entry. */
  readonly seal: string | null;
  readonly link: string | null;
}

/** What an entry says about the sealed values it came with: JSON of `[kind, key, digest]` each, the digest empty for one taken away. */
export function sealOf(keeps: readonly EncodedKeep[]): string {
  const items = keeps.filter(({ kind }) => SEAL[kind] === "in-chain").map(sealItem);
  return items.length === 0 ? "" : `[${items.join(",")}]`;
}

function sealItem({ kind, key, text }: EncodedKeep): string {
  return itemText(kind, key, text === null ? "" : keptDigest(kind, key, text));
}

function itemText(kind: string, key: string, digest: string): string {
  return JSON.stringify([kind, key, digest]);
}

/** The checksum to be kept with a value; `link` is where its session's chain stands, null when it hangs on none. */
export function checksumOf(kind: KeepKind, key: string, text: string, link: string | null): string {
  const digest = keptDigest(kind, key, text);
  return link !== null && SEAL[kind] === "onto-chain" ? boundDigest(link, digest) : digest;
}

/** Why the row differs from what was written; null when it does not. */
export function wrongWithKept(kind: string, row: KeptRow): string | null {
  const digest = keptDigest(kind, row.key, String(row.value));
  if (row.session === null) return row.hash === digest && row.seq === 0 ? null : CHANGED;
  if (row.link === null || row.seal === null)
    return `entry ${row.seq} of session ${row.session}, which it came with, is missing`;
  const isBound = SEAL[kind as KeepKind] === "onto-chain";
  if (row.hash !== (isBound ? boundDigest(row.link, digest) : digest)) return CHANGED;
  if (isBound || row.seal.includes(itemText(kind, row.key, digest))) return null;
  return `entry ${row.seq} of session ${row.session} came with another value`;
}

const CHANGED = "its checksum is that of another value";

function refuseChanged(kind: string, row: KeptRow): void {
  const why = wrongWithKept(kind, row);
  if (why === null) return;
  throw drift(
    `The ${kind} kept under ${row.key} is not what was written: ${why}. Run a verification, and restore a copy of the journal.`,
    { context: { kind, key: row.key } },
  );
}

/** What is kept in a row, checked. */
export function keptValue(kind: string, row: KeptRow): unknown {
  refuseChanged(kind, row);
  return decodeKept(kind, row.key, row.value);
}

// Rows of entries, made entries again. Gaps, broken JSON and hashes that do not fit are refused with a named fault, so a reader gets
// exactly what was written.

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

interface PageAsked {
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
    // The entry before this page was checked against the chain with its own page, or by the snapshot that refers to it.
    if (seq > after) {
      if (nextLink(link, seq, at, type, body, seal) !== hash) throw changed(name, seq);
      entries.push({ session: name, seq, at, event: decodeEvent(name, seq, body) });
    }
    if (seq === head?.lastSeq && hash !== head.lastHash) throw changed(name, seq);
    link = hash;
  });
  const next = from + rows.length;
  if (head !== undefined && entries.length < limit && next <= head.lastSeq && after < head.lastSeq)
    throw gap(name, next);
  return entries;
}

/** The entries of a session after number `after`. */
export function entriesWithoutGap(name: string, after: number, rows: readonly EventRow[]): readonly Positioned[] {
  return rows.map((row, index) => {
    if (row.seq !== after + 1 + index) throw gap(name, after + 1 + index);
    return positioned(row);
  });
}

function gap(session: string, seq: number): Error {
  return drift(
    `Entry ${seq} of session ${session} is missing although later ones exist. Run a verification, and restore a copy of the journal.`,
    { context: { session, seq } },
  );
}

function changed(session: string, seq: number): Error {
  return drift(
    `Entry ${seq} of session ${session} is not what was written: its hash is that of another one. Run a verification, and restore a copy of the journal.`,
    { context: { session, seq } },
  );
}
