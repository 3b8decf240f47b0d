// What comes out of the tables. Nothing is handed on that is not what was written: gaps and broken JSON are refused by name.

import type { DatabaseSync } from "node:sqlite";
import type { Entry, SessionStatus } from "../core/record/event.ts";
import { isUnderSql } from "./belongs.ts";
import { decodeEvent, decodeKept } from "./encode.ts";
import type { FeedSource } from "./feed.ts";
import type { Kept, SessionSummary } from "./journal.ts";
import { drift } from "./refusals.ts";

export interface Reads extends FeedSource {
  kept(kind: string, key: string): unknown;
  keptAll(kind: string): readonly Kept[];
  keptUnder(kind: string, owner: string): readonly Kept[];
  session(session: string): SessionSummary | null;
  sessions(status: SessionStatus | null, limit: number): readonly SessionSummary[];
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

const SUMMARY = "session, status, started_at AS startedAt, updated_at AS updatedAt, last_seq AS lastSeq";

export function createReads(db: DatabaseSync): Reads {
  const lastId = db.prepare("SELECT max(id) AS id FROM events");
  const ofSession = db.prepare("SELECT seq, at, body FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?");
  const behind = db.prepare("SELECT id, session, seq, at, body FROM events WHERE id > ? ORDER BY id LIMIT ?");
  const kept = db.prepare("SELECT value FROM kept WHERE kind = ? AND key = ?");
  const keptAll = db.prepare("SELECT key, value FROM kept WHERE kind = ? ORDER BY key");
  const keptUnder = db.prepare(`SELECT key, value FROM kept WHERE kind = ?1 AND ${isUnderSql("?2")} ORDER BY key`);
  const session = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE session = ?`);
  const sessions = db.prepare(`SELECT ${SUMMARY} FROM sessions ORDER BY started_at DESC, number DESC LIMIT ?`);
  const sessionsOf = db.prepare(
    `SELECT ${SUMMARY} FROM sessions WHERE status = ? ORDER BY started_at DESC, number DESC LIMIT ?`,
  );
  const dataVersion = db.prepare("PRAGMA data_version");
  let knownVersion = dataVersion.get()?.["data_version"];

  function keptRows(kind: string, rows: readonly object[]): readonly Kept[] {
    return (rows as readonly { key: string; value: string }[]).map(({ key, value }) => ({
      key,
      value: decodeKept(kind, key, value),
    }));
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
    kept(kind, key) {
      const text = kept.get(kind, key)?.["value"];
      return text === undefined ? null : decodeKept(kind, key, text);
    },
    keptAll: (kind) => keptRows(kind, keptAll.all(kind)),
    keptUnder: (kind, owner) => keptRows(kind, keptUnder.all(kind, owner)),
    session: summary,
    sessions: (status, limit) =>
      (status === null ? sessions.all(limit) : sessionsOf.all(status, limit)).map((row) => plainRow(row)),
    hasChanged() {
      const version = dataVersion.get()?.["data_version"];
      if (version === knownVersion) return false;
      knownVersion = version;
      return true;
    },
  };
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

/** SQLite's rows have no prototype, which makes them unequal to what other journals give. */
function plain(row: object | undefined): SessionSummary | null {
  return row === undefined ? null : plainRow(row);
}

function plainRow(row: object): SessionSummary {
  return { ...(row as SessionSummary) };
}
