// Turns writes that wait into the arguments of one `write` of the server. Pure: what is known of sessions goes in, what becomes of them comes out.

import { causeIn } from "../../core/record/fault-index.ts";
import type { SessionStatus } from "../../core/record/event.ts";
import { chainStart, nextLink, refuseOtherLink, sha256 } from "../chain.ts";
import { checksumOf, sealOf } from "../sealed.ts";
import { type EncodedEntry, type EncodedKeep, statusAfter } from "../encode.ts";
import type { KeepKind } from "../journal.ts";
import { fenced } from "../journal-faults.ts";
import { ownerOf, SEAL, sealingSession, TAGGED_KINDS } from "../keep-kinds.ts";
import { pairsOf, textOfFault } from "../search-text.ts";
import type { Field, RowTypeName } from "./row-bytes.ts";

export interface Write {
  /** null for values that belong to no entry. */
  readonly append: {
    readonly session: string;
    readonly after: number;
    readonly entries: readonly EncodedEntry[];
  } | null;
  readonly keeps: readonly EncodedKeep[];
  /** The checksum that must be kept under the one key of `keeps` so far, empty for nothing; null when it does not matter. */
  readonly onlyOver: string | null;
}

/** Where a session stands. */
export interface Head {
  /** The position of its first entry. One that begins with this write has the number of that entry in the write, negative. */
  readonly number: number;
  readonly status: SessionStatus;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
  readonly lastHash: string;
}

export interface WrittenEntry {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

export interface WritePlan {
  /** How many of the writes it covers; the rest must wait for its outcome. */
  readonly taken: number;
  /** Why a write was left out, by its place. */
  readonly refused: ReadonlyMap<number, Error>;
  /** For each value with a condition: its number in the call, and the place of its write. */
  readonly conditions: ReadonlyMap<number, number>;
  /** Sessions of which more must be known first. */
  readonly unknown: readonly string[];
  readonly heads: ReadonlyMap<string, Head>;
  readonly entries: readonly WrittenEntry[];
  readonly kinds: ReadonlySet<KeepKind>;
  readonly call: WriteCall;
}

/** The arguments of `write_3`, except those of the connection. Rows are those of `row-bytes.ts`. */
export interface WriteCall {
  readonly rows: Readonly<Record<RowTypeName, Field[][]>>;
  /** Sessions that are not there, and must not be there. */
  readonly absent: string[];
  readonly tags: object[];
  hasTagged: boolean;
  readonly runs: object[];
  readonly marks: object[];
}

/** What is known about sessions: a head, null for one that is not there. */
export interface KnownHeads {
  /** What this process remembers, perhaps wrongly. */
  readonly remembered: ReadonlyMap<string, Head>;
  /** What was read for this very write, so that it can be refused. */
  readonly read: ReadonlyMap<string, Head | null>;
}

export function planWrites(writes: readonly Write[], known: KnownHeads): WritePlan {
  const plan = new Plan(known);
  let taken = 0;
  for (const write of writes) {
    if (!plan.take(write, taken)) break;
    taken++;
  }
  return plan.done(taken);
}

/** The sessions whose heads a write depends on. */
export function sessionsOf({ append, keeps }: Write): readonly string[] {
  if (append !== null && keeps.length === 0) return [append.session];
  const owners = keeps.filter(({ kind }) => SEAL[kind] === "onto-chain").map(({ key }) => ownerOf(key));
  return append === null ? owners : [append.session, ...owners];
}

class Plan {
  readonly #known: KnownHeads;
  readonly #heads = new Map<string, Head>();
  readonly #used = new Set<string>();
  readonly #refused = new Map<number, Error>();
  readonly #conditions = new Map<number, number>();
  readonly #unknown = new Set<string>();
  readonly #entries: WrittenEntry[] = [];
  readonly #kinds = new Set<KeepKind>();
  /** Which row of the call each key has; null for one that a later write must not touch in the same call. */
  readonly #rows = new Map<string, number | null>();
  readonly #call: WriteCall = {
    rows: { moved: [], begun: [], entry: [], keep: [] },
    absent: [],
    tags: [],
    hasTagged: false,
    runs: [],
    marks: [],
  };
  readonly #placed = new Map<string, EncodedKeep>();

  constructor(known: KnownHeads) {
    this.#known = known;
  }

