// Walks everything that was written and names the first record that is not as it was. Looks at one moment of the
// file through a connection of its own, so that writers go on meanwhile.

import type { DatabaseSync } from "node:sqlite";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { parseJson, readField } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import type { JournalEvent, SessionStatus } from "../../core/record/event.ts";
import { chainStart, nextLink } from "../chain.ts";
import type { VerifyReport } from "../journal.ts";
import { connectReadonly, stampOf } from "../readonly/connection.ts";
import { seeAsCurrent } from "./schema.ts";
import { statusAfter, statusMarkOf } from "../session-status.ts";
import { createFaultChecks } from "./verify-faults.ts";
import { createKeptChecks } from "./verify-kept.ts";
import { storeError } from "../store-errors.ts";

type Bad = NonNullable<VerifyReport["firstBad"]>;

interface SessionRow {
  readonly number: number;
  readonly session: string;
  readonly status: SessionStatus;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
  readonly lastHash: string;
}

interface EventRow {
  readonly position: number;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly hash: string;
  readonly seal: string;
}

const PAGE = 500;

export async function verifyStore(path: string, clock: Clock): Promise<VerifyReport> {
  for (;;) {
    const { db, stamp } = connectReadonly(path);
    try {
      const fillIndexes = seeAsCurrent(db);
      db.exec("BEGIN");
      fillIndexes();
      const report = await verifyMoment(db, clock);
      // Without the log, a write in progress looks like damage.
      const hasMoved = stamp !== null && stampOf(path) !== stamp;
      if (report.firstBad === null || !hasMoved) return report;
    } finally {
      db.close();
    }
  }
}

async function verifyMoment(db: DatabaseSync, clock: Clock): Promise<VerifyReport> {
  const nextSessions = db.prepare(
    `SELECT number, session, status, started_at AS startedAt, updated_at AS updatedAt, last_seq AS lastSeq, last_hash AS lastHash
     FROM sessions WHERE session > ? ORDER BY session LIMIT ${PAGE}`,
  );
  const nextEvents = db.prepare(
    `SELECT id AS position, seq, at, type, body, hash, seal FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`,
  );
  const place = { session: "", seq: 0, sessions: 0, entries: 0 };

  const kept = createKeptChecks(db);
  const faults = createFaultChecks(db);

  async function walkSession(row: SessionRow): Promise<Bad | null> {
    const { session, lastSeq, lastHash } = row;
    const sealed = kept.ofSession(session);
    const said = createSummaryCheck(row);
    const indexed = faults.ofSession(row.number, session);
    place.session = session;
    place.seq = 0;
    let hash = chainStart(session);
    for (;;) {
      const page = nextEvents.all(session, place.seq) as unknown as readonly EventRow[];
      for (const entry of page) {
        const why = wrongWith(entry, place.seq + 1, hash);
        if (why !== null) return { session, seq: place.seq + 1, why };
        sealed.saw(entry.seq, entry.seal);
        said.saw(entry.at, entry.body);
        indexed.saw(entry);
        hash = entry.hash;
        place.seq++;
        place.entries++;
      }
      if (page.length < PAGE) break;
      await turn(clock);
    }
    return (
      wrongWithEnd(session, place.seq, hash, lastSeq, lastHash) ??
      said.wrong() ??
      sealed.findMissing() ??
      indexed.wrong()
    );
  }

  async function walk(): Promise<Bad | null> {
    let last = "";
    for (;;) {
      const page = nextSessions.all(last) as unknown as readonly SessionRow[];
      for (const row of page) {
        const bad = await walkSession(row);
        if (bad !== null) return bad;
        place.sessions++;
        last = row.session;
      }
      if (page.length < PAGE) return null;
      await turn(clock);
    }
  }

  async function findFirstBad(): Promise<Bad | null> {
    try {
      return (
        (await walk()) ??
        findOrphan(db) ??
        faults.wrongGroup() ??
        (await kept.walk(() => turn(clock))) ??
        checkPages(db)
      );
    } catch (error) {
      const failure = storeError(error);
      if (traitsOf(failure.fault.code).retryable) throw failure;
      // A page that SQLite cannot read is a bad record too.
      return { session: place.session, seq: place.seq + 1, why: failure.fault.message };
    }
  }

  const firstBad = await findFirstBad();
  return { sessions: place.sessions, entries: place.entries, firstBad };
}

function wrongWith({ seq, at, type, body, hash, seal }: EventRow, expectedSeq: number, before: string): string | null {
  if (seq !== expectedSeq) return `it is missing: entry ${seq} comes next`;
  const event = parseJson(body);
  if (typeof event !== "object" || event === null) return "it is no JSON";
  if (readField(event, "type") !== type) return `it is filed as ${type} and says something else`;
  if (nextLink(before, seq, at, type, body, seal) !== hash)
    return "it does not fit its hash and the one before: it, or its neighbour, was changed";
  return null;
}

function wrongWithEnd(session: string, seq: number, hash: string, lastSeq: number, lastHash: string): Bad | null {
  if (seq < lastSeq) return { session, seq: seq + 1, why: `it is missing: the session has ${lastSeq} entries` };
  if (seq > lastSeq)
    return { session, seq: lastSeq + 1, why: `the session is said to have ${lastSeq} entries, and has ${seq}` };
  if (hash !== lastHash) return { session, seq, why: "its hash is not the one that the session ends with" };
  return null;
}

/** What the row of a session says beside its chain follows from its entries. */
function createSummaryCheck({ session, status, startedAt, updatedAt, lastSeq }: SessionRow): {
  readonly saw: (at: number, body: string) => void;
  readonly wrong: () => Bad | null;
} {
  let seen: { status: SessionStatus; startedAt: number; updatedAt: number } | null = null;
  return {
    saw(at, body) {
      seen ??= { status: "open", startedAt: at, updatedAt: at };
      seen.status = statusAfter(seen.status, statusMarkOf(parseJson(body) as JournalEvent));
      seen.updatedAt = Math.max(seen.updatedAt, at);
    },
    wrong() {
      const isSame =
        seen === null || (seen.status === status && seen.startedAt === startedAt && seen.updatedAt === updatedAt);
      const why = "the session's status or times are not those that its entries give";
      return isSame ? null : { session, seq: lastSeq, why };
    },
  };
}

function findOrphan(db: DatabaseSync): Bad | null {
  const row = db
    .prepare("SELECT session, seq FROM events WHERE session NOT IN (SELECT session FROM sessions) LIMIT 1")
    .get();
  if (row === undefined) return null;
  return { session: String(row["session"]), seq: Number(row["seq"]), why: "the session it belongs to is missing" };
}

function checkPages(db: DatabaseSync): Bad | null {
  const said = String(db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]);
  return said === "ok" ? null : { session: "", seq: 0, why: `SQLite says: ${said}` };
}

function turn(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}
