// Writes to the tables, always inside the caller's transaction. Heads of sessions are remembered
// between transactions, for as long as no other connection has written.

import type { DatabaseSync } from "node:sqlite";
import type { SessionStatus } from "../../core/record/event.ts";
import { sealingSession } from "../keep-kinds.ts";
import { chainStart, nextLink, refuseOtherLink } from "../chain.ts";
import { checksumOf, sealOf } from "../sealed.ts";
import { type EncodedEntry, type EncodedKeep, statusAfter } from "../encode.ts";
import { createFaultIndex } from "./fault-index.ts";
import { createKeptTags, createRunSearch, searchKept } from "./kept-index.ts";
import type { Transaction } from "./group-commit.ts";
import { fenced } from "../journal-faults.ts";

export interface Writes extends Transaction {
  append(session: string, after: number, entries: readonly EncodedEntry[], keeps: readonly EncodedKeep[]): void;
  keep(keeps: readonly EncodedKeep[], now: number): void;
  keepFirst(keep: EncodedKeep & { readonly text: string }, now: number): boolean;
  /** Drops the remembered head of a session that was removed. */
  forget(session: string): void;
  /** The sessions appended to since this was last asked. */
  takeTouched(): ReadonlySet<string>;
}

/** The state of a session after its last entry. */
interface Head {
  /** Its row in the table; null for a session that is not there yet. */
  readonly number: number | bigint | null;
  readonly status: SessionStatus;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
  readonly lastHash: string;
}

const MAX_HEADS = 10_000;

const INSERT_KEPT =
  "INSERT INTO kept (kind, key, value, updated_at, hash, session, seq, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

export function createWrites(db: DatabaseSync, now: () => number): Writes {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const dataVersion = db.prepare("PRAGMA data_version");
  const readHead = db.prepare(
    `SELECT number, status, started_at AS startedAt, updated_at AS updatedAt, last_seq AS lastSeq, last_hash AS lastHash
     FROM sessions WHERE session = ?`,
  );
  const insertEvent = db.prepare(
    "INSERT INTO events (session, seq, at, type, body, hash, seal) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertSession = db.prepare(
    "INSERT INTO sessions (session, status, started_at, updated_at, last_seq, last_hash) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const updateSession = db.prepare("UPDATE sessions SET updated_at = ?, last_seq = ?, last_hash = ? WHERE number = ?");
  const updateStatus = db.prepare("UPDATE sessions SET status = ? WHERE number = ?");
  const upsertKept = db.prepare(
    `${INSERT_KEPT} ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
       hash = excluded.hash, session = excluded.session, seq = excluded.seq, at = excluded.at`,
  );
  const insertKept = db.prepare(`${INSERT_KEPT} ON CONFLICT DO NOTHING`);
  const deleteKept = db.prepare("DELETE FROM kept WHERE kind = ? AND key = ?");

  const faults = createFaultIndex(db);
  const search = createRunSearch(db);
  const tags = createKeptTags(db);
  const heads = new Map<string, Head>();
  let touched = new Set<string>();
  let knownVersion: unknown;

  function headOf(session: string): Head | undefined {
    return heads.get(session) ?? (readHead.get(session) as unknown as Head | undefined);
  }

  /** `sealedBy`: the session whose last entry carries the digests of these values; null when no entry came with them. */
  function writeKeeps(keeps: readonly EncodedKeep[], now: number, sealedBy: string | null): void {
    for (const keep of keeps) {
      const { kind, key, text } = keep;
      if (text === null) deleteKept.run(kind, key);
      else upsertKept.run(...rowOf({ ...keep, text }, now, sealedBy));
      listKept(keep);
    }
  }

  function listKept(keep: EncodedKeep): void {
    tags.note(keep.kind, keep.key, keep.place);
    searchKept(search, keep);
  }

  function rowOf(
    { kind, key, text, place, restored }: EncodedKeep & { readonly text: string },
    now: number,
    sealedBy: string | null,
  ): (string | number | null)[] {
    if (restored !== undefined) return [kind, key, text, now, restored.hash, restored.session, restored.seq, place.at];
    const session = sealingSession(kind, key, sealedBy);
    const head = session === null ? undefined : headOf(session);
    const hash = checksumOf(kind, key, text, head?.lastHash ?? null);
    return [kind, key, text, now, hash, head === undefined ? null : session, head?.lastSeq ?? 0, place.at];
  }

  function writeEntries(session: string, before: Head, entries: readonly EncodedEntry[], lastSeal: string): void {
    let { status, updatedAt, lastSeq, lastHash } = before;
    // The session's row comes first: entries refer to it.
    const number =
      before.number ??
      insertSession.run(session, status, before.startedAt, updatedAt, lastSeq, lastHash).lastInsertRowid;
    const sealedSeq = lastSeq + entries.length;
    for (const { at, type, body, mark, faultMark, restored } of entries) {
      lastSeq++;
      const seal = restored?.seal ?? (lastSeq === sealedSeq ? lastSeal : "");
      lastHash = nextLink(lastHash, lastSeq, at, type, body, seal);
      refuseOtherLink(session, lastSeq, lastHash, restored);
      const { lastInsertRowid: position } = insertEvent.run(session, lastSeq, at, type, body, lastHash, seal);
      if (faultMark !== null) faults.note(faultMark, { position, at, session: number, seq: lastSeq });
      status = statusAfter(status, mark);
      if (at > updatedAt) updatedAt = at;
    }
    updateSession.run(updatedAt, lastSeq, lastHash, number);
    if (status !== before.status) updateStatus.run(status, number);
    if (heads.size >= MAX_HEADS) heads.clear();
    heads.set(session, { number, status, startedAt: before.startedAt, updatedAt, lastSeq, lastHash });
    touched.add(session);
  }

  return {
    begin() {
      begin.run();
      const version = dataVersion.get()?.["data_version"];
      if (version !== knownVersion) heads.clear();
      knownVersion = version;
    },
    commit: () => void commit.run(),
    rollback() {
      heads.clear();
      touched = new Set();
      // Some errors make SQLite roll back by itself.
      if (db.isTransaction) db.exec("ROLLBACK");
    },
    append(session, after, entries, keeps) {
      const head = headOf(session);
      const lastSeq = head?.lastSeq ?? 0;
      if (lastSeq !== after) throw fenced(session, after, lastSeq);
      const [first] = entries;
      if (first !== undefined)
        writeEntries(session, head ?? newHead(session, first.at), entries, keeps.length === 0 ? "" : sealOf(keeps));
      if (keeps.length > 0) writeKeeps(keeps, now(), first === undefined ? null : session);
    },
    keep: (keeps, at) => writeKeeps(keeps, at, null),
    keepFirst(keep, at) {
      const isKept = insertKept.run(...rowOf(keep, at, null)).changes === 1;
      if (isKept) listKept(keep);
      return isKept;
    },
    forget: (session) => void heads.delete(session),
    takeTouched() {
      const taken = touched;
      touched = new Set();
      return taken;
    },
  };
}

function newHead(session: string, at: number): Head {
  return { number: null, status: "open", startedAt: at, updatedAt: at, lastSeq: 0, lastHash: chainStart(session) };
}
