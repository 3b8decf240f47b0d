// Checks what Faultline itself needs on this machine, without changing anything.

import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isFaultError } from "../../core/fault/fault.ts";
import { tryRead } from "../../core/try-read.ts";

export interface MachineCheck {
  readonly check: "node" | "sqlite" | "journal" | "workflow";
  /** A version, or the path of the file. */
  readonly value: string;
  readonly ok: boolean;
  /** Why the check failed and what to do; null if there is nothing to say. */
  readonly detail: string | null;
}

export interface Versions {
  readonly node: string;
  /** Undefined if Node was built without SQLite. */
  readonly sqlite?: string | undefined;
}

/** Always ok: the command line exits earlier if Node is too old. */
export function checkNode({ node }: Versions): MachineCheck {
  return { check: "node", value: node, ok: true, detail: null };
}

const NO_SQLITE = "This Node was built without SQLite, which the journal needs. Install Node from nodejs.org.";

export async function checkSqlite({ node, sqlite }: Versions): Promise<MachineCheck> {
  if (sqlite === undefined) return { check: "sqlite", value: "–", ok: false, detail: NO_SQLITE };
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

/** Why the existing file, or a new file next to it, cannot be written; null if both can. */
export function obstacleToWriting(path: string): WritingObstacle | null {
  const beside = obstacleToMaking(path);
  if (beside !== null) return beside;
  return tryRead(() => {
    accessSync(path, constants.W_OK);
    return null;
  }, "file-not-writable");
}

/** Why a file cannot be created at this path; null if it can. Missing folders would be created, too. */
export function obstacleToMaking(path: string): MakingObstacle | null {
  let folder = dirname(resolve(path));
  while (!isThere(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return tryRead(() => {
    if (!statSync(folder).isDirectory()) return "no-folder";
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  }, "not-writable");
}

/** A path that we may not read counts as existing. */
function isThere(path: string): boolean {
  return tryRead(() => statSync(path, { throwIfNoEntry: false }) !== undefined, true);
}
