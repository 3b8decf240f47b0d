// The tables of a journal file and the steps that lead to them. A new file takes all steps, so an old one that is
// brought up to date cannot end up different from it.

import type { DatabaseSync } from "node:sqlite";

/** "FLTJ", so that other programs can tell whose file it is. */
export const APPLICATION_ID = 0x464c_544a;

type Step = (db: DatabaseSync, now: number) => void;

/** Step n leads from version n to n + 1. Never change one that was released. */
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
  // Tells when a kept value was last written; of those from before nobody knows, so it is now.
  (db, now) => {
    db.exec("ALTER TABLE kept ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0");
    db.prepare("UPDATE kept SET updated_at = ?").run(now);
  },
  // Drivers of runs look at all wakes again and again: the index holds them side by side, where the table has large values in between.
  (db) =>
    db.exec(`
        CREATE TABLE holds (
          key TEXT PRIMARY KEY,
          owner TEXT NOT NULL,
          until INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX kept_wakes ON kept (kind, key, value) WHERE kind = 'wake'`),
];

export const SCHEMA_VERSION = STEPS.length;
const TABLES = ["events", "holds", "kept", "meta", "sessions"] as const;

export function versionOf(db: DatabaseSync): number {
  return numberOf(db, "user_version");
}

export function applicationIdOf(db: DatabaseSync): number {
  return numberOf(db, "application_id");
}

/** Whether anything was ever put into the file. */
export function isBlank(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

export function missingTables(db: DatabaseSync): readonly string[] {
  const there = new Set(
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map((row) => row["name"]),
  );
  return TABLES.filter((table) => !there.has(table));
}

/** Brings the file from its version to this program's; the caller holds the transaction. */
export function bringUpToDate(db: DatabaseSync, now: number): void {
  for (const step of STEPS.slice(versionOf(db))) step(db, now);
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID}`);
}

function numberOf(db: DatabaseSync, pragma: "user_version" | "application_id"): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
