// Opens a journal: a file, or a schema in PostgreSQL. Each store is loaded with the first journal of its kind, so that programs without
// sessions do not pay for it.

import { checkOptions } from "../options/check-options.ts";
import type { Journal } from "./journal.ts";
import { JOURNAL_OPTIONS, type JournalOptions } from "./journal-options.ts";
import { isPostgresAddress } from "./journal-place.ts";

/**
 * A journal in one file, or in a PostgreSQL database that several machines share; made when it is not there. Refuses what is not a
 * journal, or not one it can read.
 *
 * @example
 * ```ts
 * import { createFaultline, openJournal } from "faultline";
 *
 * const journal = await openJournal("agent.db"); // or "postgres://agent@db.example.com/agents"
 * const fl = createFaultline({ journal });
 * ```
 */
export async function openJournal(place: string, options: JournalOptions = {}): Promise<Journal> {
  checkOptions("openJournal", options, JOURNAL_OPTIONS);
  if (typeof place === "string" && isPostgresAddress(place)) {
    const { openPostgresJournal } = await import("./postgres/postgres-journal.ts");
    return openPostgresJournal(place, options);
  }
  const { openSqliteJournal } = await import("./sqlite/sqlite-journal.ts");
  return openSqliteJournal(place, options);
}
