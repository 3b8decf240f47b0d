// A connection that only reads. SQLite puts two files beside a journal that it reads by its log, and leaves them there, so a file
// without a log is read as one that does not change; its stamp tells whether that held.

import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { DatabaseSync } from "node:sqlite";
import { BUSY_TIMEOUT_MS } from "../sqlite/busy-retry.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { openDatabase } from "../sqlite/node-sqlite.ts";

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
