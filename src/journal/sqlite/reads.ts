// Reads from the tables. Gaps and broken JSON are refused with a named fault, so a reader gets exactly what was written.

import type { DatabaseSync } from "node:sqlite";
import type { Entry } from "../../core/record/event.ts";
import { isUnderSql } from "../keep-kinds.ts";
import { createFaultReads, FAULT, occurrence } from "./fault-reads.ts";
import type { FaultReads } from "../fault-queries.ts";
import type { LocalFeedSource } from "../feed.ts";
import {
  chainedPage,
  type ChainedRow,
  type ChainHead,
  checkedEntries,
  entriesWithoutGap,
  type KeptRow,
  keptValue,
} from "../sealed.ts";
import { KEPT_ROW, TAGGED_ROW } from "./schema.ts";
import type {
  Journal,
  Kept,
  PositionRange,
  SessionsQuery,
  SessionSummary,
  Timed,
  TimedKind,
  TimeQuery,
  Found,
  SearchQuery,
} from "../journal.ts";
import { checkPosition, type EventRow, positioned } from "../encode.ts";
import { contains, matchOf, textOfFault, wordsOf } from "../search-text.ts";
import { UNFILLED } from "./fault-index.ts";

export interface Reads extends LocalFeedSource {
  position(): PositionRange;
  kept(kind: string, key: string): unknown;
  keptAll(kind: string): readonly Kept[];
  checksums(kind: string): readonly { readonly key: string; readonly hash: string }[];
  keptUnder(kind: string, owner: string): readonly Kept[];
  keptByTime(kind: TimedKind, query: TimeQuery): readonly Timed[];
  /** As `entriesOf`, with each entry checked against the chain: for resuming a session. */
  checkedEntriesOf(session: string, after: number, limit: number): readonly Entry[];
  session(session: string): SessionSummary | null;
  sessions(query: SessionsQuery): readonly SessionSummary[];
  faults(): FaultReads;
  readonly search: Search;
  /** True if another connection has committed since the last call. */
  hasChanged(): boolean;
}

const EVENT = "id AS position, session, seq, at, body";
const SUMMARY = "session, status, started_at AS startedAt, updated_at AS updatedAt, last_seq AS lastSeq";

