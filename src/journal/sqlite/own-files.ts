// Notices that a journal's files were deleted, moved or replaced while this program has them open. SQLite keeps writing to files
// that no longer have a name, and everything it acknowledges is lost when the program ends.

import { statSync } from "node:fs";
import { drift } from "../journal-faults.ts";

export interface OwnFiles {
  /** Throws when the names no longer lead to the files that were opened. */
  refuseGone(): void;
}

/** Called when both files are there: SQLite keeps a log for as long as a connection is open. */
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
    `${file} was deleted, moved or replaced while this program has the journal open, so the journal accepts no more writes. ` +
      `Stop the program, put ${path} and ${path}-wal back together, and start it again.`,
    { context: { path } },
  );
}
