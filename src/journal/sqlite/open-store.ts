// Opens a journal's file, or creates it. Refuses a file that cannot be trusted before it changes a byte of it.

import { existsSync } from "node:fs";
import { link, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isFaultError } from "../../core/fault/fault.ts";
import { readField } from "../../core/try-read.ts";
import type { Chance } from "../../host/chance.ts";
import type { Clock } from "../../host/clock.ts";
import { readHeader } from "./file-header.ts";
import { refuseWithoutLog } from "./log-mark.ts";
import { openDatabase, connectReadonly } from "./connection.ts";
import { BUSY_TIMEOUT_MS, retryWhileBusy, type BusyRetry } from "./busy-retry.ts";
import { drift, refusal } from "../journal-faults.ts";
import {
  APPLICATION_ID,
  applicationIdOf,
  bringUpToDate,
  isBlank,
  missingParts,
  SCHEMA_VERSION,
  versionOf,
} from "./schema.ts";
import { storeError } from "../store-errors.ts";
import { makeFolder } from "../files/file-store.ts";

export interface Store {
  readonly db: DatabaseSync;
  readonly storeId: string;
}

/** `path` is absolute. */
export async function openStore(path: string, clock: Clock, chance: Chance, busyRetry: BusyRetry): Promise<Store> {
  checkSqlite();
  try {
    await createFile(path, clock, chance, busyRetry);
    await checkBeforeOpening(path, clock);
  } catch (error) {
    throw storeError(error, { path });
  }
  const db = await retryWhileBusy(busyRetry, "opening the journal", () => connect(path));
  try {
    await retryWhileBusy(busyRetry, "setting up the journal", () => setUp(db, path, clock.now(), chance));
    await retryWhileBusy(busyRetry, "opening the journal", () => useLog(db));
    await removeDrafts(path);
    return { db, storeId: readStoreId(db) };
  } catch (error) {
    db.close();
    throw storeError(error, { path });
  }
}

/**
 * While another process creates the file, its bytes can look like those of a foreign or a torn file. The rollback journal exists during
 * that time; then SQLite decides. A check that fell between two steps is repeated.
 */
async function checkBeforeOpening(path: string, clock: Clock): Promise<void> {
  for (let checks = 1; !existsSync(`${path}-journal`); checks++) {
    try {
      const header = await readHeader(path);
      if (header === null) return;
      if (header.applicationId === APPLICATION_ID) refuseWithoutLog(path);
      else refuseForeign(path, header.applicationId);
      return;
    } catch (error) {
      if (checks === MAX_CHECKS || !isFaultError(error)) throw error;
      await new Promise<void>((resolve) => clock.after(CHECK_AGAIN_MS, resolve));
    }
  }
}

/** Creating a file takes two steps, and closing one removes its log a moment early: at most two checks can fall into these moments. */
const MAX_CHECKS = 3;
const CHECK_AGAIN_MS = 20;

/** Older versions can damage a file that two processes write to: https://sqlite.org/wal.html#walresetbug. */
const OLDEST_SQLITE = [3, 51, 3] as const;

function checkSqlite(): void {
  const memory = openDatabase(":memory:");
  const version = String(memory.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  memory.close();
  requireSqlite(version, process.version);
}

export function requireSqlite(version: string, nodeVersion: string): void {
  const parts = version.split(".").map(Number);
  const firstOff = OLDEST_SQLITE.findIndex((wanted, index) => parts[index] !== wanted);
  if (firstOff === -1 || (parts[firstOff] ?? 0) > (OLDEST_SQLITE[firstOff] ?? 0)) return;
  throw refusal(
    "HostCapabilityMissing",
    `The SQLite in Node ${nodeVersion} is ${version}, which can damage a journal that two processes write to. ` +
      `It must be ${OLDEST_SQLITE.join(".")} or newer: install Node 22.23 or newer, or the newest Node 24.`,
    { context: { capability: "sqlite", version, node: nodeVersion } },
  );
}

/**
 * A journal is private: only the owner may read its folder and file. A new journal is built as a draft in the same folder and then linked
 * to its name, so that processes that start at the same time never see half a file: the first link wins.
 */
async function createFile(path: string, clock: Clock, chance: Chance, busyRetry: BusyRetry): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  // The check that follows reports a log without its file.
  if (existsSync(path) || existsSync(`${path}-wal`)) return ensureFile(path);
  const draft = `${path}.${chance.newId(DRAFT)}`;
  try {
    await ensureFile(draft);
    await completeDraft(draft, clock, chance, busyRetry);
    await link(draft, path);
  } catch (error) {
    // Another process was first, and may have removed this draft because it took it for an abandoned one.
    if (existsSync(path)) return;
    // On a file system without hard links, SQLite creates the tables in the final file.
    if (!NO_LINKS.has(readCode(error))) throw error;
    await ensureFile(path);
  } finally {
    await removeDrafts(path, basename(draft));
  }
}

