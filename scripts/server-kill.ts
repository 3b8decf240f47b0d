// `npm run test:server-kill -- [--kills 50] [--seed N] [--executors 8] [--journal postgres] [--driver restate] [--keep]`: kills
// `faultline serve` with SIGKILL under load, and checks that no acknowledged decision is lost, none is made twice, and no reader of the
// event stream misses anything.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DRIVER_OPTION, JOURNAL_OPTION, postgresFor, restateFor } from "./campaign-options.ts";
import { runKills } from "../test/server/kill/campaign.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    executors: { type: "string", default: "8" },
    ...JOURNAL_OPTION,
    ...DRIVER_OPTION,
    keep: { type: "boolean", default: false },
  },
});
const [kills, seed, executors] = [values.kills, values.seed, values.executors].map(Number) as [number, number, number];
const folder = mkdtempSync(join(tmpdir(), "faultline-server-kill-"));
const startedAt = performance.now();
process.stderr.write(`seed ${seed}\n`);
const [postgres, restate] = await Promise.all([postgresFor(values.journal), restateFor(values.driver)]);
const { counts, problems } = await runKills({
  ...{ kills, seed, executors, folder, postgres: postgres?.url ?? null, restate: restate?.url ?? null },
  tell: (line) => process.stderr.write(`${line}\n`),
});
await Promise.all([postgres?.stop(), restate?.stop()]);
const rows = {
  seed,
  "journal and driver": `${values.journal}, ${values.driver}`,
  ...counts,
  "seconds": ((performance.now() - startedAt) / 1000).toFixed(1),
};
for (const [name, value] of Object.entries(rows))
  process.stdout.write(`${name.padEnd(48)}${String(value).padStart(18)}\n`);
process.stdout.write(`\n${problems.length} problems\n`);
for (const problem of problems) process.stdout.write(`  ${problem}\n`);

if (problems.length > 0) process.exitCode = 1;
if (values.keep || problems.length > 0) process.stdout.write(`Everything is in ${folder}\n`);
else rmSync(folder, { recursive: true, force: true });
