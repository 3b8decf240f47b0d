// The tables of a journal file and the steps that lead to them. A new file takes all steps, so an old one that is
// brought up to date cannot end up different from it.

import type { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../core/try-read.ts";
import { isKeepKind, type KeptPlace, placeOf } from "../keep-kinds.ts";
import { keptDigest } from "../chain.ts";
import { createSearchTables, createTagTables, fillKeptTags, fillRunSearch } from "./kept-index.ts";
import { createFaultTables, fillFaultIndex } from "./fault-index.ts";

/** "FLTJ", so that other programs can tell whose file it is. */
export const APPLICATION_ID = 0x464c_544a;

type Step = (db: DatabaseSync, now: number) => void;

/** Step n leads from version n to n + 1. Never change a released step. */
const STEPS: readonly Step[] = [
  (db) =>
    db.exec(`
        CREATE TABLE meta (
          name TEXT PRIMARY KEY,
          value TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE sessions (
          number INTEGER PRIMARY KEY,
          session TEXT NOT NULL UNIQUE,
          status TEXT NOT NULL,
          started_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          last_seq INTEGER NOT NULL,
          last_hash TEXT NOT NULL
        );
        CREATE INDEX sessions_by_start ON sessions (started_at);
        CREATE INDEX sessions_by_status ON sessions (status, started_at);
        CREATE TABLE events (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          session TEXT NOT NULL REFERENCES sessions (session) ON DELETE CASCADE,
          seq INTEGER NOT NULL,
          at INTEGER NOT NULL,
          type TEXT NOT NULL,
          body TEXT NOT NULL,
          hash TEXT NOT NULL,
          UNIQUE (session, seq)
        );
        CREATE TABLE kept (
          kind TEXT NOT NULL,
          key TEXT NOT NULL,
          value TEXT NOT NULL,
          PRIMARY KEY (kind, key)
        )`),
  // When a kept value was last written; for older values that is unknown, so they get the time of the upgrade.
  (db, now) => {
    db.exec("ALTER TABLE kept ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0");
    db.prepare("UPDATE kept SET updated_at = ?").run(now);
  },
  // Drivers read all wake times again and again. The index holds them side by side; in the table, large values lie in between.
  (db) =>
    db.exec(`
        CREATE TABLE holds (
          key TEXT PRIMARY KEY,
          owner TEXT NOT NULL,
          until INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX kept_wakes ON kept (kind, key, value) WHERE kind = 'wake'`),
  // Kept values get a checksum, and a place in lists by time. Existing values are trusted as they are and get their checksum now.
  (db) => {
    defineKeptFunctions(db);
    db.exec(`
        ALTER TABLE events ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        ALTER TABLE kept ADD COLUMN hash TEXT NOT NULL DEFAULT '';
        ALTER TABLE kept ADD COLUMN session TEXT;
        ALTER TABLE kept ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE kept ADD COLUMN at REAL;
        ALTER TABLE kept ADD COLUMN tag TEXT;
        DROP INDEX kept_wakes;
        UPDATE kept SET hash = kept_digest(kind, key, value), at = kept_at(kind, value), tag = kept_tag(kind, value);
        CREATE INDEX kept_by_time ON kept (kind, at, key) WHERE at IS NOT NULL;
        CREATE INDEX kept_by_tag ON kept (kind, tag, at, key) WHERE tag IS NOT NULL`);
  },
  // The index of failures, the search and tags, made from the entries that are there; and the mark up to which entries were removed.
  (db) => {
    createIndexes(db, "main");
    fillKeptIndexes(db);
    db.exec(`
        DROP INDEX kept_by_tag;
        ALTER TABLE kept DROP COLUMN tag;
        INSERT OR IGNORE INTO meta (name, value) ${PRUNED}`);
  },
  // Failures of nodes that only pass on the failure of a call are no longer counted, and the runs of a group are found by an index. Runs
  // and bulk actions have tags that they did not have before.
  (db) => {
    db.exec(`
        DROP INDEX IF EXISTS faults_by_session;
        CREATE INDEX IF NOT EXISTS faults_of_session ON faults (family, session)`);
    fillFaultIndex(db);
    fillKeptTags(db);
  },
];

function createIndexes(db: DatabaseSync, schema: "main" | "temp"): void {
  createFaultTables(db, schema);
  createSearchTables(db, schema);
  createTagTables(db, schema);
}

function fillKeptIndexes(db: DatabaseSync): void {
  fillRunSearch(db);
  fillKeptTags(db);
}

/** The highest position that was once assigned to an entry and has no entry now. */
const PRUNED = `SELECT 'pruned' AS name, coalesce(
          (SELECT seq FROM main.sqlite_sequence WHERE name = 'events'
             AND seq > coalesce((SELECT max(id) FROM main.events), 0)),
          (SELECT id - 1 FROM main.events AS e
             WHERE id > 1 AND NOT EXISTS (SELECT 1 FROM main.events AS p WHERE p.id = e.id - 1) ORDER BY id DESC LIMIT 1),
          0) AS value`;

/** For rows that an older program wrote. */
function defineKeptFunctions(db: DatabaseSync): void {
  const place = (kind: unknown, text: unknown): KeptPlace =>
    isKeepKind(kind) ? placeOf(kind, parseJson(String(text))) : { at: null, tags: [] };
  const options = { deterministic: true };
  db.function("kept_digest", options, (kind, key, text) => keptDigest(String(kind), String(key), String(text)));
  db.function("kept_at", options, (kind, text) => place(kind, text).at);
  // Version 5 keeps tags elsewhere.
  db.function("kept_tag", { ...options, varargs: true }, () => null);
}

/** The first version in which kept values have checksums, failures have an index, and the table of holds exists. */
const SEALED_VERSION = 4;
const INDEXED_VERSION = 5;
export const HOLDS_VERSION = 3;

/**
 * Lets a read-only connection read an older file as if it had the current schema. Nothing is written to the file: these are temporary views
 * and tables of the connection. Returns the function that fills the indexes, because that takes time and few readers need them.
 */
export function seeAsCurrent(db: DatabaseSync): () => void {
  if (versionOf(db) >= INDEXED_VERSION) return () => undefined;
  // This drops the views and tables of the connection, so it comes first.
  db.exec("PRAGMA temp_store = MEMORY");
  if (versionOf(db) < SEALED_VERSION) seeSealed(db);
  db.exec(`CREATE TEMP VIEW meta AS SELECT name, value FROM main.meta UNION ALL ${PRUNED}`);
  createIndexes(db, "temp");
  let isFilled = false;
  return () => {
    if (isFilled) return;
    fillFaultIndex(db);
    fillKeptIndexes(db);
    isFilled = true;
  };
}

function seeSealed(db: DatabaseSync): void {
  defineKeptFunctions(db);
  db.exec(`
        CREATE TEMP VIEW events AS SELECT *, '' AS seal FROM main.events;
        CREATE TEMP VIEW kept AS SELECT kind, key, value, kept_digest(kind, key, value) AS hash, NULL AS session, 0 AS seq,
          kept_at(kind, value) AS at FROM main.kept`);
}

export const SCHEMA_VERSION = STEPS.length;
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  events: ["id", "session", "seq", "at", "type", "body", "hash", "seal"],
  fault_groups: ["number", "fingerprint", "code", "tool", "count", "sessions", "first_at", "last_at", "message"],
  fault_recourses: ["family", "recourse", "worked", "failed"],
  faults: ["position", "at", "session", "seq", "call", "family", "recourse", "message", "worked"],
  holds: ["key", "owner", "until"],
  kept: ["kind", "key", "value", "updated_at", "hash", "session", "seq", "at"],
  kept_tags: ["kind", "tag", "at", "key"],
  fault_text: ["pairs"],
  meta: ["name", "value"],
  run_text: ["pairs"],
  searched_runs: ["position", "run", "text"],
  sessions: ["number", "session", "status", "started_at", "updated_at", "last_seq", "last_hash"],
};

