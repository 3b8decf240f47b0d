// The index of failures in a journal's file: one row per failure, and groups by fingerprint that are kept up to date. Writes run in the
// transaction of the entry that causes them. Rows refer to groups (as `family`) and sessions by number, which keeps the indexes small.

import type { DatabaseSync } from "node:sqlite";
import { causeIn, type FaultMark, type IndexedFault, MARKED_TYPES, markIn } from "../../core/record/fault-index.ts";
import { FAULT, occurrence } from "./fault-reads.ts";
import { pairsOf, textOfFault } from "../search-text.ts";

export interface FaultIndex {
  note(mark: FaultMark, entry: IndexedEntry): void;
  /** Removes the failures of a session and corrects the counts. */
  remove(session: number | bigint): void;
}

export interface IndexedEntry {
  readonly position: number | bigint;
  readonly at: number;
  /** The session's number, not its name. */
  readonly session: number | bigint;
  readonly seq: number;
}

/** In `temp`, the tables replace those that the file of an older program lacks. */
export function createFaultTables(db: DatabaseSync, schema: "main" | "temp"): void {
  db.exec(`
        CREATE TABLE ${schema}.faults (
          position INTEGER PRIMARY KEY,
          at INTEGER NOT NULL,
          session INTEGER NOT NULL,
          seq INTEGER NOT NULL,
          call TEXT NOT NULL,
          family INTEGER NOT NULL,
          recourse TEXT NOT NULL,
          message TEXT NOT NULL,
          worked INTEGER
        );
        CREATE INDEX ${schema}.faults_by_family ON faults (family, at, position);
        CREATE INDEX ${schema}.faults_by_call ON faults (session, call, position);
        CREATE INDEX ${schema}.faults_of_session ON faults (family, session);
        CREATE TABLE ${schema}.fault_groups (
          number INTEGER PRIMARY KEY,
          fingerprint TEXT NOT NULL UNIQUE,
          code TEXT NOT NULL,
          tool TEXT NOT NULL,
          count INTEGER NOT NULL,
          sessions INTEGER NOT NULL,
          first_at INTEGER NOT NULL,
          last_at INTEGER NOT NULL,
          message TEXT NOT NULL
        );
        CREATE INDEX ${schema}.fault_groups_by_time ON fault_groups (last_at, fingerprint);
        CREATE INDEX ${schema}.fault_groups_by_code ON fault_groups (code, last_at, fingerprint);
        CREATE INDEX ${schema}.fault_groups_by_tool ON fault_groups (tool, last_at, fingerprint);
        CREATE TABLE ${schema}.fault_recourses (
          family INTEGER NOT NULL,
          recourse TEXT NOT NULL,
          worked INTEGER NOT NULL,
          failed INTEGER NOT NULL,
          PRIMARY KEY (family, recourse)
        ) WITHOUT ROWID`);
}

export function createFaultIndex(db: DatabaseSync): FaultIndex {
  const tally = createTally(db);
  const lastOfCall = db.prepare(
    `SELECT position, family, recourse, worked FROM faults WHERE session = ? AND call = ?
     ORDER BY position DESC LIMIT 1`,
  );
  const settle = db.prepare("UPDATE faults SET worked = ? WHERE position = ?");
  const isInSession = db.prepare("SELECT 1 FROM faults WHERE session = ? AND family = ? LIMIT 1");
  // A range instead of LIKE, so that the index serves it: calls that begin with `a/` sort from `a/` up to, but not including, `a0`.
  const isPassedOn = db.prepare(
    `SELECT 1 FROM faults AS f CROSS JOIN fault_groups AS g ON g.number = f.family
     WHERE f.session = ? AND f.call >= ? AND f.call < ? AND g.code = ?
       AND substr(g.fingerprint, instr(g.fingerprint, '#')) = ? LIMIT 1`,
  );
  const insert = db.prepare(
    "INSERT INTO faults (position, at, session, seq, call, family, recourse, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const count = db.prepare(
    `INSERT INTO fault_groups (fingerprint, code, tool, count, sessions, first_at, last_at, message)
     VALUES (?, ?, ?, 1, 0, ?4, ?4, ?5)
     ON CONFLICT (fingerprint) DO UPDATE SET count = count + 1, first_at = min(first_at, excluded.first_at),
       message = iif(excluded.last_at >= last_at, excluded.message, message), last_at = max(last_at, excluded.last_at)
     RETURNING number`,
  );
  const countSession = db.prepare("UPDATE fault_groups SET sessions = sessions + 1 WHERE number = ?");
  const fillTexts = createFaultTexts(db);
  /** Failures noted here that may not be in the full-text index yet. */
  let unfilled = 0;
  const remove = createRemoval(db);

  function settleLast(session: number | bigint, call: string, worked: boolean): void {
    const last = lastOfCall.get(session, call) as unknown as LastOfCall | undefined;
    if (last === undefined || last.worked !== null) return;
    settle.run(worked ? 1 : 0, last.position);
    tally(last.family, last.recourse, worked ? 1 : 0, worked ? 0 : 1);
  }

  function add(fault: IndexedFault, call: string, { position, at, session, seq }: IndexedEntry): void {
    const { fingerprint, code, tool, recourse, message } = fault;
    const family = Number(count.get(fingerprint, code, tool, at, message)?.["number"]);
    if (isInSession.get(session, family) === undefined) countSession.run(family);
    insert.run(position, at, session, seq, call, family, recourse, message);
  }

  function isEcho({ fault, echoOf }: FaultMark, session: number | bigint): boolean {
    if (fault === null || echoOf === null) return false;
    const end = `${echoOf.slice(0, -1)}0`;
    return isPassedOn.get(session, echoOf, end, fault.code, causeIn(fault)) !== undefined;
  }

  return {
    note(mark, entry) {
      const { call, worked, fault } = mark;
      if (worked !== null) settleLast(entry.session, call, worked);
      if (fault === null || isEcho(mark, entry.session)) return;
      add(fault, call, entry);
      if (++unfilled < MAX_UNFILLED) return;
      unfilled = 0;
      fillTexts();
    },
    remove,
  };
}

