// Verifies one snapshot of a journal's file through a connection of its own, so that writers are not blocked.

import type { DatabaseSync } from "node:sqlite";
import { traitsOf } from "../../core/fault/catalogue.ts";
import type { Clock } from "../../host/clock.ts";
import type { VerifyReport } from "../journal.ts";
import { connectReadonly, stampOf } from "./connection.ts";
import { KEPT_ROW, seeAsCurrent } from "./schema.ts";
import { storeError } from "../store-errors.ts";
import {
  type Bad,
  findFirstBad,
  type PlacedRow,
  type SessionRow,
  type StrayQueries,
  VERIFY_PAGE,
  type VerifiedEntry,
  type VerifiedStore,
  type VerifyPlace,
} from "../verify-walk.ts";
import { FAULT, occurrence } from "./fault-reads.ts";

export async function verifyStore(path: string, clock: Clock): Promise<VerifyReport> {
  try {
    for (;;) {
      const { db, stamp } = connectReadonly(path);
      try {
        const fillIndexes = seeAsCurrent(db);
        db.exec("BEGIN");
        fillIndexes();
        const report = await verifySnapshot(db, clock);
        // Without the log, a write in progress looks like damage.
        const hasMoved = stamp !== null && stampOf(path) !== stamp;
        if (report.firstBad === null || !hasMoved) return report;
      } finally {
        db.close();
      }
    }
  } catch (error) {
    throw storeError(error);
  }
}

async function verifySnapshot(db: DatabaseSync, clock: Clock): Promise<VerifyReport> {
  const place: VerifyPlace = { session: "", seq: 0, sessions: 0, entries: 0 };
  const firstBad = await firstBadOf(db, clock, place);
  return { sessions: place.sessions, entries: place.entries, firstBad };
}

async function firstBadOf(db: DatabaseSync, clock: Clock, place: VerifyPlace): Promise<Bad | null> {
  try {
    return (await findFirstBad(verifiedStore(db, clock), place)) ?? checkPages(db);
  } catch (error) {
    const failure = storeError(error);
    if (traitsOf(failure.fault.code).retryable) throw failure;
    // A page that SQLite cannot read is a bad record too.
    return { session: place.session, seq: place.seq + 1, why: failure.fault.message };
  }
}

const TAGS = `(SELECT json_group_array(json_array(tag, at)) FROM kept_tags WHERE kind = k.kind AND key = k.key) AS tags`;

function verifiedStore(db: DatabaseSync, clock: Clock): VerifiedStore {
  const sessions = db.prepare(
    `SELECT number, session, status, started_at AS startedAt, updated_at AS updatedAt, last_seq AS lastSeq, last_hash AS lastHash
     FROM sessions WHERE session > ? ORDER BY session LIMIT ${VERIFY_PAGE}`,
  );
  const entries = db.prepare(
    `SELECT id AS position, seq, at, type, body, hash, seal FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ${VERIFY_PAGE}`,
  );
  const kept = db.prepare(
    `SELECT k.kind, k.at, ${TAGS}, ${KEPT_ROW} WHERE (k.kind, k.key) > (?, ?) ORDER BY k.kind, k.key LIMIT ${VERIFY_PAGE}`,
  );
  const keptSeq = db.prepare("SELECT seq FROM kept WHERE kind = ? AND key = ? AND session = ?");
  const faults = db.prepare(`SELECT ${FAULT} WHERE f.session = ?`);
  const countFaults = db.prepare("SELECT count(*) AS count FROM faults WHERE session = ?");
  return {
    sessionsAfter: (session) => sessions.all(session) as unknown as readonly SessionRow[],
    entriesAfter: ({ session }, seq) => entries.all(session, seq) as unknown as readonly VerifiedEntry[],
    keptAfter: (kind, key) => kept.all(kind, key) as unknown as readonly PlacedRow[],
    keptSeq: (kind, key, session) => keptSeq.get(kind, key, session)?.["seq"] as number | undefined,
    faultsOf: ({ number }) => faults.all(number).map(occurrence),
    countFaults: ({ number }) => Number(countFaults.get(number)?.["count"]),
    tagText: (tag) => tag,
    first: (sql) => db.prepare(sql).get(),
    strays: STRAYS,
    rest: () => new Promise((resolve) => clock.soon(resolve)),
  };
}

const NEWEST = "SELECT message FROM faults WHERE family = g.number ORDER BY at DESC, position DESC LIMIT 1";

const STRAYS: StrayQueries = {
  entry: "SELECT session, seq FROM events WHERE session NOT IN (SELECT session FROM sessions) LIMIT 1",
  groups: [
    `SELECT fingerprint AS name FROM fault_groups AS g WHERE (count, sessions, first_at, last_at) IS NOT
     (SELECT count(*), count(DISTINCT session), min(at), max(at) FROM faults WHERE family = g.number)
     OR message IS NOT (${NEWEST}) LIMIT 1`,
    `SELECT recourse AS name FROM fault_recourses AS r WHERE (worked, failed) IS NOT
     (SELECT coalesce(sum(worked), 0), coalesce(sum(1 - worked), 0) FROM faults
        WHERE family = r.family AND recourse = r.recourse AND worked IS NOT NULL) LIMIT 1`,
    `SELECT recourse AS name FROM faults AS f WHERE worked IS NOT NULL AND NOT EXISTS
     (SELECT 1 FROM fault_recourses WHERE family = f.family AND recourse = f.recourse) LIMIT 1`,
    "SELECT position AS name FROM faults WHERE session NOT IN (SELECT number FROM sessions) LIMIT 1",
  ],
  tag: "SELECT kind, key FROM kept_tags WHERE (kind, key) NOT IN (SELECT kind, key FROM kept) LIMIT 1",
};

function checkPages(db: DatabaseSync): Bad | null {
  const said = String(db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]);
  return said === "ok" ? null : { session: "", seq: 0, why: `SQLite says: ${said}` };
}