  /** False when the write must wait for the outcome of those before it. */
  take(write: Write, place: number): boolean {
    if (write.keeps.some((keep) => this.#mustWait(keep, write.onlyOver))) return false;
    for (const session of sessionsOf(write)) this.#use(session, write.append?.after === 0);
    if (write.append !== null && !this.#append(write.append, write.keeps, place)) return true;
    for (const keep of write.keeps) this.#keep(keep, write, place);
    return true;
  }

  done(taken: number): WritePlan {
    for (const session of this.#used) this.#writeHead(session);
    for (const keep of this.#placed.values()) this.#place(keep);
    return {
      taken,
      refused: this.#refused,
      conditions: this.#conditions,
      unknown: Array.from(this.#unknown),
      heads: this.#heads,
      entries: this.#entries,
      kinds: this.#kinds,
      call: this.#call,
    };
  }

  #mustWait({ kind, key }: EncodedKeep, onlyOver: string | null): boolean {
    const row = this.#rows.get(`${kind} ${key}`);
    return row === null || (row !== undefined && onlyOver !== null);
  }

  /** A session that is begun is taken for new: if it is not, the server says so. */
  #use(session: string, isBegun: boolean): void {
    this.#used.add(session);
    if (this.#knownHead(session) === undefined && !isBegun) this.#unknown.add(session);
  }

  /** As it is before this write; undefined when it is not known. */
  #knownHead(session: string): Head | null | undefined {
    const { read, remembered } = this.#known;
    const head = read.get(session);
    return head === undefined ? remembered.get(session) : head;
  }

  #headOf(session: string): Head | null {
    return this.#heads.get(session) ?? this.#knownHead(session) ?? null;
  }

  #append(
    { session, after, entries }: NonNullable<Write["append"]>,
    keeps: readonly EncodedKeep[],
    place: number,
  ): boolean {
    const head = this.#headOf(session);
    const lastSeq = head?.lastSeq ?? 0;
    if (lastSeq !== after) {
      // What this process remembers may be old: the store decides.
      if (!this.#known.read.has(session)) this.#unknown.add(session);
      this.#refused.set(place, fenced(session, after, lastSeq));
      return false;
    }
    const [first] = entries;
    if (first !== undefined)
      this.#writeEntries(
        session,
        head ?? this.#newHead(session, first.at),
        entries,
        keeps.length === 0 ? "" : sealOf(keeps),
      );
    return true;
  }

  #newHead(session: string, at: number): Head {
    const number = -(this.#entries.length + 1);
    return { number, status: "open", startedAt: at, updatedAt: at, lastSeq: 0, lastHash: chainStart(session) };
  }

  #writeEntries(session: string, before: Head, entries: readonly EncodedEntry[], lastSeal: string): void {
    const rows = this.#call.rows.entry;
    let { status, updatedAt, lastSeq, lastHash } = before;
    const sealedSeq = lastSeq + entries.length;
    for (const entry of entries) {
      const { at, type, body, mark, restored } = entry;
      lastSeq++;
      const seal = restored?.seal ?? (lastSeq === sealedSeq ? lastSeal : "");
      lastHash = nextLink(lastHash, lastSeq, at, type, body, seal);
      refuseOtherLink(session, lastSeq, lastHash, restored);
      rows.push([before.number, lastSeq, at, type, body, lastHash, seal]);
      this.#entries.push({ session, seq: lastSeq, at, body });
      this.#mark(entry, session, before.number, lastSeq);
      status = statusAfter(status, mark);
      if (at > updatedAt) updatedAt = at;
    }
    this.#heads.set(session, { ...before, status, updatedAt, lastSeq, lastHash });
  }

  #mark({ at, faultMark }: EncodedEntry, session: string, number: number, seq: number): void {
    if (faultMark === null) return;
    const { call, worked, fault, echoOf } = faultMark;
    const about =
      fault === null ? {} : { ...fault, cause: causeIn(fault), pairs: pairsOf(textOfFault({ ...fault, session })) };
    // In the order of texts, names that begin with `a/` are those from `a/` up to `a0`.
    const echo = echoOf === null ? {} : { echo_from: echoOf, echo_to: `${echoOf.slice(0, -1)}0` };
    this.#call.marks.push({ entry: this.#entries.length, session: number, seq, at, call, worked, ...about, ...echo });
  }

  #keep(keep: EncodedKeep, { append, onlyOver }: Write, place: number): void {
    const { kind, key, text } = keep;
    const rows = this.#call.rows.keep;
    const row = this.#rows.get(`${kind} ${key}`) ?? rows.length;
    const sealedBy = append === null || append.entries.length === 0 ? null : append.session;
    const session = sealingSession(kind, key, sealedBy);
    const head = session === null ? null : this.#headOf(session);
    const sealed = keep.restored ?? {
      hash: text === null ? "" : checksumOf(kind, key, text, head?.lastHash ?? null),
      session: head === null ? null : session,
      seq: head?.lastSeq ?? 0,
    };
    rows[row] = [kind, key, text, sealed.hash, sealed.session, sealed.seq, keep.place.at, onlyOver];
    if (onlyOver !== null) this.#conditions.set(row + 1, place);
    this.#rows.set(`${kind} ${key}`, onlyOver === null ? row : null);
    this.#placed.set(`${kind} ${key}`, keep);
    this.#kinds.add(kind);
  }

  /** Where it is listed and how it is found: by what is kept under its key in the end. */
  #place({ kind, key, place, searched }: EncodedKeep): void {
    if (TAGGED_KINDS.has(kind)) {
      this.#call.hasTagged = true;
      for (const tag of place.tags) this.#call.tags.push({ kind, key, tag: tagText(tag), at: place.at });
    }
    if (kind !== "run") return;
    const text = searched === null ? null : indexable(searched);
    this.#call.runs.push({ run: key, text, pairs: text === null ? null : pairsOf(text) });
  }

  #writeHead(session: string): void {
    const { rows, absent } = this.#call;
    const before = this.#knownHead(session) ?? null;
    const now = this.#heads.get(session) ?? before;
    if (now === null) return void absent.push(session);
    const { number, lastSeq, lastHash, status, updatedAt, startedAt } = now;
    const head = [number, lastSeq, lastHash, status, updatedAt];
    if (before === null) rows.begun.push([...head, startedAt, session]);
    else rows.moved.push([...head, before.lastSeq, before.lastHash]);
  }
}

// Text as PostgreSQL can hold and index it: without the character NUL, and not longer than an index takes.

const MAX_TAG_CHARS = 400;
const DIGEST_CHARS = 32;

function indexable(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

/** A long tag is known by its beginning and its hash. */
export function tagText(tag: string): string {
  const text = indexable(tag);
  if (text.length <= MAX_TAG_CHARS) return text;
  return `${text.slice(0, MAX_TAG_CHARS).toWellFormed()}…${sha256(text).slice(0, DIGEST_CHARS)}`;
}
