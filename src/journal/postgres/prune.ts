// Removes ended sessions with all that is theirs, one transaction each, so that writers wait for none of it for long.

import { fileNameOf } from "../files/artefact-names.ts";
import { kindsOwned } from "../keep-kinds.ts";
import { ENDED } from "../encode.ts";
import type { Database } from "./database.ts";

const PAGE = 500;

/** `forget` is called for each session that may be gone. */
export async function pruneDatabase(
  db: Database,
  before: number,
  forget: (session: string, isRemoved: boolean) => Promise<void>,
): Promise<number> {
  await db.ask("DELETE FROM @.kept_tags WHERE kind = ANY ($1) AND at < $2", [kindsOwned("by-age"), before]);
  await db.ask("DELETE FROM @.kept WHERE kind = ANY ($1) AND at < $2", [kindsOwned("by-age"), before]);
  let removed = 0;
  for (let last = ""; ;) {
    const old = await db.ask<{ readonly session: string }>(
      `SELECT session FROM @.sessions WHERE status = ANY ($1) AND updated_at < $2 AND session > $3 ORDER BY session LIMIT ${PAGE}`,
      [ENDED, before, last],
    );
    for (const { session } of old) {
      const isRemoved = await removeSession(db, session, before);
      if (isRemoved) removed++;
      await forget(session, isRemoved);
      last = session;
    }
    if (old.length < PAGE) return removed;
  }
}

async function removeSession(db: Database, session: string, before: number): Promise<boolean> {
  const [answer] = await db.ask<{ readonly removed: boolean }>(
    "SELECT @.remove_session_1($1, $2, $3, $4, $5, $6, $7) AS removed",
    [
      session,
      fileNameOf(session),
      before,
      ENDED,
      kindsOwned("by-key"),
      kindsOwned("by-value"),
      kindsOwned("by-question"),
    ],
  );
  return answer?.removed === true;
}
