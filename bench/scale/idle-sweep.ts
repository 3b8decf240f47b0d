// What the sweep for forgotten runs costs when nothing is due, with few and with many parked runs. It may not depend on their number.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/host/clock.ts";
import { type Keep, openJournal } from "../../src/index.ts";
import { RunHolds } from "../../src/workflow/advance/held-run.ts";
import { Sweep } from "../../src/workflow/restate/sweep.ts";
import { print } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";

const FEW = 1_000;
const PORTION = 5_000;
const LOOKS = 1_000;
const DAY_MS = 24 * 3_600_000;

export async function sweepWithParkedRuns(many: number): Promise<void> {
  print(`\n3. A driver's idle second on Restate, CPU time, with parked runs on SQLite`);
  const [few, lots] = [await lookMs(FEW), await lookMs(many)];
  printAligned(
    ["", `${FEW.toLocaleString("en")} parked, ms`, `${many.toLocaleString("en")} parked, ms`, "ratio", ""],
    [["a look of the sweep", few.toFixed(3), lots.toFixed(3), `${(lots / few).toFixed(2)}×`, ""]],
  );
}

async function lookMs(parked: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const journal = await openJournal(join(folder, "j.db"));
  const now = Date.now();
  for (let from = 0; from < parked; from += PORTION) {
    const keeps = Array.from({ length: Math.min(PORTION, parked - from) }, (_, index): Keep => {
      const run = `run-${String(from + index).padStart(8, "0")}`;
      return { kind: "wake", key: run, value: now + DAY_MS + index };
    });
    await journal.keep(keeps);
  }
  const sweep = new Sweep({
    journal,
    clock: systemClock,
    holds: new RunHolds({ journal, clock: systemClock, worker: { name: "bench", isGone: () => false } }),
    held: () => Promise.resolve(new Set()),
    hand: () => Promise.reject(new Error("nothing is due")),
  });
  await sweep.look();
  const before = process.cpuUsage();
  for (let look = 0; look < LOOKS; look++) await sweep.look();
  const { user, system } = process.cpuUsage(before);
  await sweep.stop();
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
  return (user + system) / 1_000 / LOOKS;
}
