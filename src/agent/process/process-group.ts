// Is anybody of a process group still running? A signal 0 reaches the dead as well, as long as nobody has collected them, and in a
// container often nobody does: so on Linux the living are looked for.

import { nodeFs } from "../../host/builtin.ts";
import { tryRead } from "../../core/try-read.ts";

export function isGroupRunning(groupId: number): boolean {
  const isThere = tryRead(() => process.kill(-groupId, 0), false);
  if (!isThere) return false;
  const processIds = tryRead(() => nodeFs().readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  // Without a /proc, as on macOS, the signal's answer is the best there is.
  if (processIds.length === 0) return true;
  return processIds.some((id) => runningGroupOf(id) === groupId);
}

/**
 * The group of a process that runs; null when it is dead or unknown. `17 (a name) S 1 17 …` says state, parent, group; the name may
 * contain anything, so reading begins after its last bracket.
 */
export function runningGroupOf(id: string): number | null {
  const stat = tryRead(() => nodeFs().readFileSync(`/proc/${id}/stat`, "utf8"), "");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === undefined || state === "Z" || state === "X" ? null : Number(group);
}
