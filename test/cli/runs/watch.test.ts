// `faultline runs watch`: prints a run while another process advances it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { gated, QUICK, WorkflowWorld } from "../workflow-world.ts";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

describe("watching", () => {
  it("prints a run from its beginning, or after a number, and ends with the run's exit code", async () => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "w"]);
    const told = await world.call(["runs", "watch", "w"]);
    expect(told).toMatchObject({ stdout: "fine\n", exit: "ok" });
    expect(told.stderr).toContain("faultline: run w of quick\n");
    const all = (await world.call(["runs", "watch", "w", "--jsonl"])).stdout.trimEnd().split("\n");
    const some = (await world.call(["runs", "watch", "w", "--jsonl", "--after", "3"])).stdout.trimEnd().split("\n");
    expect(some).toEqual(all.slice(3));
    expect(JSON.parse(all[0] ?? "")).toMatchObject({
      specversion: "1.0",
      id: "w/1",
      sequence: "000000000001",
    });
  });

  it("that is stopped gives the same advice as the run itself: to answer", async () => {
    const world = await gated();
    const args = ["runs", "watch", "ship", "--journal", world.path("runs.db")];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (!child.killed && stderr.includes("asks: Ship a page?")) child.kill("SIGINT");
    });
    await once(child, "close");
    expect(stderr).toContain("Next: faultline runs answer ship 'yes|no'");
    expect(stderr).not.toContain("Next: faultline workflow resume");
  });

  it("sees what another process does, until the run is over", async () => {
    const world = await gated();
    const other = new WorkflowWorld();
    const answering: Promise<unknown>[] = [];
    const watching = world.call(["runs", "watch", "ship"], {
      onStderr: (text) => {
        if (!text.includes("asks: Ship a page?") || answering.length > 0) return;
        const env = { FAULTLINE_JOURNAL: world.path("runs.db") };
        const answered = other.call(["runs", "answer", "ship", "yes"], { env });
        answering.push(answered.then(() => other.call(["workflow", "resume", "ship"], { env })));
      },
    });
    const got = await watching;
    await Promise.all(answering);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({
      stdout: "shipped\n",
      exit: "ok",
    });
    expect(got.stderr).toContain("faultline: ask: answered by cli\n");
  });
});
