// What Faultline itself needs of this machine, looked at without changing it.

import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isFaultError } from "../../core/fault/fault-error.ts";
import { tryRead } from "../../core/try-read.ts";

export interface MachineCheck {
  readonly check: "node" | "sqlite" | "journal" | "workflow";
  /** A version, or the file that was named. */
  readonly value: string;
  readonly ok: boolean;
  /** Why it is not ok and what to do; null when there is nothing to say. */
  readonly detail: string | null;
}

export interface Versions {
  readonly node: string;
  /** Undefined where Node was built without it. */
  readonly sqlite?: string | undefined;
}

/** A Node that is too old does not come this far: the command line ends before. */
export function checkNode({ node }: Versions): MachineCheck {
  return { check: "node", value: node, ok: true, detail: null };
}

const NO_SQLITE = "This Node was built without SQLite, so there can be no journal. Install Node from nodejs.org.";

export async function checkSqlite({ node, sqlite }: Versions): Promise<MachineCheck> {
  if (sqlite === undefined) return { check: "sqlite", value: "–", ok: false, detail: NO_SQLITE };
  // Loaded only here: a Node without SQLite cannot load it.
  const { requireSqlite } = await import("../../journal/sqlite/open-store.ts");
  try {
    requireSqlite(sqlite, `v${node}`);
    return { check: "sqlite", value: sqlite, ok: true, detail: null };
  } catch (error) {
    if (!isFaultError(error)) throw error;
    return { check: "sqlite", value: sqlite, ok: false, detail: error.fault.message };
  }
}

export type MakingObstacle = "no-folder" | "not-writable";
export type WritingObstacle = MakingObstacle | "file-not-writable";

/** What stands in the way of writing to a file that is there, and of making others beside it; null when nothing does. */
export function obstacleToWriting(path: string): WritingObstacle | null {
  const beside = obstacleToMaking(path);
  if (beside !== null) return beside;
  return tryRead(() => {
    accessSync(path, constants.W_OK);
    return null;
  }, "file-not-writable");
}

/** What stands in the way of making a file there; null when nothing does. Folders that are missing would be made, too. */
export function obstacleToMaking(path: string): MakingObstacle | null {
  let folder = dirname(resolve(path));
  while (!isThere(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return tryRead(() => {
    if (!statSync(folder).isDirectory()) return "no-folder";
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  }, "not-writable");
}

/** A place that may not be looked at is there. */
function isThere(path: string): boolean {
  return tryRead(() => statSync(path, { throwIfNoEntry: false }) !== undefined, true);
}
