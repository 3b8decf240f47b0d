// Reads from the tables. Gaps and broken JSON are refused with a named fault, so a reader gets exactly what was written.

import type { DatabaseSync } from "node:sqlite";
import type { Entry } from "../../core/record/event.ts";
import { isUnderSql } from "../keep-kinds.ts";
import { decodeEvent, decodeKept } from "../encode.ts";
import type { FeedSource } from "../feed.ts";
import { chainStart, nextLink } from "../chain.ts";
import type { Kept, SessionsQuery, SessionSummary, Timed, TimedKind, TimeQuery } from "../journal.ts";
import { drift } from "../journal-faults.ts";
import { KEPT_ROW, type KeptRow, refuseChanged } from "../sealed.ts";

export interface Reads extends FeedSource {
  kept(kind: string, key: string): unknown;
  keptAll(kind: string): readonly Kept[];
  keptUnder(kind: string, owner: string): readonly Kept[];
  keptByTime(kind: TimedKind, query: TimeQuery): readonly Timed[];
  /** As `entriesOf`, with each entry checked against the chain: for resuming a session. */
  checkedEntriesOf(session: string, after: number, limit: number): readonly Entry[];
  session(session: string): SessionSummary | null;
  sessions(query: SessionsQuery): readonly SessionSummary[];
  /** Another connection has committed since this was last asked. */
  hasChanged(): boolean;
}

