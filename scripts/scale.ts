// `npm run test:scale -- [--runs 1000] [--workers 3] [--nodes 3] [--driver restate|plain] [--store postgres|sqlite] [--rounds 2] [--keep]`:
// runs with effects on the outside world, on several workers and a cluster of Restate, while workers, nodes and the store are killed,
// stopped and cut off. Exits with 1 if an effect happened twice, or if a run or an acknowledged entry was lost.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/postgres/server.ts";
import { restartPostgres } from "../test/workflow/restate/scale/restart-postgres.ts";
import { type Deed, runScale } from "../test/workflow/restate/scale/campaign.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    workers: { type: "string", default: "3" },
    nodes: { type: "string", default: "3" },
    driver: { type: "string", default: "restate" },
    store: { type: "string", default: "postgres" },
    rounds: { type: "string", default: "2" },
    keep: { type: "boolean", default: false },
  },
});
const postgres = values.store === "postgres" ? await startPostgres() : null;
const ROUND: readonly Deed[] = [
  ...(["stop worker", "kill worker", "kill restate", "kill worker"] as const),
  ...(postgres === null ? [] : (["cut store", "kill store"] as const)),
];
const driver = values.driver === "plain" ? "plain" : "restate";
const folder = mkdtempSync(join(tmpdir(), "faultline-scale-"));
const { counts, problems } = await runScale({
  folder,
  journal: postgres?.url ?? join(folder, "journal.db"),
  ...(postgres === null ? {} : { store: { restart: () => restartPostgres(postgres) } }),
  driver,
  workers: Number(values.workers),
  nodes: Number(values.nodes),
  runs: Number(values.runs),
  workMs: 20,
  deeds: Array.from({ length: Number(values.rounds) }, () => ROUND).flat(),
  stoppedMs: 20_000,
  tell: (line) => process.stderr.write(`${line}\n`),
});
await postgres?.stop();
const rows: readonly (readonly [string, string | number])[] = [
  ["driver", driver],
  ["store", values.store],
  ["runs", counts.runs],
  ["deeds", counts.done.length],
  ["entries in the journal", counts.entries],
  ["effects", counts.effects],
  ["  cut off by a kill, and not repeated", counts.interrupted],
  ["effects that happened twice", counts.effectsTwice],
  ["runs lost", counts.runsLost],
  ["acknowledged entries", counts.acknowledged],
  ["acknowledged entries lost", counts.acknowledgedLost],
  ["longest gap of a run, in seconds", (counts.longestGapMs / 1000).toFixed(1)],
  ["seconds", counts.seconds.toFixed(0)],
];
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(48)}${String(value).padStart(10)}\n`);
process.stdout.write(`\n${problems.length} problems\n`);
for (const problem of problems.slice(0, 50)) process.stdout.write(`  ${problem}\n`);

if (problems.length > 0) process.exitCode = 1;
if (values.keep || problems.length > 0) process.stdout.write(`Everything is in ${folder}\n`);
else rmSync(folder, { recursive: true, force: true });
