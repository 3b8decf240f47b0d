// What a stage costs that does nothing, and how many events a second a run writes, beside the same events written with nothing
// around them: same entries, same portions, same journal. Wall time, because waiting for the disk is part of it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryJournal, type Journal, openJournal } from "../src/index.ts";
import { createWorkflows, defineWorkflow, stage, type Workflow } from "../src/workflow/index.ts";
import { print } from "./measure.ts";
import { median } from "./runtime/median.ts";
import { printAligned } from "./runtime/table.ts";
import { entriesIn, recording, appendAgain } from "./workflow-recording.ts";
import type { WorkflowScale } from "./workflow-scale.ts";

interface Subject {
  readonly name: string;
  readonly store: "memory" | "SQLite";
  readonly workflow: (nodes: number) => Promise<Workflow>;
}

const SUBJECTS: readonly Subject[] = [
  { name: "empty TypeScript stages", store: "memory", workflow: chain },
  { name: "empty TypeScript stages", store: "SQLite", workflow: chain },
  { name: "transform and condition, YAML", store: "memory", workflow: loop },
  { name: "transform and condition, YAML", store: "SQLite", workflow: loop },
];

export async function stageCost({ rounds, nodes }: WorkflowScale): Promise<void> {
  print(`\n1. A run of ${nodes} nodes, one after the other`);
  const rows: string[][] = [];
  for (const subject of SUBJECTS) {
    const oursMs: number[] = [];
    const floorMs: number[] = [];
    let counted = { entries: 0, portions: 0 };
    const workflow = await subject.workflow(nodes);
    for (let round = -1; round < rounds; round++) {
      const run = await timeRun(subject, workflow);
      if (round < 0) continue;
      oursMs.push(run.oursMs);
      floorMs.push(run.floorMs);
      counted = run;
    }
    const [ours, floor] = [median(oursMs), median(floorMs)];
    rows.push([
      `${subject.name}, ${subject.store}`,
      (ours / nodes).toFixed(2),
      (floor / nodes).toFixed(2),
      perSecond(counted.entries, ours),
      perSecond(counted.entries, floor),
      `${(ours / floor).toFixed(2)}×`,
      `${counted.entries} entries in ${counted.portions} portions`,
    ]);
  }
  printAligned(["", "ms a node", "floor", "events a second", "floor", "time of floor", ""], rows);
}

function perSecond(entries: number, ms: number): string {
  return Math.round(entries / (ms / 1000)).toLocaleString("en");
}

async function timeRun(
  { store }: Subject,
  workflow: Workflow,
): Promise<{ readonly oursMs: number; readonly floorMs: number; readonly entries: number; readonly portions: number }> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const open = (name: string): Promise<Journal> =>
    store === "memory" ? Promise.resolve(createMemoryJournal()) : openJournal(join(folder, name));
  try {
    const { journal, take } = recording(await open("ours.db"));
    const workflows = createWorkflows({ journal });
    const run = await workflows.runs.start(workflow);
    const startedAt = performance.now();
    const end = await workflows.runs.advance(run);
    const oursMs = performance.now() - startedAt;
    if (end.status !== "completed") throw new Error(`the run is ${end.status}: ${end.fault?.message ?? ""}`);
    const portions = take();
    await workflows.close();
    const floor = await open("floor.db");
    const floorAt = performance.now();
    await appendAgain(floor, portions, 1);
    const floorMs = performance.now() - floorAt;
    await floor.close();
    return { oursMs, floorMs, entries: entriesIn(portions), portions: portions.length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function chain(nodes: number): Promise<Workflow> {
  const stages = Array.from(
    { length: nodes },
    (_, index) => [`n${index + 1}`, stage({ act: () => Promise.resolve(index) })] as const,
  );
  return Promise.resolve(
    defineWorkflow({ id: "chain", limits: { maxNodes: nodes }, stages: Object.fromEntries(stages) }),
  );
}

async function loop(nodes: number): Promise<Workflow> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const workflows = createWorkflows();
  try {
    const file = join(folder, "loop.faultline.yaml");
    writeFileSync(file, loopText(nodes));
    const { workflow, diagnostics } = await workflows.file(file);
    if (workflow === null) throw new Error(JSON.stringify(diagnostics));
    return workflow;
  } finally {
    await workflows.close();
    rmSync(folder, { recursive: true });
  }
}

/** Counts to half as many as there are nodes. */
function loopText(nodes: number): string {
  return `faultline: 1
workflow: { id: loop, version: "1", name: Loop }
limits: { max_nodes: ${nodes} }
nodes:
  count: { type: transform, value: "({ n: (nodes.count?.output.n ?? 0) + 1 })", next: [{ to: check }] }
  check: { type: condition, when: "nodes.count.output.n < ${nodes / 2}", then: { to: count, max: ${nodes} }, else: { to: end } }
`;
}
