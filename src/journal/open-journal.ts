// Opens the embedded journal. The store is loaded with the first one, so that programs without sessions do not pay for it.

import type { Journal } from "./journal.ts";
import type { SqliteJournalOptions } from "./sqlite/sqlite-journal.ts";

/**
 * A journal in one file; made when it is not there. Refuses a file that is not a journal, or not one it can read.
 *
 * @example
 * ```ts
 * import { createFaultline, openJournal } from "faultline";
 *
 * const journal = await openJournal("agent.db");
 * const fl = createFaultline({ journal });
 * ```
 */
export async function openJournal(path: string, options: SqliteJournalOptions = {}): Promise<Journal> {
  const { openSqliteJournal } = await import("./sqlite/sqlite-journal.ts");
  return openSqliteJournal(path, options);
}
