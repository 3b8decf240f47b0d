// A folder of its own for the configuration of one run: only its owner may look into it, and it does not outlive the run.
// H1  mode 0700, in the system's folder for temporary files, with a name nobody can foresee.
// H2  removed by `remove`, and when this program ends without having called it, unless a signal ends it that nobody handles.

import { nodeFs, nodeOs } from "../../host/builtin.ts";
import { join } from "node:path";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import { tryRead } from "../../core/try-read.ts";
import { codeOf } from "./spawn-failure.ts";

export interface PrivateDeps {
  readonly path: string;
  /** Removes it with all that is in it. Once more does nothing. */
  remove(): void;
}

/** What is still there; one listener serves them all. */
const homes = new Set<string>();

export function createPrivateHome(prefix: string): PrivateDeps {
  // A prefix may come from a name in a configuration: it must not lead out of the folder.
  const path = makeFolder(join(nodeOs().tmpdir(), prefix.replaceAll(/[^\w.-]/g, "-")));
  if (homes.size === 0) process.on("exit", removeAll);
  homes.add(path);
  return {
    path,
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
    const message = `No private folder could be made (${codeOf(error)}). Check that TMPDIR names a folder you may write to, with room on its disk.`;
    throw new FaultError(fault("HostCapabilityMissing", { message }), { cause: error });
  }
}

function removeAll(): void {
  for (const path of homes) tryRead(() => removeFolder(path), undefined);
}

function removeFolder(path: string): void {
  // Caches like to be read-only (Go's module cache is), and then not even their owner can empty them.
  if (!tryRead(() => remove(path), false)) tryRead(() => openUp(path), undefined);
  try {
    remove(path);
  } catch (error) {
    const message = `The private folder of a run could not be removed (${codeOf(error)}). Remove it by hand: it may hold credentials.`;
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
