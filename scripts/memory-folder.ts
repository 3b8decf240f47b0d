// A folder in memory for the files of tests, which are made and removed thousands of times: there, a commit waits for no disk.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Removed when this process ends. Null where there is no such file system, where it is small, or where it runs no programs, as in most containers. */
export function makeMemoryFolder(): string | null {
  if (!existsSync(MEMORY) || !existsSync("/proc/mounts")) return null;
  const mount = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync("/proc/mounts", "utf8"));
  const { bavail, bsize } = statfsSync(MEMORY);
  if (mount === null || mount[1]?.split(",").includes("noexec") === true || bavail * bsize < ENOUGH_BYTES) return null;
  const folder = mkdtempSync(join(MEMORY, "faultline-tests-"));
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
