// Who belongs to a process group, asked about real processes.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isGroupRunning, runningGroupOf } from "../../../src/agent/process/process-mark.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "faultline-group-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NO_PROCESS = 2 ** 30;

/** Starts a program as the leader of a group of its own and returns its id once it runs. */
async function startLeader(
  program: string,
  args: readonly string[],
): Promise<{ id: number; stop: () => Promise<void> }> {
  const child = spawn(program, args, { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  const { pid: id } = child;
  if (id === undefined) throw new Error(`${program} has not started`);
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    process.kill(-id, "SIGKILL");
    await ended;
  };
  return { id, stop };
}

describe.runIf(process.platform === "linux")("the group of a process", () => {
  it("is its own for a leader, and that of its parent for a child", async () => {
    const leader = await startLeader("sleep", ["600"]);
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    await once(child, "spawn");
    const ownGroup = Number(spawnSync("ps", ["-o", "pgid=", "-p", String(process.pid)], { encoding: "utf8" }).stdout);
    expect(runningGroupOf(String(leader.id))).toBe(leader.id);
    expect(runningGroupOf(String(child.pid))).toBe(ownGroup);
    child.kill("SIGKILL");
    await leader.stop();
  });

  it.each(["plain", "a) Z 1 9", "(S) X 1 7 (", "two words"])("is found for a program called %j", async (name) => {
    const program = join(folder, name);
    copyFileSync("/bin/sleep", program);
    const leader = await startLeader(program, ["600"]);
    expect(runningGroupOf(String(leader.id))).toBe(leader.id);
    await leader.stop();
  });

  it("is null for a process that does not exist", () => {
    expect(runningGroupOf(String(NO_PROCESS))).toBeNull();
    expect(isGroupRunning(NO_PROCESS)).toBe(false);
  });

  it("is null for a zombie, whose group no longer runs", async () => {
    // The shell becomes `sleep`, which never waits for the child that the shell started. The child ends after that: the shell would wait for it.
    const script = "setsid sh -c 'until ps -o comm= -p $PPID | grep -q sleep; do :; done' & echo $!; exec sleep 600";
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
    const [printed] = (await once(parent.stdout, "data")) as [Buffer];
    const zombie = String(printed).trim();
    await expect.poll(() => spawnSync("ps", ["-o", "stat=", "-p", zombie], { encoding: "utf8" }).stdout).toMatch(/^Z/);
    expect(runningGroupOf(zombie)).toBeNull();
    expect(isGroupRunning(Number(zombie))).toBe(false);
    parent.kill("SIGKILL");
  });
});

describe("a process group", () => {
  it("runs until its last process has ended", async () => {
    const leader = await startLeader("sleep", ["600"]);
    expect(isGroupRunning(leader.id)).toBe(true);
    await leader.stop();
    expect(isGroupRunning(leader.id)).toBe(false);
  });
});
