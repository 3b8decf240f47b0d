// How many nodes a second a journal on disk takes: one run alone, and many side by side. Each figure stands beside bare appends: the same
// entries and values in the same portions, with nothing around them. And what an attempt costs late in a long run, beside a short one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../src/index.ts";
import { createWorkflows, defineWorkflow, stage, type Workflow } from "../src/workflow/index.ts";
import { print } from "./measure.ts";
import { median } from "./runtime/median.ts";
import { printAligned } from "./runtime/table.ts";
import { appendAgain, entriesIn, recording } from "./workflow-recording.ts";
import type { WorkflowScale } from "./workflow-scale.ts";

const SIDE_BY_SIDE = [1, 64] as const;

export async function pace({ rounds, nodes }: WorkflowScale): Promise<void> {
  print(`\n2. Nodes a second, empty stages on SQLite`);
  const rows: string[][] = [];
  for (const runs of SIDE_BY_SIDE) {
    const length = runs === 1 ? nodes : nodes / 2;
    const workflow = chain(length);
    const oursMs: number[] = [];
    const floorMs: number[] = [];
    let counted = { entries: 0, portions: 0 };
    for (let round = -1; round < rounds; round++) {
      const timed = await timeRuns(workflow, runs);
      if (round < 0) continue;
      oursMs.push(timed.oursMs);
      floorMs.push(timed.floorMs);
      counted = timed;
    }
    const all = runs * length;
    const [ours, floor] = [median(oursMs), median(floorMs)];
    rows.push([
      runs === 1 ? "one run" : `${runs} runs side by side`,
      perSecond(all, ours),
      perSecond(all, floor),
      `${(ours / floor).toFixed(2)}×`,
      (counted.portions / all).toFixed(1),
      (counted.entries / all).toFixed(1),
      "",
    ]);
  }
  printAligned(["", "nodes a second", "bare appends", "time of floor", "appends a node", "entries a node", ""], rows);
}

/** One attempt in ten fails, writes its files and is retried. */
export async function longRuns({ attempts }: WorkflowScale): Promise<void> {
  print(`\n3. What an attempt costs in a long run, CPU time, one in ten failing, on SQLite`);
  const [shortMs, longMs] = [await attemptMs(SHORT_RUN, 5), await attemptMs(attempts, 1)];
  printAligned(
    ["", "ms an attempt", ""],
    [
      [`in a run of ${SHORT_RUN}`, shortMs.toFixed(2), ""],
      [`in a run of ${attempts.toLocaleString("en")}`, longMs.toFixed(2), `${(longMs / shortMs).toFixed(2)}×`],
    ],
  );
}

const SHORT_RUN = 20;

async function attemptMs(attempts: number, rounds: number): Promise<number> {
  const all: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
    const workflows = createWorkflows({ journal: await openJournal(join(folder, "runs.db")) });
    try {
      // Enough runs to make the short ones measurable.
      const count = Math.ceil(200 / attempts);
      const workflow = failing(attempts);
      const runs: string[] = [];
      for (let index = 0; index < count; index++) runs.push(await workflows.runs.start(workflow));
      const before = process.cpuUsage();
      for (const run of runs) {
        const { status } = await workflows.runs.advance(run);
        if (status !== "completed") throw new Error(`the run is ${status}`);
      }
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) all.push((user + system) / 1000 / (count * attempts));
    } finally {
      await workflows.close();
      rmSync(folder, { recursive: true });
    }
  }
  return median(all);
}

/** So many attempts: of each ten, nine visits of which the first is tried twice. */
function failing(attempts: number): Workflow {
  const visits = (attempts / 10) * 9;
  return defineWorkflow({
    id: "failing",
    limits: { maxNodes: visits },
    stages: {
      again: stage({
        retryPolicy: { maxAttempts: 2, backoff: { initialMs: 0, maxMs: 0 } },
        act: () => 1,
        assert: (_result, { attempt, execution }) =>
          attempt === 1 && execution % 9 === 1 ? { verdict: "retry", reason: "once more" } : { verdict: "ok" },
        next: (_ending, { execution }) => (execution < visits ? "again" : { kind: "end", outcome: "done" }),
      }),
    },
  });
}

function perSecond(nodes: number, ms: number): string {
  return Math.round(nodes / (ms / 1000)).toLocaleString("en");
}

async function timeRuns(
  workflow: Workflow,
  count: number,
): Promise<{ readonly oursMs: number; readonly floorMs: number; readonly entries: number; readonly portions: number }> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  try {
    const { journal, take } = recording(await openJournal(join(folder, "ours.db")));
    const workflows = createWorkflows({ journal });
    const runs: string[] = [];
    for (let index = 0; index < count; index++) runs.push(await workflows.runs.start(workflow));
    const begun = take();
    const startedAt = performance.now();
    const ends = await Promise.all(runs.map((run) => workflows.runs.advance(run)));
    const oursMs = performance.now() - startedAt;
    const failed = ends.find(({ status }) => status !== "completed");
    if (failed !== undefined) throw new Error(`a run is ${failed.status}: ${failed.fault?.message ?? ""}`);
    const portions = take();
    await workflows.close();
    const floor = await openJournal(join(folder, "floor.db"));
    const after = await appendAgain(floor, begun, count);
    const floorAt = performance.now();
    await appendAgain(floor, portions, count, after);
    const floorMs = performance.now() - floorAt;
    await floor.close();
    return { oursMs, floorMs, entries: entriesIn(portions), portions: portions.length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function chain(nodes: number): Workflow {
  const stages = Array.from(
    { length: nodes },
    (_, index) => [`n${index + 1}`, stage({ act: () => Promise.resolve(index) })] as const,
  );
  return defineWorkflow({ id: "chain", limits: { maxNodes: nodes }, stages: Object.fromEntries(stages) });
}
