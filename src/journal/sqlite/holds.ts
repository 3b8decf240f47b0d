// The table of holds in a journal's file. Writes run in an exclusive transaction.

import type { DatabaseSync } from "node:sqlite";
import type { Held, HoldTable } from "../holds.ts";

export function createSqliteHoldTable(db: DatabaseSync): HoldTable {
  const find = db.prepare("SELECT owner, until FROM holds WHERE key = ?");
  const put = db.prepare(
    `INSERT INTO holds (key, owner, until) VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until`,
  );
  const remove = db.prepare("DELETE FROM holds WHERE key = ?");
  const removeExpired = db.prepare("DELETE FROM holds WHERE until < ?");
  const all = db.prepare("SELECT key, owner, until FROM holds ORDER BY key");
  return {
    find: (key) => find.get(key) as unknown as Held | undefined,
    put: (key, { owner, until }) => void put.run(key, owner, until),
    remove: (key) => void remove.run(key),
    removeExpired: (before) => void removeExpired.run(before),
    all: () => all.all() as unknown as ReturnType<HoldTable["all"]>,
  };
}
