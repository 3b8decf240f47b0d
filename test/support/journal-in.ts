// Where a campaign keeps a journal: in a file of a folder, or in a schema of its own on a PostgreSQL server.

import { join } from "node:path";
import { sha256 } from "../../src/journal/chain.ts";

/** `postgres`: the server's address; null for a file. Each folder has one journal. */
export function journalIn(postgres: string | null, folder: string): string {
  if (postgres === null) return join(folder, "journal.db");
  const url = new URL(postgres);
  url.searchParams.set("schema", `j_${sha256(folder).slice(0, 24)}`);
  return url.href;
}
