// Who this process is among those that share a journal, and whether another one is still there.

import { hostname } from "node:os";
import { nodeFs } from "./builtin.ts";
import type { Chance } from "./chance.ts";

export interface Worker {
  /** Unique to this process. */
  readonly name: string;
  /** True only when it is certain: a process of this machine that has ended. */
  isGone(name: string): boolean;
}

export function createWorker(chance: Chance): Worker {
  const host = hostname().replaceAll(":", "_");
  return {
    name: `${host}:${process.pid}:${chance.newId("w")}`,
    isGone(name) {
      const [theirHost, pid] = name.split(":");
      return theirHost === host && pid !== undefined && /^\d+$/.test(pid) && !isAlive(Number(pid));
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only asks.
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPERM") return true;
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

/** Ended, but its parent has not collected its exit code, as after a SIGKILL in a container without an init. Signal 0 still reaches it. */
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    // `pid (name) state …`; the name may hold anything.
    return /\) [ZX] [^)]*$/.test(nodeFs().readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch (error) {
    // It ended a moment ago, or /proc is hidden: signal 0 is all there is.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
