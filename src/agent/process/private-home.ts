// A private folder for the configuration of one run. Only its owner can read it, and it does not outlive the run.
// H1  It has mode 0700 and an unpredictable name in the system's folder for temporary files.
// H2  `remove` deletes it. So does the exit of this program, unless an unhandled signal ends the program.

import { nodeFs, nodeOs } from "../../host/builtin.ts";
import { join } from "node:path";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { tryRead } from "../../core/try-read.ts";
import { codeOf } from "./spawn-failure.ts";

/** The folders that still exist. One exit listener removes them all. */
const homes = new Set<string>();

export function createPrivateHome(prefix: string) {
  // The prefix may come from a name in a configuration, so it must not be able to leave the folder.
  const path = makeFolder(join(nodeOs().tmpdir(), prefix.replaceAll(/[^\w.-]/g, "-")));
  if (homes.size === 0) process.on("exit", removeAll);
  homes.add(path);
  return {
    path,
    /** Removes the folder and its contents. A second call does nothing. */
    remove() {
      if (!homes.has(path)) return;
      removeFolder(path);
      homes.delete(path);
      if (homes.size === 0) process.off("exit", removeAll);
    },
  };
}

function makeFolder(start: string): string {
  try {
    return nodeFs().mkdtempSync(start);
  } catch (error) {
    const message = `Could not create a private folder (${codeOf(error)}). Check that TMPDIR names a writable folder on a disk with free space.`;
    throw new FaultError(fault("HostCapabilityMissing", { message }), { cause: error });
  }
}

function removeAll(): void {
  for (const path of homes) tryRead(() => removeFolder(path), undefined);
}

function removeFolder(path: string): void {
  // Some caches are read-only, such as Go's module cache, so not even their owner can delete them.
  if (!tryRead(() => remove(path), false)) tryRead(() => openUp(path), undefined);
  try {
    remove(path);
  } catch (error) {
    const message = `Could not remove the private folder of a run (${codeOf(error)}). Remove it by hand: it may contain credentials.`;
    throw new FaultError(fault("HostCapabilityMissing", { message, context: { path } }), { cause: error });
  }
}

function remove(path: string): true {
  nodeFs().rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  return true;
}

function openUp(path: string): void {
  if (!nodeFs().lstatSync(path).isDirectory()) return;
  nodeFs().chmodSync(path, 0o700);
  for (const name of nodeFs().readdirSync(path)) openUp(join(path, name));
}
