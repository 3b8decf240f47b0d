// Turns writes that wait into the arguments of one `write` of the server. Pure: what is known of sessions goes in, what becomes of them comes out.

import { causeIn } from "../../core/record/fault-index.ts";
import type { SessionStatus } from "../../core/record/event.ts";
import { chainStart, nextLink, refuseOtherLink } from "../chain.ts";
import type { EncodedEntry, EncodedKeep } from "../encode.ts";
import type { KeepKind } from "../journal.ts";
import { fenced } from "../journal-faults.ts";
import { ownerOf, SEAL, TAGGED_KINDS } from "../keep-kinds.ts";
import { pairsOf, textOfFault } from "../search-text.ts";
import { checksumOf, sealOf } from "../sealed.ts";
import { statusAfter } from "../session-status.ts";
import { indexable, tagText } from "./stored-text.ts";

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

type Column<T> = T[];

/** The arguments of `write_2`, but for those of the connection. */
export interface WriteCall {
  readonly heads: HeadRow[];
  readonly entries: {
    readonly session: Column<number>;
    readonly seq: Column<number>;
    readonly at: Column<number>;
    readonly type: Column<string>;
    readonly body: Column<string>;
    readonly hash: Column<string>;
    readonly seal: Column<string>;
  };
  readonly keeps: {
    readonly kind: Column<string>;
    readonly key: Column<string>;
    readonly value: Column<string | null>;
    readonly hash: Column<string>;
    readonly session: Column<string | null>;
    readonly seq: Column<number>;
    readonly at: Column<number | null>;
    readonly old: Column<string | null>;
  };
  readonly tags: object[];
  hasTagged: boolean;
  readonly runs: object[];
  readonly marks: object[];
}

interface HeadRow {
  readonly session: string;
  readonly number: number;
  readonly seq: number;
  readonly hash: string;
  readonly status: string;
  readonly started_at: number;
  readonly updated_at: number;
  readonly new_seq: number;
  readonly new_hash: string;
}

/** What is known about sessions: a head, null for one that is not there. */
export type Known = ReadonlyMap<string, Head | null>;

/** `fresh`: sessions whose head was read for this very write, so that it can be refused. */
export function planWrites(writes: readonly Write[], known: Known, fresh: ReadonlySet<string>): WritePlan {
  const plan = new Plan(known, fresh);
  let taken = 0;
  for (const write of writes) {
    if (!plan.take(write, taken)) break;
    taken++;
  }
  return plan.done(taken);
}

/** The sessions whose heads a write depends on. */
export function sessionsOf({ append, keeps }: Write): readonly string[] {
  const owners = keeps.filter(({ kind }) => SEAL[kind] === "onto-chain").map(({ key }) => ownerOf(key));
  return append === null ? owners : [append.session, ...owners];
}

class Plan {
  readonly #known: Known;
  readonly #fresh: ReadonlySet<string>;
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
    heads: [],
    entries: { session: [], seq: [], at: [], type: [], body: [], hash: [], seal: [] },
    keeps: { kind: [], key: [], value: [], hash: [], session: [], seq: [], at: [], old: [] },
    tags: [],
    hasTagged: false,
    runs: [],
    marks: [],
  };
  readonly #placed = new Map<string, EncodedKeep>();

  constructor(known: Known, fresh: ReadonlySet<string>) {
    this.#known = known;
    this.#fresh = fresh;
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
    for (const session of this.#used) this.#call.heads.push(this.#headRow(session));
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
    if (!this.#known.has(session) && !isBegun) this.#unknown.add(session);
  }

  #headOf(session: string): Head | null {
    return this.#heads.get(session) ?? this.#known.get(session) ?? null;
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
      if (!this.#fresh.has(session)) this.#unknown.add(session);
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
    const columns = this.#call.entries;
    let { status, updatedAt, lastSeq, lastHash } = before;
    const sealedSeq = lastSeq + entries.length;
    for (const entry of entries) {
      const { at, type, body, mark, restored } = entry;
      lastSeq++;
      const seal = restored?.seal ?? (lastSeq === sealedSeq ? lastSeal : "");
      lastHash = nextLink(lastHash, lastSeq, at, type, body, seal);
      refuseOtherLink(session, lastSeq, lastHash, restored);
      columns.session.push(before.number);
      columns.seq.push(lastSeq);
      columns.at.push(at);
      columns.type.push(type);
      columns.body.push(body);
      columns.hash.push(lastHash);
      columns.seal.push(seal);
      this.#entries.push({ session, seq: lastSeq, at, body });
      this.#mark(entry, session, before.number);
      status = statusAfter(status, mark);
      if (at > updatedAt) updatedAt = at;
    }
    this.#heads.set(session, { ...before, status, updatedAt, lastSeq, lastHash });
  }

  #mark({ faultMark }: EncodedEntry, session: string, number: number): void {
    if (faultMark === null) return;
    const { call, worked, fault, echoOf } = faultMark;
    const about =
      fault === null ? {} : { ...fault, cause: causeIn(fault), pairs: pairsOf(textOfFault({ ...fault, session })) };
    // In the order of texts, names that begin with `a/` are those from `a/` up to `a0`.
    const echo = echoOf === null ? {} : { echo_from: echoOf, echo_to: `${echoOf.slice(0, -1)}0` };
    this.#call.marks.push({ entry: this.#entries.length, session: number, call, worked, ...about, ...echo });
  }

  #keep(keep: EncodedKeep, { append, onlyOver }: Write, place: number): void {
    const { kind, key, text } = keep;
    const columns = this.#call.keeps;
    const row = this.#rows.get(`${kind} ${key}`) ?? columns.key.length;
    const sealedBy = append === null || append.entries.length === 0 ? null : append.session;
    const session = sessionFor(kind, key, sealedBy);
    const head = session === null ? null : this.#headOf(session);
    columns.kind[row] = kind;
    columns.key[row] = key;
    columns.value[row] = text;
    const sealed = keep.restored ?? {
      hash: text === null ? "" : checksumOf(kind, key, text, head?.lastHash ?? null),
      session: head === null ? null : session,
      seq: head?.lastSeq ?? 0,
    };
    columns.hash[row] = sealed.hash;
    columns.session[row] = sealed.session;
    columns.seq[row] = sealed.seq;
    columns.at[row] = keep.place.at;
    columns.old[row] = onlyOver;
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

  /** The head that the server must find, and the one that it puts in its place. */
  #headRow(session: string): HeadRow {
    const before = this.#known.get(session) ?? null;
    const now = this.#heads.get(session) ?? before;
    return {
      session,
      number: now?.number ?? 0,
      seq: before?.lastSeq ?? 0,
      hash: before?.lastHash ?? "",
      status: now?.status ?? "open",
      started_at: now?.startedAt ?? 0,
      updated_at: now?.updatedAt ?? 0,
      new_seq: now?.lastSeq ?? 0,
      new_hash: now?.lastHash ?? "",
    };
  }
}

function sessionFor(kind: KeepKind, key: string, sealedBy: string | null): string | null {
  if (SEAL[kind] === "in-chain") return sealedBy;
  return SEAL[kind] === "onto-chain" ? ownerOf(key) : null;
}
