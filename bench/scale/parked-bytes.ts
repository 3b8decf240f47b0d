// What a parked run takes on disk: in the journal, and in Restate, which keeps its timer.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../../src/index.ts";
import { createWorkflows } from "../../src/workflow/index.ts";
import { startRestate } from "../../test/support/restate-server.ts";
import { print } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";
import { parking } from "./parking.ts";

export async function parkedBytes(runs: number): Promise<void> {
  print(`\n2. A run that waits for a time, on disk: ${runs.toLocaleString("en")} of them`);
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const restate = await startRestate();
  const workflows = createWorkflows({
    journal: await openJournal(join(folder, "j.db")),
    workflows: [parking],
    env: {},
  });
  const sizes = (): Readonly<Record<string, number>> => ({
    "the journal, in SQLite": bytesIn(folder, isJournal),
    "files about the failed attempt": bytesIn(folder, (name) => !isJournal(name)),
    "Restate, with its log, which it trims later": bytesIn(restate.folder, () => true),
  });
  let parked = 0;
  let isDone: () => void = () => undefined;
  const driver = await workflows.restateDriver({
    url: restate.url,
    worker: { port: 0 },
    maxRuns: 64,
    onAdvanced: () => {
      parked += 1;
      if (parked === runs) isDone();
    },
  });
  await driver.start();
  const before = sizes();
  const done = new Promise<void>((resolve) => (isDone = resolve));
  for (let run = 0; run < runs; run++) await workflows.runs.start(parking);
  await done;
  await driver.stop();
  await workflows.close();
  const after = sizes();
  printAligned(
    ["", "bytes a run", "1,000,000 runs", ""],
    Object.keys(after).map((place) => {
      const bytes = ((after[place] ?? 0) - (before[place] ?? 0)) / runs;
      return [place, bytes.toFixed(0), `${(bytes / 1e3).toFixed(1)} GB`, ""];
    }),
  );
  await restate.stop();
  rmSync(folder, { recursive: true, force: true });
}

const isJournal = (name: string): boolean => name.startsWith("j.db");

function bytesIn(folder: string, isMeant: (name: string) => boolean): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isMeant(entry.name))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}
