// All journals give the same guarantees.

import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { openPostgresJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { journalSuite } from "../../src/testing/journal-suite.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { tempFolder } from "./temp-folder.ts";

journalSuite("the journal in memory", () => {
  const troubles: string[] = [];
  const journal = createMemoryJournal({ onWarning: ({ message }, what) => void troubles.push(`${what}: ${message}`) });
  return Promise.resolve({ journal, troubles, close: () => journal.close() });
});

journalSuite("the journal in SQLite", async () => {
  const folder = tempFolder();
  const troubles: string[] = [];
  const open = () =>
    openSqliteJournal(folder.file("journal.db"), {
      onWarning: ({ message }, what) => void troubles.push(`${what}: ${message}`),
    });
  let journal = await open();
  return {
    journal,
    troubles,
    reopen: async () => {
      await journal.close();
      journal = await open();
      return journal;
    },
    close: async () => {
      await journal.close();
      folder.remove();
    },
  };
});

journalSuite("the journal in PostgreSQL", async () => {
  const url = await freshJournalUrl();
  const troubles: string[] = [];
  const open = () =>
    openPostgresJournal(url, { onWarning: ({ message }, what) => void troubles.push(`${what}: ${message}`) });
  let journal = await open();
  return {
    journal,
    troubles,
    reopen: async () => {
      await journal.close();
      journal = await open();
      return journal;
    },
    close: () => journal.close(),
  };
});
