// A journal's file as the source or the target of a copy.

import { resolve } from "node:path";
import { FaultError, withContext } from "../../core/fault/fault.ts";
import { systemChance } from "../../host/chance.ts";
import { systemClock } from "../../host/clock.ts";
import type { CopiedEntry, CopiedKept, CopySource, CopyTarget } from "../copy/copied-rows.ts";
import { filesBeside } from "../files/artefacts.ts";
import { KEPT_ROW } from "./schema.ts";
import { storeError } from "../store-errors.ts";
import { warn } from "../warnings.ts";
import { createBusyRetry } from "./busy-retry.ts";
import { openStore, type Store } from "./open-store.ts";
import { createWrites } from "./writes.ts";

/** Two journals are open, so an error has to say which one it is about. */
async function open(path: string): Promise<Store> {
  try {
    return await openStore(path, systemClock, systemChance, createBusyRetry(systemClock, warn));
  } catch (error) {
    const { fault, cause } = storeError(error);
    throw new FaultError(withContext(fault, { path }), { cause });
  }
}

/** Opened for writing, so that a file of an older program is brought up to date first. */
export async function openSqliteSource(file: string): Promise<CopySource> {
  const path = resolve(file);
  const { db, storeId } = await open(path);
  const entries = db.prepare(
    "SELECT id AS position, session, seq, at, type, body, hash, seal FROM events WHERE id > ? ORDER BY id LIMIT ?",
  );
  const kept = db.prepare(`SELECT k.kind, ${KEPT_ROW} WHERE (k.kind, k.key) > (?, ?) ORDER BY k.kind, k.key LIMIT ?`);
  return {
    storeId,
    files: filesBeside(path),
    entriesAfter: (position, limit) => entries.all(position, limit) as unknown as readonly CopiedEntry[],
    keptAfter: (...asked) => kept.all(...asked) as unknown as readonly CopiedKept[],
    close: () => db.close(),
  };
}

export async function openSqliteTarget(file: string): Promise<CopyTarget> {
  const path = resolve(file);
  const { db } = await open(path);
  const writes = createWrites(db, () => systemClock.now());
  const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
  const setMeta = db.prepare(
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const head = db.prepare("SELECT last_seq AS lastSeq, last_hash AS lastHash FROM sessions WHERE session = ?");

  function inTransaction(work: () => void): Promise<void> {
    return new Promise((done) => {
      writes.begin();
      try {
        work();
        writes.commit();
      } catch (error) {
        if (db.isTransaction) writes.rollback();
        throw storeError(error, { path });
      }
      done();
    });
  }

  return {
    files: filesBeside(path),
    copyOf: () => (meta.get("copy_of")?.["value"] as string | undefined) ?? null,
    become(storeId) {
      setMeta.run("copy_of", storeId);
      setMeta.run("store_id", storeId);
    },
    isEmpty: () => db.prepare("SELECT 1 FROM sessions UNION ALL SELECT 1 FROM kept LIMIT 1").get() === undefined,
    heads: (sessions) =>
      new Map(
        sessions.flatMap((session) => {
          const found = head.get(session) as { readonly lastSeq: number; readonly lastHash: string } | undefined;
          return found === undefined ? [] : [[session, found] as const];
        }),
      ),
    append: (entries) =>
      inTransaction(() => {
        for (const { session, seq, encoded } of entries) writes.append(session, seq - 1, [encoded], []);
      }),
    keep: (values) => inTransaction(() => writes.keep(values, systemClock.now())),
    close: () => db.close(),
  };
}
