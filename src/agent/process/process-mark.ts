// Finds the processes that a command has started. A child that calls setsid leaves its process group, but keeps the environment it was
// started with. So each command carries a mark in one variable, and its descendants inherit it.
//
// The variable contains a list, because Faultline may run inside a command of Faultline, and the outer one must end the inner processes, too.
// Only Linux exposes the environment of other processes. A process that clears its environment (`env -i setsid …`) or runs as another user
// is not found.

import { nodeFs } from "../../host/builtin.ts";
import { tryRead } from "../../core/try-read.ts";
import { systemChance } from "../../host/chance.ts";
import type { Environment } from "./child-env.ts";

const VARIABLE = "FAULTLINE_PROCESS";

/** Whether this platform can find processes by their mark. If not, a child that calls setsid outlives its command. */
export const FINDS_DETACHED: boolean = process.platform === "linux";

export function newMark(): string {
  return systemChance.newId("p");
}

/** Adds the mark to those in `env` and to those of this process. */
export function markedEnv(env: Environment, mark: string): Environment {
  const marks = new Set([...marksIn(process.env[VARIABLE]), ...marksIn(env[VARIABLE]), mark]);
  return { ...env, [VARIABLE]: [...marks].join(",") };
}

/** The running processes that carry the mark, except this one. */
export function markedProcesses(mark: string): readonly number[] {
  if (!FINDS_DETACHED) return [];
  return tryRead(() => nodeFs().readdirSync("/proc"), [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && isMarked(name, mark))
    .map(Number);
}

/** A zombie has an empty environment, so it does not count. */
function isMarked(id: string, mark: string): boolean {
  const entry = tryRead(() => nodeFs().readFileSync(`/proc/${id}/environ`, "utf8"), "")
    .split("\0")
    .find((one) => one.startsWith(`${VARIABLE}=`));
  return entry !== undefined && marksIn(entry.slice(VARIABLE.length + 1)).includes(mark);
}

/** Skips the processes of the group: they get the group's signal, and for many programs a second SIGTERM has another meaning. */
export function signalDetached(mark: string, groupId: number, signal: "SIGTERM" | "SIGKILL"): void {
  const detached = markedProcesses(mark).filter((id) => runningGroupOf(String(id)) !== groupId);
  for (const id of detached) tryRead(() => process.kill(id, signal), false);
}

/** Kills every process that carries the mark. They may start others meanwhile, so it repeats until none is left. */
export function killMarked(mark: string): void {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = markedProcesses(mark);
    if (found.length === 0) return;
    for (const id of found) tryRead(() => process.kill(id, "SIGKILL"), false);
  }
}

const MAX_LOOKS = 5;

function marksIn(list: string | undefined): readonly string[] {
  return list === undefined || list === "" ? [] : list.split(",");
}

// Checks whether any process of a group is still running. Signal 0 also succeeds for zombies, which often stay in containers without an
// init process. So on Linux this looks for processes that are really running.

export function isGroupRunning(groupId: number): boolean {
  const isThere = tryRead(() => process.kill(-groupId, 0), false);
  if (!isThere) return false;
  const processIds = tryRead(() => nodeFs().readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  // Without /proc, as on macOS, the result of the signal has to do.
  if (processIds.length === 0) return true;
  return processIds.some((id) => runningGroupOf(id) === groupId);
}

/**
 * The group of a running process; null if it is dead or unknown. `17 (a name) S 1 17 …` contains state, parent and group. The name may
 * contain anything, so parsing starts after the last bracket.
 */
export function runningGroupOf(id: string): number | null {
  const stat = tryRead(() => nodeFs().readFileSync(`/proc/${id}/stat`, "utf8"), "");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === undefined || state === "Z" || state === "X" ? null : Number(group);
}
