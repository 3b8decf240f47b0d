// `npm run test:crash -- [--kills 200] [--seed N] [--workers 2] [--journal postgres] [--keep]`: kills a program that runs sessions on a
// journal, again and again at random moments, and checks that nothing acknowledged is lost, nothing finished runs twice, and every run ends.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { HITS } from "../test/crash/hits.ts";
import { runCampaign } from "../test/crash/campaign.ts";
import { JOURNAL_OPTION, postgresFor } from "./campaign-options.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    workers: { type: "string", default: "2" },
    ...JOURNAL_OPTION,
    keep: { type: "boolean", default: false },
  },
});
const [kills, seed, workers] = [values.kills, values.seed, values.workers].map(Number) as [number, number, number];
const folder = mkdtempSync(join(tmpdir(), "faultline-crash-"));
const startedAt = performance.now();
const postgres = await postgresFor(values.journal);
const report = await runCampaign({
  ...{ kills, seed, workers, folder, postgres: postgres?.url ?? null },
  tell: (line) => process.stderr.write(`${line}\n`),
});
await postgres?.stop();
const seconds = (performance.now() - startedAt) / 1000;

const rows: readonly (readonly [string, string | number])[] = [
  ["seed", seed],
  ["journal", values.journal],
  ["kills", report.kills],
  ["lives of the program", report.lives],
  ["sessions, all ended", report.sessions],
  ["entries in their journals", report.entries],
  ["runs of tools", report.runs],
  ["questions asked", report.questions],
  ["times two processes met at a session", report.meetings],
  ["  sessions of these that the journal fenced off", report.fenced],
  ["seconds", seconds.toFixed(1)],
];
const width = 56;
const print = (name: string, value: string | number): void =>
  void process.stdout.write(`${name.padEnd(width)}${String(value).padStart(10)}\n`);
for (const [name, value] of rows) print(name, value);
process.stdout.write("\nwhat the kills hit (one kill can hit several)\n");
for (const hit of HITS) print(`  ${hit}`, report.hits[hit]);
process.stdout.write(`\n${report.problems.length} problems\n`);
for (const problem of report.problems) process.stdout.write(`  ${problem}\n`);

if (report.problems.length > 0) process.exitCode = 1;
if (values.keep || report.problems.length > 0) process.stdout.write(`Everything is in ${folder}\n`);
else rmSync(folder, { recursive: true, force: true });
