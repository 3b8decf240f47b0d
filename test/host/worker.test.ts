// Who this process is among those that share a journal, and what it can say about the others.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemChance } from "../../src/host/chance.ts";
import { createWorker } from "../../src/host/worker.ts";
import { until } from "../support/look-again.ts";

describe("a worker", () => {
  it("has a name that no other has, and is not gone itself", () => {
    const one = createWorker(systemChance);
    const two = createWorker(systemChance);
    expect(one.name).not.toBe(two.name);
    expect([one.isGone(one.name), one.isGone(two.name)]).toEqual([false, false]);
  });

  it("knows that a process of this machine has ended, and not before", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
    await once(child, "spawn");
    const name = `${hostname().replaceAll(":", "_")}:${child.pid ?? 0}:abcd`;
    const me = createWorker(systemChance);
    expect(me.isGone(name)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(me.isGone(name)).toBe(true);
  });

  it.skipIf(process.platform !== "linux")(
    "knows that a process has ended that its parent has not collected",
    async () => {
      // `exec` replaces the shell by a program that never collects the exit code of the shell's child.
      const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      onTestFinished(() => void parent.kill("SIGKILL"));
      const [printed] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(printed.toString());
      const name = `${hostname().replaceAll(":", "_")}:${pid}:abcd`;
      const me = createWorker(systemChance);
      await until(() => readFileSync(`/proc/${parent.pid ?? 0}/comm`, "utf8") === "sleep\n");
      expect(me.isGone(name)).toBe(false);
      process.kill(pid, "SIGKILL");
      await until(() => me.isGone(name));
    },
  );

  it.each(["", "somebody", "elsewhere:1:abcd", `${hostname()}:0x1:a`, `${hostname()}::a`, `${hostname()}:1:init`])(
    "cannot be certain about %j",
    (name) => {
      expect(createWorker(systemChance).isGone(name)).toBe(false);
    },
  );
});
