// Which sessions a prune counts and forgets, page by page; the database answers as scripted. postgres-journal.test.ts has a real one.

import { expect, it } from "vitest";
import type { Database } from "../../../src/journal/postgres/database.ts";
import { pruneDatabase } from "../../../src/journal/postgres/prune.ts";

it.each([
  { sessions: 0, kept: [] },
  { sessions: 3, kept: ["s0001"] },
  { sessions: 499, kept: [] },
  { sessions: 500, kept: ["s0000"] },
  { sessions: 501, kept: [] },
  { sessions: 1_200, kept: ["s0001", "s1100"] },
])("of $sessions old sessions counts those that are removed, and tells of all", async ({ sessions, kept }) => {
  const names = Array.from({ length: sessions }, (_one, index) => `s${String(index).padStart(4, "0")}`);
  const ask = (sql: string, values: readonly unknown[]): Promise<readonly unknown[]> => {
    if (sql.startsWith("SELECT session")) {
      const behind = names.filter((name) => name > String(values[2]));
      return Promise.resolve(behind.slice(0, 500).map((session) => ({ session })));
    }
    return Promise.resolve(sql.includes("remove_session") ? [{ removed: !kept.includes(String(values[0])) }] : []);
  };
  const told = new Map<string, boolean>();
  const forget = (session: string, isRemoved: boolean): Promise<void> =>
    Promise.resolve(void told.set(session, isRemoved));
  expect(await pruneDatabase({ ask } as unknown as Database, 9, forget)).toBe(sessions - kept.length);
  expect([...told.keys()]).toEqual(names);
  expect([...told].filter(([, isRemoved]) => !isRemoved).map(([name]) => name)).toEqual(kept);
});