const DRAFT = "new";

/** Removes one draft, or by default all of them: a process that was killed while it created the journal leaves its draft behind. */
async function removeDrafts(path: string, beginning = `${basename(path)}.${DRAFT}_`): Promise<void> {
  const names = await readdir(dirname(path));
  for (const name of names) if (name.startsWith(beginning)) await rm(join(dirname(path), name), { force: true });
}

const NO_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function readCode(error: unknown): unknown {
  return error instanceof Error ? readField(error, "code") : undefined;
}

/** Creates an empty file unless there is one. */
async function ensureFile(path: string): Promise<void> {
  const file = await open(path, "a", 0o600);
  await file.close();
}

/** After it is closed, the draft is one complete file whose header says that it uses a write-ahead log. */
async function completeDraft(path: string, clock: Clock, chance: Chance, busyRetry: BusyRetry): Promise<void> {
  const db = connect(path);
  try {
    await retryWhileBusy(busyRetry, "setting up the journal", () => setUp(db, path, clock.now(), chance));
    await retryWhileBusy(busyRetry, "setting up the journal", () => useLog(db));
  } finally {
    db.close();
  }
}

/** A file without our application id may be an empty SQLite file; any other belongs to another program. */
export function refuseForeign(path: string, applicationId: number): void {
  if (applicationId === 0) {
    // A process died while it created the file. Opening it for writing rolls that back and checks the file again.
    if (existsSync(`${path}-journal`)) return;
    const { db } = connectReadonly(path);
    try {
      if (isBlank(db)) return;
    } finally {
      db.close();
    }
  }
  throw foreign(path);
}

function foreign(path: string): Error {
  return drift(
    `${path} is not a journal: it is the SQLite file of another program. It was not changed; name another file.`,
    {
      context: { path },
    },
  );
}

function connect(path: string): DatabaseSync {
  return openDatabase(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
}

/** Creates the tables or updates them, in one transaction, unless another process has just done it. */
function setUp(db: DatabaseSync, path: string, now: number, chance: Chance): void {
  refuseNewer(versionOf(db), path);
  if (versionOf(db) === SCHEMA_VERSION) {
    refuseIncomplete(db, path);
    return;
  }
  // Takes effect only before the first table is made: removed sessions then give their space back bit by bit.
  if (isBlank(db)) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  db.exec("BEGIN IMMEDIATE");
  try {
    refuseNewer(versionOf(db), path);
    // Between the first check and the lock, another program may have started to use the file.
    if (applicationIdOf(db) !== APPLICATION_ID && !isBlank(db)) throw foreign(path);
    bringUpToDate(db, now);
    db.prepare("INSERT INTO meta (name, value) VALUES ('store_id', ?) ON CONFLICT DO NOTHING").run(
      chance.newId("store"),
    );
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

export function refuseNewer(version: number, path: string): void {
  if (version <= SCHEMA_VERSION) return;
  throw drift(
    `${path} has version ${version} and this program knows versions up to ${SCHEMA_VERSION}: a newer program wrote it. ` +
      "It was not changed; upgrade this program.",
    { context: { path, found: version, known: SCHEMA_VERSION } },
  );
}

export function refuseIncomplete(db: DatabaseSync, path: string): void {
  const missing = missingParts(db);
  if (missing.length === 0) return;
  throw drift(
    `${path} lacks ${missing.join(", ")}: it is not a complete journal. Restore a copy, or move it away and begin a new one.`,
    {
      context: { path },
    },
  );
}

/** The size of the log, 16 MiB, at which SQLite merges it into the file. A merge costs two more syncs. */
const LOG_PAGES = 4000;

function useLog(db: DatabaseSync): void {
  const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode !== "wal") {
    throw refusal(
      "HostCapabilityMissing",
      `The journal needs SQLite's write-ahead log, and its file system gives ${String(mode)} instead. Put the file on a local disk.`,
      { context: { capability: "wal" } },
    );
  }
  // Every commit is on disk when it returns: with NORMAL, a power failure would lose acknowledged writes.
  db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
}

export function readStoreId(db: DatabaseSync): string {
  const value = db.prepare("SELECT value FROM meta WHERE name = 'store_id'").get()?.["value"];
  if (typeof value !== "string") throw drift("The journal has no store id. Restore a copy of its file.");
  return value;
}
