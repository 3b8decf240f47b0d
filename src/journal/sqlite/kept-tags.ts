// The tags of kept values: one row per tag, in the order of lists by time. Written only when they change.

import type { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../core/try-read.ts";
import { type KeptPlace, placeOf, TAGGED_KINDS } from "../keep-kinds.ts";
import type { KeepKind } from "../journal.ts";

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

export interface KeptTags {
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
