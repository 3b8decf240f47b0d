// Writes what a waiting run has to read, and marks the run as due, so that a driver reads it.

import type { Journal } from "../../journal/journal.ts";

/** When the run is due if this process dies between the two writes. */
const SECOND_CHANCE_MS = 10_000;

/**
 * The run is marked twice. The mark after the write wakes it now. The one before it is for the process that dies in between; a driver that
 * came at once would find nothing to read yet, so this one lies in the future.
 */
export async function writeAndWake<T>(journal: Journal, run: string, at: number, write: () => Promise<T>): Promise<T> {
  await wakeRun(journal, run, at + SECOND_CHANCE_MS);
  const written = await write();
  await wakeRun(journal, run, at);
  return written;
}

export async function wakeRun(journal: Journal, run: string, at: number): Promise<void> {
  await journal.keep([{ kind: "wake", key: run, value: at }]);
}
