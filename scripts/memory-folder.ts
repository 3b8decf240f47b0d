// A folder in memory for the files of tests, which are made and removed thousands of times: there, a commit waits for no disk.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;
const NAME = "faultline-tests-";

/** Removed when this process ends. Null where there is no such file system, where it is small or read-only, or where it runs no programs, as in most containers. */
export function makeMemoryFolder(): string | null {
  if (!existsSync(MEMORY) || !existsSync("/proc/mounts")) return null;
  const mounts = [...readFileSync("/proc/mounts", "utf8").matchAll(/^\S+ \/dev\/shm tmpfs (\S+)/gm)];
  // The last one is in force.
  const options = mounts.at(-1)?.[1]?.split(",") ?? ["ro"];
  const { bavail, bsize } = statfsSync(MEMORY);
  if (options.includes("ro") || options.includes("noexec") || bavail * bsize < ENOUGH_BYTES) return null;
  removeAbandoned();
  const folder = mkdtempSync(join(MEMORY, `${NAME}${process.pid}-`));
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  process.on("exit", () => remove(folder));
  return folder;
}

/** A process that was killed has left its folder. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY)) {
    const owner = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) remove(join(MEMORY, name));
  }
}

/** A server that is about to stop may still write there. Then something is left, which the next run removes. */
function remove(folder: string): void {
  spawnSync("rm", ["-rf", folder]);
}
