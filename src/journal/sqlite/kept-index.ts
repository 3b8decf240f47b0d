// How kept values are found: by tags, one row each in the order of lists by time, and by words. Written only when they change.

import type { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../core/try-read.ts";
import { type KeptPlace, placeOf, TAGGED_KINDS } from "../keep-kinds.ts";
import type { KeepKind } from "../journal.ts";
import type { EncodedKeep } from "../encode.ts";
import { pairsOf, textOfRun } from "../search-text.ts";

export function createTagTables(db: DatabaseSync, schema: "main" | "temp"): void {
  db.exec(`
        CREATE TABLE ${schema}.kept_tags (
          kind TEXT NOT NULL,
          tag TEXT NOT NULL,
          at REAL NOT NULL,
          key TEXT NOT NULL,
          PRIMARY KEY (kind, tag, at, key)
        ) WITHOUT ROWID;
        CREATE INDEX ${schema}.kept_tags_by_key ON kept_tags (kind, key)`);
}

interface KeptTags {
  /** Call it after a value was kept or removed; a removed value has no tags. */
  note(kind: KeepKind, key: string, place: KeptPlace): void;
}

export function createKeptTags(db: DatabaseSync): KeptTags {
  const find = db.prepare("SELECT tag, at FROM kept_tags WHERE kind = ? AND key = ?");
  const remove = db.prepare("DELETE FROM kept_tags WHERE kind = ? AND key = ?");
  const insert = db.prepare("INSERT INTO kept_tags (kind, tag, at, key) VALUES (?, ?, ?, ?)");
  return {
    note(kind, key, { at, tags }) {
      if (!TAGGED_KINDS.has(kind)) return;
      const there = find.all(kind, key);
      if (there.length === tags.length && there.every((row) => row["at"] === at && tags.includes(String(row["tag"]))))
        return;
      if (there.length > 0) remove.run(kind, key);
      for (const tag of tags) insert.run(kind, tag, at, key);
    },
  };
}

export function fillKeptTags(db: DatabaseSync): void {
  const tags = createKeptTags(db);
  const kept = db.prepare("SELECT kind, key, value FROM kept WHERE kind = ?");
  for (const kind of TAGGED_KINDS) {
    for (const { key, value } of kept.iterate(kind))
      tags.note(kind, String(key), placeOf(kind, parseJson(String(value))));
  }
}

// Full-text search in a journal's file: pairs of characters in FTS5, without the texts themselves. Rows are numbered by position, so the
// newest are found first without sorting: a failure by its own position, a run by that of its first entry.

const PAIRS = "fts5(pairs, content = '', contentless_delete = 1, tokenize = 'ascii')";

export function createSearchTables(db: DatabaseSync, schema: "main" | "temp"): void {
  db.exec(`
        CREATE VIRTUAL TABLE ${schema}.fault_text USING ${PAIRS};
        CREATE VIRTUAL TABLE ${schema}.run_text USING ${PAIRS};
        CREATE TABLE ${schema}.searched_runs (
          position INTEGER PRIMARY KEY,
          run TEXT NOT NULL UNIQUE,
          text TEXT NOT NULL
        )`);
}

interface RunSearch {
  /** Call it after the run was kept. A text that has not changed is not written again. */
  note(run: string, text: string): void;
  remove(run: string): void;
}

export function createRunSearch(db: DatabaseSync): RunSearch {
  const find = db.prepare("SELECT position, text FROM searched_runs WHERE run = ?");
  const firstOf = db.prepare("SELECT id FROM events WHERE session = ? AND seq = 1");
  const put = db.prepare(
    `INSERT INTO searched_runs (position, run, text) VALUES (?, ?, ?)
     ON CONFLICT (position) DO UPDATE SET text = excluded.text`,
  );
  const forget = db.prepare("DELETE FROM searched_runs WHERE run = ?");
  const insertText = db.prepare("INSERT INTO run_text (rowid, pairs) VALUES (?, ?)");
  const removeText = db.prepare("DELETE FROM run_text WHERE rowid = ?");

  function found(run: string): { readonly position: number; readonly text: string } | undefined {
    return find.get(run) as unknown as { readonly position: number; readonly text: string } | undefined;
  }

  return {
    note(run, text) {
      const there = found(run);
      if (there?.text === text) return;
      const position = there?.position ?? firstOf.get(run)?.["id"];
      // A run is a session of the same name; without one it has no position.
      if (typeof position !== "number") return;
      if (there !== undefined) removeText.run(position);
      put.run(position, run, text);
      insertText.run(position, pairsOf(text));
    },
    remove(run) {
      const there = found(run);
      if (there === undefined) return;
      removeText.run(there.position);
      forget.run(run);
    },
  };
}

/** Updates the index after a kept value was written or removed. */
export function searchKept(search: RunSearch, { kind, key, searched }: EncodedKeep): void {
  if (kind !== "run") return;
  if (searched === null) search.remove(key);
  else search.note(key, searched);
}

export function fillRunSearch(db: DatabaseSync): void {
  const search = createRunSearch(db);
  const runs = db.prepare("SELECT key, value FROM kept WHERE kind = 'run'");
  for (const { key, value } of runs.iterate())
    search.note(String(key), textOfRun(String(key), parseJson(String(value))));
}
