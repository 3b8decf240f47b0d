// The last writes are in the log beside a journal's file until SQLite merges them. A file that is moved or copied without its
// log has lost those writes, and SQLite does not notice. So the file itself carries a mark while a log belongs to it:
// M1  the mark is in the file before the first write of a program is acknowledged.
// M2  The mark goes when the last program closes the journal; its log goes with it. A program that ends without closing the journal
//     closes it at its exit: SQLite would remove the log then and leave the mark.
// M3  a file with the mark and without a log is refused. An empty log satisfies the mark: an operator who knows that another tool has
//     merged the log into the file can create one.

import { closeSync, existsSync, openSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { classify } from "../../core/classify/classify.ts";
import { connectReadonly, stampOf } from "./connection.ts";
import { drift } from "../journal-faults.ts";
import { isBusy, storeError } from "../store-errors.ts";
import type { OnWarning } from "../warnings.ts";

const isMarkedSql = "SELECT 1 FROM meta WHERE name = 'log'";

interface LogMark {
  /** Inside the transaction of a write. */
  set(): void;
  /** After its commit: brings the mark from the log into the file. */
  settle(): void;
  /** Takes the mark away when this is the last program, and closes. */
  close(): void;
}

export function createLogMark(db: DatabaseSync, path: string, warn: OnWarning): LogMark {
  const isMarked = db.prepare(isMarkedSql);
  const mark = db.prepare("INSERT INTO meta (name, value) VALUES ('log', 'beside') ON CONFLICT DO NOTHING");
  let state: "unknown" | "new" | "there" = "unknown";

  /** False when another program has the journal open. */
  function clear(): boolean {
    if (isMarked.get() === undefined) return true;
    try {
      db.exec("PRAGMA locking_mode = EXCLUSIVE; DELETE FROM meta WHERE name = 'log'");
      return true;
    } catch (error) {
      if (!isBusy(error)) throw storeError(error);
      return false;
    }
  }

  function close(): void {
    forgetExit();
    const isClear = clear();
    db.close();
    // Two programs that close at the same time each see the other one open, so neither removes the mark. SQLite has removed the log:
    // an empty one takes its place, so that the next program does not refuse the file.
    if (!isClear && existsSync(path) && !existsSync(`${path}-wal`)) closeSync(openSync(`${path}-wal`, "a", 0o600));
  }

  const forgetExit = atExit(() => {
    try {
      close();
    } catch (error) {
      warn(classify({ surface: "store", error }), "closing the journal at the end of the process");
    }
  });

  return {
    set() {
      if (state === "unknown") state = mark.run().changes === 1 ? "new" : "there";
    },
    settle() {
      if (state !== "new") return;
      db.exec("PRAGMA wal_checkpoint(PASSIVE)");
      state = "there";
    },
    close,
  };
}

/** Checks the file only while it has no log. A program that opens the file meanwhile creates the log, so the check is repeated. */
export function refuseWithoutLog(path: string): void {
  if (existsSync(`${path}-wal`)) return;
  const { db, stamp } = connectReadonly(path);
  try {
    if (db.prepare(isMarkedSql).get() === undefined) return;
  } finally {
    db.close();
  }
  if (existsSync(`${path}-wal`) || stamp !== stampOf(path)) return;
  throw drift(
    `${path} was in use when it was last written to, but its log ${path}-wal is missing, and with it the last writes. ` +
      `Move or copy both files together. If another tool has merged the log into the file, create an empty ${path}-wal.`,
    { context: { path } },
  );
}

// Work for the moment a process ends by itself or calls `process.exit`: one listener, however many parts of the program need it.

const works = new Set<() => void>();
let isListening = false;

/** `work` must not wait for anything. The returned function takes it back. */
function atExit(work: () => void): () => void {
  if (!isListening) process.on("exit", runAll);
  isListening = true;
  works.add(work);
  return () => void works.delete(work);
}

function runAll(): void {
  for (const work of works) work();
}

// Notices that a journal's files were deleted, moved or replaced while this program has them open. SQLite keeps writing to files
// that no longer have a name, and everything it acknowledges is lost when the program ends.

interface OwnFiles {
  /** Throws when the names no longer lead to the files that were opened. */
  refuseGone(): void;
}

/** Call it when both files exist: SQLite keeps a log while a connection is open. */
export function watchOwnFiles(path: string): OwnFiles {
  const files = [path, `${path}-wal`].map((file) => ({ file, opened: identityOf(file) }));
  return {
    refuseGone() {
      for (const { file, opened } of files) {
        // A log is made with the first read; before that there is nothing to compare.
        if (opened !== null && identityOf(file) !== opened) throw gone(path, file);
      }
    },
  };
}

function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

function gone(path: string, file: string): Error {
  return drift(
    `${file} was deleted, moved or replaced while this program has the journal open, so nothing is written until it is back. ` +
      `Move ${path} and ${path}-wal back; if you have only a copy of them, stop the program, put the copy there, and start it again.`,
    { context: { path } },
  );
}
