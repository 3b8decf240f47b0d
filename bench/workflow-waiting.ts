// Runs that wait for a person or for a time: how much memory they take in the process that drives them, how soon a new process knows
// about them, and how fast many wake at once.

import { fork } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { print } from "./measure.ts";
import { median } from "./runtime/median.ts";
import { printAligned } from "./runtime/table.ts";
import type { WorkflowScale } from "./workflow-scale.ts";
import type { Filled, WaitingJob, WaitingReply, Weight, Woken } from "./workflow-waiting-child.ts";

export async function waitingRuns({ rounds, waitingRuns: runs, wokenRuns }: WorkflowScale): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  try {
    const file = join(folder, "runs.db");
    print(`\n4. ${runs.toLocaleString("en")} runs at a gate and ${runs.toLocaleString("en")} parked, on SQLite`);
    const child = await bundledChild(folder);
    const { gate, parked } = (await perform(child, { kind: "fill", file, runs })) as Filled;
    printAligned(
      ["added by one run", "heap bytes", "RSS bytes", "ms until it waits", ""],
      [weightRow("waits at a gate", gate), weightRow("parked", parked)],
    );
    const woken: Woken[] = [];
    for (let round = 0; round <= rounds; round++) {
      const floorFile = join(folder, `floor-${round}.db`);
      const one = (await perform(child, { kind: "wake", file, floorFile, runs: wokenRuns })) as Woken;
      if (round > 0) woken.push(one);
    }
    const of = (field: keyof Woken): number => median(woken.map((one) => one[field]));
    print("");
    printAligned(
      ["a new process", "ms", "floor", "of floor", ""],
      [
        ["loads its code", of("loadedMs").toFixed(1), "", "", "bundled"],
        speedRow("opens the journal and knows all due runs", of("knownMs"), of("knownFloorMs"), "bare node:sqlite"),
        speedRow(
          `wakes ${wokenRuns} at once, answers to last end`,
          of("wokenMs"),
          of("wokenFloorMs"),
          `${of("entries")} entries appended with nothing around them`,
        ),
      ],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function weightRow(name: string, { heapBytes, rssBytes, ms }: Weight): string[] {
  return [name, heapBytes.toFixed(0), rssBytes.toFixed(0), ms.toFixed(1), ""];
}

function speedRow(name: string, ms: number, floorMs: number, note: string): string[] {
  return [name, ms.toFixed(1), floorMs.toFixed(1), `${(ms / floorMs).toFixed(1)}×`, note];
}

/** Runs built code, as a real program does, not sources whose types Node strips first. */
async function bundledChild(folder: string): Promise<string> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const outfile = join(folder, "child.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/workflow-waiting-child.ts"],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node22.13",
    logLevel: "error",
  });
  return outfile;
}

function perform(file: string, job: WaitingJob): Promise<Filled | Woken> {
  const child = fork(file, [JSON.stringify(job)], { execArgv: ["--expose-gc"] });
  return new Promise((resolve, reject) => {
    child.once("message", (reply: WaitingReply) => {
      if ("value" in reply) resolve(reply.value);
      else reject(new Error(reply.failed));
      child.disconnect();
    });
    child.once("exit", (code) => reject(new Error(`the process of ${job.kind} ended with ${String(code)}`)));
  });
}