/**
 * The number of failures that go into the full-text index together: one by one, each commit would write a segment of its own. Until
 * then, searches scan the failures that are not in the index.
 */
const MAX_UNFILLED = 256;

/** Selects failures that are not in the full-text index yet: those after the newest one that is. */
export const UNFILLED = "f.position > (SELECT coalesce(max(id), 0) FROM fault_text_docsize)";

function createFaultTexts(db: DatabaseSync): () => void {
  const unfilled = db.prepare(`SELECT ${FAULT} WHERE ${UNFILLED} ORDER BY f.position`);
  const insert = db.prepare("INSERT INTO fault_text (rowid, pairs) VALUES (?, ?)");
  return () => {
    for (const row of unfilled.all()) {
      const fault = occurrence(row);
      insert.run(fault.position, pairsOf(textOfFault(fault)));
    }
  };
}

interface LastOfCall {
  readonly position: number;
  readonly family: number;
  readonly recourse: string;
  readonly worked: number | null;
}

type Tally = (family: number, recourse: string, worked: number, failed: number) => void;

function createTally(db: DatabaseSync): Tally {
  const change = db.prepare(
    `INSERT INTO fault_recourses (family, recourse, worked, failed) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET worked = worked + excluded.worked, failed = failed + excluded.failed`,
  );
  return (...args) => void change.run(...args);
}

function createRemoval(db: DatabaseSync): FaultIndex["remove"] {
  const tally = createTally(db);
  const families = db.prepare("SELECT family, count(*) AS count FROM faults WHERE session = ? GROUP BY family");
  const settled = db.prepare(
    `SELECT family, recourse, sum(worked) AS worked, sum(1 - worked) AS failed FROM faults
     WHERE session = ? AND worked IS NOT NULL GROUP BY family, recourse`,
  );
  const removeTexts = db.prepare(
    "DELETE FROM fault_text WHERE rowid IN (SELECT position FROM faults WHERE session = ?)",
  );
  const removeFaults = db.prepare("DELETE FROM faults WHERE session = ?");
  const newest = "FROM faults WHERE family = ?1 ORDER BY at DESC, position DESC LIMIT 1";
  const uncount = db.prepare(
    `UPDATE fault_groups SET count = count - ?2, sessions = sessions - 1,
       first_at = (SELECT at FROM faults WHERE family = ?1 ORDER BY at LIMIT 1),
       last_at = (SELECT at ${newest}), message = (SELECT message ${newest}) WHERE number = ?1`,
  );
  const isEmpty = db.prepare("SELECT 1 FROM faults WHERE family = ? LIMIT 1");
  const removeGroup = db.prepare("DELETE FROM fault_groups WHERE number = ?");
  const removeTallies = db.prepare("DELETE FROM fault_recourses WHERE family = ? AND worked = 0 AND failed = 0");
  return (session) => {
    const groups = families.all(session) as unknown as readonly { readonly family: number; readonly count: number }[];
    if (groups.length === 0) return;
    for (const row of settled.all(session))
      tally(Number(row["family"]), String(row["recourse"]), -Number(row["worked"]), -Number(row["failed"]));
    removeTexts.run(session);
    removeFaults.run(session);
    for (const { family, count } of groups) {
      removeTallies.run(family);
      if (isEmpty.get(family) === undefined) removeGroup.run(family);
      else uncount.run(family, count);
    }
  };
}

/** Rebuilds the index from the entries. Successes count only in sessions with a failure before them. */
export function fillFaultIndex(db: DatabaseSync): void {
  db.exec("DELETE FROM fault_text; DELETE FROM faults; DELETE FROM fault_groups; DELETE FROM fault_recourses");
  const index = createFaultIndex(db);
  const failed = new Set<number>();
  const marked = db.prepare(
    `SELECT e.id AS position, e.at, e.seq, e.type, e.body, e.session AS name, s.number AS session FROM events AS e
     JOIN sessions AS s ON s.session = e.session
     WHERE e.type IN (${MARKED_TYPES.map((type) => `'${type}'`).join(", ")}) ORDER BY e.id`,
  );
  for (const row of marked.iterate() as unknown as Iterable<MarkedRow>) {
    if (row.type === "call-succeeded" && !failed.has(row.session)) continue;
    const mark = markIn(row.body);
    if (mark === null) continue;
    if (mark.fault !== null) failed.add(row.session);
    index.note(mark, row);
  }
}

interface MarkedRow {
  readonly name: string;
  readonly position: number;
  readonly at: number;
  readonly seq: number;
  readonly session: number;
  readonly type: string;
  readonly body: string;
}
