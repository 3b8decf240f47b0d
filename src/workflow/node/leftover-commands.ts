// What a process that was killed has left running. A command carries a mark in its environment, and whoever runs it once more ends
// the old one first: two of them at a time would work against each other. On Linux, where the environment of a process can be read;
// elsewhere the old one runs on until it ends by itself.

import { readdirSync, readFileSync } from "node:fs";
import { tolerate } from "../../core/tolerate.ts";
import { digestOf } from "../../runtime/session/digest.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const MARK = "FAULTLINE_COMMAND";

/** The same for every attempt of a call, and for no other: runs of two journals may have one name, but not in one folder. */
export function commandMark(run: string, call: string, folder: string): string {
  return digestOf({ run, call, folder });
}

export function markedEnv(env: Environment, mark: string): Environment {
  return { ...env, [MARK]: mark };
}

/** Ends every process that carries the mark. Those may start others while they are looked for, so it looks until there are none. */
export function endLeftovers(mark: string): void {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const found = processesWith(mark);
    if (found.length === 0) return;
    for (const id of found) tolerate(() => process.kill(id, "SIGKILL"), false);
  }
}

const MOST_LOOKS = 5;

function processesWith(mark: string): readonly number[] {
  const ids = tolerate(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  const isMarked = (id: string): boolean =>
    // Of a process that is dead already, or of another user, nothing can be read.
    tolerate(() => readFileSync(`/proc/${id}/environ`, "utf8"), "")
      .split("\0")
      .includes(`${MARK}=${mark}`);
  return ids
    .filter(isMarked)
    .map(Number)
    .filter((id) => id !== process.pid);
}