interface EventRow {
  readonly id: number;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

interface ChainedRow extends Omit<EventRow, "id" | "session"> {
  readonly type: string;
  readonly hash: string;
  readonly seal: string;
}

const SUMMARY = "session, status, started_at AS startedAt, updated_at AS updatedAt, last_seq AS lastSeq";

export function createReads(db: DatabaseSync): Reads {
  const lastId = db.prepare("SELECT max(id) AS id FROM events");
  const ofSession = db.prepare("SELECT seq, at, body FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?");
  const behind = db.prepare("SELECT id, session, seq, at, body FROM events WHERE id > ? ORDER BY id LIMIT ?");
  const chained = db.prepare(
    "SELECT seq, at, type, body, hash, seal FROM events WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?",
  );
  const headOf = db.prepare("SELECT last_seq AS lastSeq, last_hash AS lastHash FROM sessions WHERE session = ?");
  const kept = db.prepare(`SELECT ${KEPT_ROW} WHERE k.kind = ? AND k.key = ?`);
  const keptAll = db.prepare(`SELECT ${KEPT_ROW} WHERE k.kind = ? ORDER BY k.key`);
  const keptUnder = db.prepare(`SELECT ${KEPT_ROW} WHERE k.kind = ?1 AND ${isUnderSql("?2", "k.key")} ORDER BY k.key`);
  const timed = timedStatements(db);
  const session = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE session = ?`);
  // Of sessions that began in the same millisecond the last row comes first; a session pruned meanwhile counts as the last of them.
  const behindOne = "(started_at, number) < (?1, coalesce((SELECT number FROM sessions WHERE session = ?2), 9e18))";
  const newestFirst = "ORDER BY started_at DESC, number DESC LIMIT ?3";
  const sessions = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE ${behindOne} ${newestFirst}`);
  const sessionsOf = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE status = ?4 AND ${behindOne} ${newestFirst}`);
  const dataVersion = db.prepare("PRAGMA data_version");
  let knownVersion = dataVersion.get()?.["data_version"];

  function keptRows(kind: string, rows: readonly object[]): readonly Kept[] {
    return (rows as readonly KeptRow[]).map((row) => ({ key: row.key, value: valueOf(kind, row) }));
  }

  function checkedEntriesOf(name: string, after: number, limit: number): readonly Entry[] {
    // Looked up first: a write between the two can only add to it.
    const head = headOf.get(name) as unknown as { readonly lastSeq: number; readonly lastHash: string } | undefined;
    const from = after === 0 ? 1 : after;
    const rows = chained.all(name, from, after === 0 ? limit : limit + 1) as unknown as readonly ChainedRow[];
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

  function summary(name: string): SessionSummary | null {
    return plain(session.get(name));
  }

  return {
    lastId: () => Number(lastId.get()?.["id"] ?? 0),
    lastSeq: (name) => summary(name)?.lastSeq ?? 0,
    entriesOf(name, after, limit) {
      const rows = ofSession.all(name, after, limit) as unknown as readonly EventRow[];
      return rows.map(({ seq, at, body }, index) => {
        if (seq !== after + 1 + index) throw gap(name, after + 1 + index);
        return { session: name, seq, at, event: decodeEvent(name, seq, body) };
      });
    },
    entriesBehind: (id, limit) =>
      (behind.all(id, limit) as unknown as readonly EventRow[]).map((row) => ({ id: row.id, entry: entryOf(row) })),
    checkedEntriesOf,
    kept(kind, key) {
      const row = kept.get(kind, key) as unknown as KeptRow | undefined;
      return row === undefined ? null : valueOf(kind, row);
    },
    keptAll: (kind) => keptRows(kind, keptAll.all(kind)),
    keptUnder: (kind, owner) => keptRows(kind, keptUnder.all(kind, owner)),
    keptByTime(kind, { order, limit, tag, after, until = Infinity }) {
      const start = after ?? (order === "newest" ? { at: Infinity, key: "" } : { at: -Infinity, key: "" });
      const asked = [kind, start.at, start.key, until, Number.isFinite(limit) ? limit : ALL] as const;
      const rows = tag === undefined ? timed[order].all(...asked) : timed[order].tagged(...asked, tag);
      return (rows as readonly (KeptRow & { readonly at: number })[]).map((row) => ({
        key: row.key,
        value: valueOf(kind, row),
        at: row.at,
      }));
    },
    session: summary,
    sessions({ status, limit = ALL, after }) {
      const place = [after?.startedAt ?? Infinity, after?.session ?? "", limit] as const;
      return (status === undefined ? sessions.all(...place) : sessionsOf.all(...place, status)).map(plainRow);
    },
    hasChanged() {
      const version = dataVersion.get()?.["data_version"];
      if (version === knownVersion) return false;
      knownVersion = version;
      return true;
    },
  };
}

/** -1 is no limit. */
const ALL = -1;

function valueOf(kind: string, row: KeptRow): unknown {
  refuseChanged(kind, row);
  return decodeKept(kind, row.key, row.value);
}

type Rows = (...asked: (string | number)[]) => readonly unknown[];

/** Each goes through an index that has the order already. */
function timedStatements(db: DatabaseSync): Readonly<Record<TimeQuery["order"], { all: Rows; tagged: Rows }>> {
  const both = (behind: ">" | "<", direction: "ASC" | "DESC"): { all: Rows; tagged: Rows } => {
    const order = `ORDER BY k.at ${direction}, k.key ${direction} LIMIT ?5`;
    const place = `(k.at, k.key) ${behind} (?2, ?3) AND k.at <= ?4`;
    const all = db.prepare(`SELECT k.at, ${KEPT_ROW} WHERE k.kind = ?1 AND k.at IS NOT NULL AND ${place} ${order}`);
    const tagged = db.prepare(
      `SELECT k.at, ${KEPT_ROW} WHERE k.kind = ?1 AND k.tag = ?6 AND k.tag IS NOT NULL AND ${place} ${order}`,
    );
    return { all: (...asked) => all.all(...asked), tagged: (...asked) => tagged.all(...asked) };
  };
  return { oldest: both(">", "ASC"), newest: both("<", "DESC") };
}

function entryOf({ session, seq, at, body }: EventRow): Entry {
  return { session, seq, at, event: decodeEvent(session, seq, body) };
}

function gap(session: string, seq: number): Error {
  return drift(
    `Entry ${seq} of session ${session} is missing although later ones are there. Run a verification, and put back a copy of the journal.`,
    { context: { session, seq } },
  );
}

function changed(session: string, seq: number): Error {
  return drift(
    `Entry ${seq} of session ${session} is not what was written: its hash is that of another one. Run a verification, and put back a copy of the journal.`,
    { context: { session, seq } },
  );
}

/** SQLite's rows have no prototype, which makes them unequal to what other journals give. */
function plain(row: object | undefined): SessionSummary | null {
  return row === undefined ? null : plainRow(row);
}

function plainRow(row: object): SessionSummary {
  return { ...(row as SessionSummary) };
}