export function versionOf(db: DatabaseSync): number {
  return numberOf(db, "user_version");
}

export function applicationIdOf(db: DatabaseSync): number {
  return numberOf(db, "application_id");
}

/** True while the file has no tables. */
export function isBlank(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

/** Tables and columns that should be there and are not: `kept`, `events.hash`. */
export function missingParts(db: DatabaseSync): readonly string[] {
  const columnsOf = db.prepare("SELECT name FROM pragma_table_info(?)");
  return Object.entries(COLUMNS).flatMap(([table, columns]) => {
    const there = new Set(columnsOf.all(table).map((row) => row["name"]));
    if (there.size === 0) return [table];
    return columns.filter((column) => !there.has(column)).map((column) => `${table}.${column}`);
  });
}

/** Brings the file from its version to this program's; the caller holds the transaction. */
export function bringUpToDate(db: DatabaseSync, now: number): void {
  for (const step of STEPS.slice(versionOf(db))) step(db, now);
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID}`);
}

function numberOf(db: DatabaseSync, pragma: "user_version" | "application_id"): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

// How a kept value is read together with the entry that it hangs on: the columns of a KeptRow.

const KEPT_COLUMNS = "k.key, k.value, k.hash, k.session, k.seq, e.seal, e.hash AS link";
const WITH_ENTRY = "LEFT JOIN events AS e ON e.session = k.session AND e.seq = k.seq";
export const KEPT_ROW = `${KEPT_COLUMNS} FROM kept AS k ${WITH_ENTRY}`;
/** The same for values that are found by a tag. */
export const TAGGED_ROW = `${KEPT_COLUMNS} FROM kept_tags AS t CROSS JOIN kept AS k ON k.kind = t.kind AND k.key = t.key ${WITH_ENTRY}`;
