// Checks whether any process of a group is still running. Signal 0 also succeeds for zombies, which often stay in containers without an
// init process. So on Linux this looks for processes that are really running.

import { nodeFs } from "../../host/builtin.ts";
import { tryRead } from "../../core/try-read.ts";

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
