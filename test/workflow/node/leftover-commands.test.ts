// Commands that a killed process has left running, as real processes.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { killMarked, markedEnv } from "../../../src/agent/process/process-mark.ts";
import { commandMark } from "../../../src/workflow/node/command-stage.ts";

const HANGS = "console.log('there'); setInterval(() => undefined, 1000)";

/** A process that reports that it runs, and then idles. */
async function hanging(mark: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", HANGS], {
    env: markedEnv(process.env, mark),
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

describe("a command that was left running", () => {
  it("has its own mark for each run, call and folder", () => {
    const marks = [
      commandMark("r1", "tests#1.1/command-1", "/a"),
      commandMark("r2", "tests#1.1/command-1", "/a"),
      commandMark("r1", "tests#2.1/command-1", "/a"),
      commandMark("r1", "tests#1.1/command-1", "/b"),
    ];
    expect(new Set(marks).size).toBe(4);
    expect(commandMark("r1", "tests#1.1/command-1", "/a")).toBe(marks[0]);
  });

  it.runIf(process.platform === "linux")("is ended, and no other process is", async () => {
    const [mine, other] = [commandMark("r1", "c1", "/a"), commandMark("r1", "c2", "/a")];
    const [first, second, stays] = await Promise.all([hanging(mine), hanging(mine), hanging(other)]);
    const ended = Promise.all([once(first, "exit"), once(second, "exit")]);
    killMarked(mine);
    expect(await ended).toEqual([
      [null, "SIGKILL"],
      [null, "SIGKILL"],
    ]);
    expect([stays.exitCode, stays.signalCode]).toEqual([null, null]);
  });

  it("is not found when no process carries the mark", () => {
    expect(() => killMarked(commandMark("nobody", "c1", "/a"))).not.toThrow();
  });
});
