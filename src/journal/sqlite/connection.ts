// Node's SQLite, loaded when the first journal is opened, so that a program without a journal file runs on a Node that has none.

import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { onFirstUse } from "../../host/builtin.ts";
import { refusal } from "../journal-faults.ts";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { BUSY_TIMEOUT_MS } from "./busy-retry.ts";
import { isMissingFile } from "../../host/missing-file.ts";

export function openDatabase(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const { DatabaseSync } = sqlite();
  return new DatabaseSync(path, options);
}

interface Sqlite {
  readonly DatabaseSync: new (path: string | URL, options: DatabaseSyncOptions) => DatabaseSync;
}

const sqlite = onFirstUse(() => {
  const emitWarning = process.emitWarning.bind(process);
  // Node 22 calls its SQLite experimental, once, when it is loaded. We rely on what it has in common with Node 24, where it is not.
  process.emitWarning = (warning: string | Error, ...about: readonly unknown[]): void => {
    if (!String(warning).startsWith("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, null, [warning, ...about]);
  };
  try {
    const loaded = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
    if (loaded === undefined) throw withoutSqlite();
    return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
});

function withoutSqlite(): Error {
  const { version } = process;
  return refusal(
    "HostCapabilityMissing",
    `A journal in a file needs Node 22.23, Node 24 or newer; this is Node ${version}, which has no SQLite. ` +
      "Install a newer Node, or keep the journal in memory: createFaultline() without the option `journal`.",
    { context: { capability: "sqlite", node: version } },
  );
}

// A connection that only reads. SQLite puts two files beside a journal that it reads by its log, and leaves them there, so a file
// without a log is read as one that does not change; its stamp tells whether that held.

export interface ReadonlyConnection {
  readonly db: DatabaseSync;
  /** The state of the files at opening, for a connection that cannot see changes; null for one that can. */
  readonly stamp: string | null;
}

export function connectReadonly(path: string): ReadonlyConnection {
  const stamp = stampOf(path);
  if (sizeOf(`${path}-wal`) > 0) {
    return { db: openDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }), stamp: null };
  }
  const place = pathToFileURL(path);
  place.searchParams.set("immutable", "1");
  return { db: openDatabase(place, { readOnly: true }), stamp };
}

/** Opens another one as soon as there was a write. */
export function stampOf(path: string): string {
  const { size, mtimeNs, ino } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${sizeOf(`${path}-wal`)}`;
}

/** 0 when it is not there. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (isMissingFile(error)) return 0;
    throw error;
  }
}