/** `fillIndexes` makes the indexes that the file of an older program lacks, before the first read of one. */
export function createReads(db: DatabaseSync, fillIndexes: () => void = () => undefined): Reads {
  // Counts every row that was ever inserted, also those that were removed since.
  const lastPosition = db.prepare("SELECT seq FROM main.sqlite_sequence WHERE name = 'events'");
  const prunedUpTo = db.prepare("SELECT value FROM meta WHERE name = 'pruned'");
  const seqAt = db.prepare("SELECT seq FROM events WHERE session = ? AND id <= ? ORDER BY seq DESC LIMIT 1");
  const ofSession = db.prepare(`SELECT ${EVENT} FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`);
  const entriesAfter = db.prepare(`SELECT ${EVENT} FROM events WHERE id > ? ORDER BY id LIMIT ?`);
  const chained = db.prepare(
    "SELECT seq, at, type, body, hash, seal FROM events WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?",
  );
  const headOf = db.prepare("SELECT last_seq AS lastSeq, last_hash AS lastHash FROM sessions WHERE session = ?");
  const kept = db.prepare(`SELECT ${KEPT_ROW} WHERE k.kind = ? AND k.key = ?`);
  const keptAll = db.prepare(`SELECT ${KEPT_ROW} WHERE k.kind = ? ORDER BY k.key`);
  const checksums = db.prepare("SELECT key, hash FROM kept WHERE kind = ?");
  const keptUnder = db.prepare(`SELECT ${KEPT_ROW} WHERE k.kind = ?1 AND ${isUnderSql("?2", "k.key")} ORDER BY k.key`);
  const timed = timedStatements(db);
  const session = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE session = ?`);
  // Sessions that began in the same millisecond are ordered by their row number. If the session of the cursor was pruned, the page starts with all of them.
  const afterOne = "(started_at, number) < (?1, coalesce((SELECT number FROM sessions WHERE session = ?2), 9e18))";
  const newestFirst = "ORDER BY started_at DESC, number DESC LIMIT ?3";
  const sessions = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE ${afterOne} ${newestFirst}`);
  const sessionsOf = db.prepare(`SELECT ${SUMMARY} FROM sessions WHERE status = ?4 AND ${afterOne} ${newestFirst}`);
  const faults = createFaultReads(db);
  const search = createSearch(db, (run) => keptOne("run", run));
  const dataVersion = db.prepare("PRAGMA data_version");
  let knownVersion = dataVersion.get()?.["data_version"];

  function keptRows(kind: string, rows: readonly object[]): readonly Kept[] {
    return (rows as readonly KeptRow[]).map((row) => ({ key: row.key, value: keptValue(kind, row) }));
  }

  function checkedEntriesOf(name: string, after: number, limit: number): readonly Entry[] {
    // Looked up first: a write between the two can only add to it.
    const head = headOf.get(name) as unknown as ChainHead | undefined;
    const { from, count } = chainedPage(after, limit);
    const rows = chained.all(name, from, count) as unknown as readonly ChainedRow[];
    return checkedEntries(name, { after, limit }, head, rows);
  }

  function keptOne(kind: string, key: string): unknown {
    const row = kept.get(kind, key) as unknown as KeptRow | undefined;
    return row === undefined ? null : keptValue(kind, row);
  }

  function last(): number {
    return Number(lastPosition.get()?.["seq"] ?? 0);
  }

  function summary(name: string): SessionSummary | null {
    return plain(session.get(name));
  }

  return {
    lastPosition: last,
    // The mark is read first: a prune in between can only move it up.
    position: () => ({ first: Number(prunedUpTo.get()?.["value"] ?? 0), last: last() }),
    seqAt: (name, position) => Number(seqAt.get(name, position)?.["seq"] ?? 0),
    lastSeq: (name) => summary(name)?.lastSeq ?? 0,
    entriesOf(name, after, limit) {
      const rows = ofSession.all(name, after, limit) as unknown as readonly EventRow[];
      return entriesWithoutGap(name, after, rows);
    },
    entriesAfter: (position, limit) =>
      (entriesAfter.all(position, Number.isFinite(limit) ? limit : ALL) as unknown as readonly EventRow[]).map(
        positioned,
      ),
    checkedEntriesOf,
    kept: keptOne,
    keptAll: (kind) => keptRows(kind, keptAll.all(kind)),
    checksums: (kind) => checksums.all(kind) as unknown as readonly { readonly key: string; readonly hash: string }[],
    keptUnder: (kind, owner) => keptRows(kind, keptUnder.all(kind, owner)),
    keptByTime(kind, { order, limit, tags = [], after, until = Infinity }) {
      const start = after ?? (order === "newest" ? { at: Infinity, key: "" } : { at: -Infinity, key: "" });
      const asked = [kind, start.at, start.key, until, Number.isFinite(limit) ? limit : ALL] as const;
      const [first, ...others] = tags;
      if (first !== undefined) fillIndexes();
      const rows =
        first === undefined ? timed[order].all(...asked) : timed[order].tagged(...asked, first, JSON.stringify(others));
      return (rows as readonly (KeptRow & { readonly at: number })[]).map((row) => ({
        key: row.key,
        value: keptValue(kind, row),
        at: row.at,
      }));
    },
    session: summary,
    sessions({ status, limit = ALL, after }) {
      const place = [after?.startedAt ?? Infinity, after?.session ?? "", limit] as const;
      return (status === undefined ? sessions.all(...place) : sessionsOf.all(...place, status)).map(plainRow);
    },
    faults() {
      fillIndexes();
      return faults;
    },
    search(...asked) {
      fillIndexes();
      return search(...asked);
    },
    hasChanged() {
      const version = dataVersion.get()?.["data_version"];
      if (version === knownVersion) return false;
      knownVersion = version;
      return true;
    },
  };
}

/** SQLite's LIMIT for "all rows". */
const ALL = -1;

type Rows = (...asked: (string | number)[]) => readonly unknown[];

/** Each query reads an index that is already in the right order. */
function timedStatements(db: DatabaseSync): Readonly<Record<TimeQuery["order"], { all: Rows; tagged: Rows }>> {
  const both = (behind: ">" | "<", direction: "ASC" | "DESC"): { all: Rows; tagged: Rows } => {
    const order = (of: string): string => `ORDER BY ${of}.at ${direction}, ${of}.key ${direction} LIMIT ?5`;
    const place = (of: string): string => `(${of}.at, ${of}.key) ${behind} (?2, ?3) AND ${of}.at <= ?4`;
    const all = db.prepare(
      `SELECT k.at, ${KEPT_ROW} WHERE k.kind = ?1 AND k.at IS NOT NULL AND ${place("k")} ${order("k")}`,
    );
    const tagged = db.prepare(
      `SELECT t.at, ${TAGGED_ROW} WHERE t.kind = ?1 AND t.tag = ?6 AND ${place("t")} AND NOT EXISTS (
         SELECT 1 FROM json_each(?7) AS other WHERE NOT EXISTS (
           SELECT 1 FROM kept_tags AS o WHERE o.kind = ?1 AND o.tag = other.value AND o.at = t.at AND o.key = t.key))
       ${order("t")}`,
    );
    return { all: (...asked) => all.all(...asked), tagged: (...asked) => tagged.all(...asked) };
  };
  return { oldest: both(">", "ASC"), newest: both("<", "DESC") };
}

