// A journal's file, opened read-only. SQLite creates two files beside a file that it reads through its log and leaves them there,
// so a file without a writer is read directly, and through its log only when there is one. Invariants:
// L1  nothing is made and nothing is written, in the file or beside it, unless a log that others left there has to be read.
// L2  A read that overlapped the start of a write is repeated: no answer mixes two states of the file.

import type { DatabaseSync } from "node:sqlite";
import { fieldOf } from "../../core/try-read.ts";
import { readHeader } from "../sqlite/file-header.ts";
import { createHolds } from "../holds.ts";
import type { Hold } from "../journal.ts";
import { refuseWithoutLog } from "../sqlite/log-mark.ts";
import { connectReadonly, sizeOf, stampOf } from "../sqlite/connection.ts";
import { readStoreId, refuseForeign, refuseIncomplete, refuseNewer } from "../sqlite/open-store.ts";
import { refusal } from "../journal-faults.ts";
import { APPLICATION_ID, HOLDS_VERSION, isBlank, SCHEMA_VERSION, seeAsCurrent, versionOf } from "../sqlite/schema.ts";
import { createSqliteHoldTable } from "../sqlite/holds.ts";
import { createReads, type Reads } from "../sqlite/reads.ts";
import { storeError } from "../store-errors.ts";

export interface ReadonlyStore {
  readonly storeId: string;
  /** Reads at one moment of the file. */
  now<T>(read: (view: View) => T): T;
  /** Others have committed since this was last asked. */
  hasChanged(): boolean;
  close(): void;
}

export interface View {
  readonly reads: Reads;
  readonly holds: () => readonly (Hold & { readonly key: string })[];
}

interface OpenView extends View {
  readonly db: DatabaseSync;
  /** The state of the files at opening, for a connection that cannot see changes; null for one that can. */
  readonly stamp: string | null;
}

/** `path` is absolute. Refuses a missing file, a file that is not a journal, and one that a newer program wrote. */
export async function openReadonlyStore(path: string): Promise<ReadonlyStore> {
  try {
    if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) === 0) throw nothingThere(path);
    const header = await readHeader(path);
    if (header !== null && header.applicationId !== APPLICATION_ID) refuseForeign(path, header.applicationId);
    const store = createLookStore(path);
    try {
      refuseWithoutLog(path);
      return store;
    } catch (error) {
      store.close();
      throw storeError(error, { path });
    }
  } catch (error) {
    throw storeError(error, { path });
  }
}

function createLookStore(path: string): ReadonlyStore {
  let view = openView(path);
  const storeId = readStoreId(view.db);
  const hasMoved = (): boolean => view.stamp !== null && stampOf(path) !== view.stamp;

  function openAgain(): void {
    view.db.close();
    view = openView(path);
  }

  function now<T>(read: (view: View) => T): T {
    for (;;) {
      if (hasMoved()) openAgain();
      try {
        const value = read(view);
        if (!hasMoved()) return value;
      } catch (error) {
        // Pages that were being written look like damage.
        if (!hasMoved()) throw error;
      }
    }
  }

  return {
    storeId,
    now,
    hasChanged() {
      if (!hasMoved()) return view.reads.hasChanged();
      openAgain();
      return true;
    },
    close: () => view.db.close(),
  };
}

function openView(path: string): OpenView {
  const { db, stamp } = connectReadonly(path);
  try {
    const version = versionOf(db);
    refuseNewer(version, path);
    if (isBlank(db)) throw nothingThere(path);
    // A file of an older program is read as it is: only opening it for writing upgrades it.
    if (version === SCHEMA_VERSION) refuseIncomplete(db, path);
    const holds = version >= HOLDS_VERSION ? createHolds(createSqliteHoldTable(db)) : null;
    const fillIndexes = seeAsCurrent(db);
    return { db, stamp, reads: createReads(db, fillIndexes), holds: () => holds?.all() ?? [] };
  } catch (error) {
    db.close();
    throw stamp === null && isRefusedLog(error) ? unreadableLog(path, error) : error;
  }
}

/** What SQLite says when it needs a file beside the log and cannot make it: "unable to open database file", "… readonly database". */
const REFUSED_LOG: ReadonlySet<unknown> = new Set([14, 8]);

function isRefusedLog(error: unknown): boolean {
  const code = fieldOf(error, "errcode");
  return typeof code === "number" && REFUSED_LOG.has(code & 0xff);
}

function unreadableLog(path: string, error: unknown): Error {
  return refusal(
    "StoreUnavailable",
    `${path} has a log beside it that a program left there, which can only be read where ${path}-shm can be made. ` +
      `Copy ${path} and ${path}-wal to a folder of your own, and look at them there.`,
    { context: { path }, error },
  );
}

function nothingThere(path: string): Error {
  return refusal(
    "NotFound",
    `There is no journal at ${path}, and opening one read-only does not create it. Check the name.`,
    {
      context: { path },
    },
  );
}
