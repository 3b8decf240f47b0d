// A journal in PostgreSQL as the source or the target of a copy.

import { systemChance } from "../../host/chance.ts";
import { systemClock } from "../../host/clock.ts";
import type { CopiedEntry, CopiedKept, CopySource, CopyTarget } from "../copy/copied-rows.ts";
import { warn } from "../warnings.ts";
import type { JournalFiles } from "../files/file-store.ts";
import { readAddress } from "./address.ts";
import { openBucketOf, databaseFiles } from "./files.ts";
import { type Ask, connectTo, type Database } from "./database.ts";
import { KEPT_ROW } from "./schema.ts";
import { openDatabase } from "./open-database.ts";
import { postgresError } from "./postgres-errors.ts";
import { createWrites, loose } from "./writes.ts";

interface Opened {
  readonly db: Database;
  readonly ask: Ask;
  readonly storeId: string;
  readonly files: JournalFiles;
}

async function open(address: string, readOnly: boolean): Promise<Opened> {
  const db = connectTo(readAddress(address), warn);
  const ask: Ask = async (sql, values) => {
    try {
      return await db.ask(sql, values);
    } catch (error) {
      throw postgresError(error, db.address.secrets);
    }
  };
  try {
    const storeId = await openDatabase(db, systemChance, readOnly);
    return { db, ask, storeId, files: (await openBucketOf(db, readOnly)) ?? databaseFiles(ask) };
  } catch (error) {
    await db.close();
    throw postgresError(error, db.address.secrets);
  }
}

export async function openPostgresSource(address: string): Promise<CopySource> {
  const { db, ask, storeId, files } = await open(address, true);
  return {
    storeId,
    files,
    entriesAfter: (position, limit) =>
      ask<CopiedEntry>(
        `SELECT e.position, s.session, e.seq, e.at, e.type, e.body, e.hash, e.seal
         FROM @.events AS e JOIN @.sessions AS s ON s.number = e.session WHERE e.position > $1 ORDER BY e.position LIMIT $2`,
        [position, limit],
      ),
    keptAfter: (...asked) =>
      ask<CopiedKept>(
        `SELECT k.kind, ${KEPT_ROW} WHERE (k.kind, k.key) > ($1, $2) ORDER BY k.kind, k.key LIMIT $3`,
        asked,
      ),
    close: () => db.close(),
  };
}

export async function openPostgresTarget(address: string): Promise<CopyTarget> {
  const { db, ask, files } = await open(address, false);
  const writes = createWrites(db, {
    origin: systemChance.newId("copy"),
    channel: `faultline:${db.address.schema}`,
    now: () => systemClock.now(),
    onCommitted: () => undefined,
  });
  return {
    files,
    async copyOf() {
      const [row] = await ask<{ readonly value: string }>("SELECT value FROM @.meta WHERE name = 'copy_of'");
      return row?.value ?? null;
    },
    async become(storeId) {
      await ask(
        `INSERT INTO @.meta (name, value) VALUES ('copy_of', $1), ('store_id', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [storeId],
      );
    },
    isEmpty: async () => (await ask("SELECT 1 FROM @.sessions UNION ALL SELECT 1 FROM @.kept LIMIT 1")).length === 0,
    async heads(sessions) {
      const rows = await ask<{ readonly session: string; readonly lastSeq: number; readonly lastHash: string }>(
        `SELECT session, last_seq AS "lastSeq", last_hash AS "lastHash" FROM @.sessions WHERE session = ANY ($1)`,
        [sessions],
      );
      return new Map(rows.map(({ session, ...head }) => [session, head]));
    },
    // Asked for in one go, they go together, in this order.
    async append(entries) {
      await Promise.all(
        entries.map(({ session, seq, encoded }) =>
          writes.add({ append: { session, after: seq - 1, entries: [encoded] }, keeps: [], onlyOver: null }),
        ),
      );
    },
    async keep(values) {
      if (values.length > 0) await writes.add(loose(values));
    },
    async close() {
      await writes.drained();
      await db.close();
    },
  };
}