/** SQLite's rows have no prototype, which makes them unequal to what other journals give. */
function plain(row: object | undefined): SessionSummary | null {
  return row === undefined ? null : plainRow(row);
}

function plainRow(row: object): SessionSummary {
  return { ...(row as SessionSummary) };
}

// The reading half of a journal on SQLite, shared by writable and read-only journals.

const PAGE = 256;

/** Runs one read, and waits while another process holds the store. */
type Look = <T>(read: (reads: Reads) => T) => Promise<T>;

type ReadSide = Pick<
  Journal,
  | "read"
  | "position"
  | "readFrom"
  | "kept"
  | "keptAll"
  | "keptByTime"
  | "session"
  | "sessions"
  | "faultGroups"
  | "faultGroup"
  | "faultsOf"
  | "faultRuns"
  | "faultTrend"
  | "faultRecourses"
  | "search"
>;

export function readSide(look: Look): ReadSide {
  async function* pages(session: string, after: number) {
    for (let last = after; ;) {
      const from = last;
      const page = await look((reads) => reads.checkedEntriesOf(session, from, PAGE));
      yield* page;
      if (page.length < PAGE) return;
      last += page.length;
    }
  }

  return {
    read: (session, after = 0) => pages(session, after),
    position: () => look((reads) => reads.position()),
    async readFrom(position, { limit }) {
      checkPosition(position);
      return look((reads) => reads.entriesAfter(position, limit));
    },
    kept: (kind, key) => look((reads) => reads.kept(kind, key)),
    keptAll: (kind, under) =>
      look((reads) => (under === undefined ? reads.keptAll(kind) : reads.keptUnder(kind, under))),
    keptByTime: (kind, query) => look((reads) => reads.keptByTime(kind, query)),
    session: (session) => look((reads) => reads.session(session)),
    sessions: (query = {}) => look((reads) => reads.sessions(query)),
    search: (question, query) => look((reads) => reads.search(question, query)),
    faultGroups: (query) => look((reads) => reads.faults().groups(query)),
    faultGroup: (fingerprint) => look((reads) => reads.faults().group(fingerprint)),
    faultRuns: (fingerprint, query) => look((reads) => reads.faults().runsOf(fingerprint, query)),
    faultsOf: (fingerprint, query) => look((reads) => reads.faults().faultsOf(fingerprint, query)),
    faultTrend: (fingerprint, query) => look((reads) => reads.faults().trend(fingerprint, query)),
    faultRecourses: (fingerprint) => look((reads) => reads.faults().recourses(fingerprint)),
  };
}

// Answers searches from the full-text indexes, the newest first.

type Search = (question: string, query: SearchQuery) => readonly Found[];

/** `keptRun` gives a run as it is kept; null when it is not. */
function createSearch(db: DatabaseSync, keptRun: (run: string) => unknown): Search {
  const matching = (table: string) =>
    db.prepare(
      `SELECT rowid AS position FROM ${table} WHERE ${table} MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3`,
    );
  const unfilled = db.prepare(`SELECT ${FAULT} WHERE ${UNFILLED} AND f.position < ? ORDER BY f.position DESC`);
  const faultAt = db.prepare(`SELECT ${FAULT} WHERE f.position = ?`);
  const runAt = db.prepare("SELECT run FROM searched_runs WHERE position = ?");
  const indexes = {
    fault: {
      matching: matching("fault_text"),
      at: (position: number): Found[] =>
        faultAt.all(position).map((row) => ({ kind: "fault", position, fault: occurrence(row) })),
    },
    run: {
      matching: matching("run_text"),
      at: (position: number): Found[] =>
        runAt.all(position).map((row) => {
          const run = String(row["run"]);
          return { kind: "run", position, run, value: keptRun(run) };
        }),
    },
  };
  return (question, { kinds = ["fault", "run"], limit, after }) => {
    const words = wordsOf(question);
    if (words.length === 0) return [];
    const from = after?.position ?? Number.MAX_SAFE_INTEGER;
    const asked = [matchOf(words), from, Number.isFinite(limit) ? limit : -1] as const;
    // The newest failures are not in the index yet, so they are scanned.
    const unindexed = kinds.includes("fault") ? unfilled.all(from).map(occurrence) : [];
    const scanned = unindexed.filter((fault) => contains(textOfFault(fault), words));
    return Array.from(new Set(kinds))
      .map((kind) => indexes[kind])
      .flatMap((index) => index.matching.all(...asked).flatMap((row) => index.at(Number(row["position"]))))
      .concat(scanned.map((fault) => ({ kind: "fault", position: fault.position, fault })))
      .sort((a, b) => b.position - a.position)
      .slice(0, limit);
  };
}
