// What an idle driver costs per second when nothing is due, with few and with many parked runs, and what the first page of a list
// costs. Neither may depend on the number of parked runs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, type Keep, openJournal } from "../src/index.ts";
import { createWorkflows } from "../src/workflow/index.ts";
import { print } from "./measure.ts";
import { median } from "./runtime/median.ts";
import { printAligned } from "./runtime/table.ts";
import type { WorkflowScale } from "./workflow-scale.ts";

const FEW = 1_000;
const DAY_MS = 24 * 3_600_000;
const PORTION = 5_000;
/** A driver looks once a second, so the CPU time of one look is that of an idle second. */
const LOOKS = 200;

interface Cost {
  readonly lookMs: number;
  readonly listMs: number;
}

export async function idleDriver({ rounds, parkedRuns: many }: WorkflowScale): Promise<void> {
  print(`\n5. A driver's idle second, CPU time, with parked runs on SQLite (more: --parked 1000000)`);
  const few = await measure(FEW, rounds);
  const lots = await measure(many, rounds);
  const row = (name: string, of: (cost: Cost) => number): string[] => [
    name,
    of(few).toFixed(3),
    of(lots).toFixed(3),
    `${(of(lots) / of(few)).toFixed(2)}×`,
    "",
  ];
  printAligned(
    ["", `${FEW.toLocaleString("en")} parked, ms`, `${many.toLocaleString("en")} parked, ms`, "ratio", ""],
    [row("a driver's idle second", ({ lookMs }) => lookMs), row("first 50 of the runs", ({ listMs }) => listMs)],
  );
}

async function measure(parked: number, rounds: number): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  try {
    const journal = await openJournal(join(folder, "runs.db"));
    const now = Date.now();
    for (let from = 0; from < parked; from += PORTION) {
      const count = Math.min(PORTION, parked - from);
      await journal.keep(Array.from({ length: count }, (_, index) => parkedRun(from + index, now)).flat());
    }
    const costs: Cost[] = [];
    for (let round = 0; round <= rounds; round++) {
      const cost = { lookMs: await lookCost(journal), listMs: await listCost(journal) };
      if (round > 0) costs.push(cost);
    }
    await journal.close();
    return { lookMs: median(costs.map(({ lookMs }) => lookMs)), listMs: median(costs.map(({ listMs }) => listMs)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a parked run keeps beside its events: when it wakes, and a summary of the size that real ones have. */
function parkedRun(index: number, now: number): readonly Keep[] {
  const run = `run-${index.toString().padStart(8, "0")}`;
  const summary = { run, status: "paused", startedAt: now - index, workflow: "parked", more: "x".repeat(400) };
  return [
    { kind: "wake", key: run, value: now + DAY_MS + index },
    { kind: "run", key: run, value: summary },
  ];
}

async function lookCost(journal: Journal): Promise<number> {
  let looked: () => void = () => undefined;
  const watched: Journal = {
    ...journal,
    async keptByTime(kind, query) {
      const found = await journal.keptByTime(kind, query);
      // The last question of a look: when is the next one due?
      if (kind === "wake" && query.limit === 1) setImmediate(looked);
      return found;
    },
  };
  const workflows = createWorkflows({ journal: watched, workflows: [] });
  const driver = workflows.driver({ lookEveryMs: DAY_MS });
  const look = async (begin: () => void): Promise<void> => {
    const done = new Promise<void>((resolve) => (looked = resolve));
    begin();
    await done;
  };
  await look(() => driver.start());
  const before = process.cpuUsage();
  for (let count = 0; count < LOOKS; count++) await look(() => driver.poke());
  const { user, system } = process.cpuUsage(before);
  await driver.stop();
  return (user + system) / 1_000 / LOOKS;
}

async function listCost(journal: Journal): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < LOOKS; count++) await journal.keptByTime("run", { order: "newest", limit: 50 });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / LOOKS;
}
