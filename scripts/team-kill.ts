// `npm run test:kill -- [--every 1] [--twice 20] [--at N …] [--only gate --only command,17 …] [--beside 2] [--journal postgres] [--driver restate] [--keep]`:
// runs the team of the template to its end again and again, kills its worker with SIGKILL at every entry of its journal, and checks that
// each run ends as if it had never died: no finished work is repeated, nothing is paid twice, and the files are the same.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DRIVER_OPTION, JOURNAL_OPTION, postgresFor, restateFor } from "./campaign-options.ts";
import { everyNth, runCampaign } from "./team-kill/campaign.ts";
import { SPECIAL_NAMES } from "./team-kill/special-plans.ts";

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    twice: { type: "string", default: "20" },
    at: { type: "string", multiple: true, default: [] },
    only: { type: "string", multiple: true, default: [] },
    beside: { type: "string", default: "2" },
    ...JOURNAL_OPTION,
    ...DRIVER_OPTION,
    keep: { type: "boolean", default: false },
  },
});
const isChosen = values.at.length + values.only.length > 0;
const none = (): readonly number[] => [];
/** `--at 17` once, `--at 17,22` twice. */
const chosen = (isTwice: boolean) => (): readonly number[] =>
  values.at.filter((given) => given.includes(",") === isTwice).map((given) => Number.parseInt(given));
const folder = mkdtempSync(join(tmpdir(), "faultline-kill-"));
const startedAt = performance.now();
const [postgres, restate] = await Promise.all([postgresFor(values.journal), restateFor(values.driver)]);
const report = await runCampaign({
  folder,
  points: isChosen ? chosen(false) : everyNth(Number(values.every)),
  again: isChosen ? chosen(true) : values.twice === "0" ? none : everyNth(Number(values.twice)),
  special: () => (isChosen ? values.only : SPECIAL_NAMES),
  sideBySide: Number(values.beside),
  postgres: postgres?.url ?? null,
  restate: restate?.url ?? null,
  tell: (line) => process.stderr.write(`${line}\n`),
});
await Promise.all([postgres?.stop(), restate?.stop()]);

const dollars = (microcents: number): string => `$${(microcents / 1e8).toFixed(4)}`;
const rows: readonly (readonly [string, string | number])[] = [
  ["journal and driver", `${values.journal}, ${values.driver}`],
  ["entries of the undisturbed run", report.entries],
  ["runs that were killed, all ended as the undisturbed one", report.stories],
  ["kills", report.kills],
  ["lives of the worker", report.lives],
  ["requests to models", report.requests],
  ["  made again, because a kill came before their answer was on disk", report.askedAgain],
  ["attempts of calls that a kill cut off", report.cutOff],
  ["cost of the undisturbed run", dollars(report.undisturbedMicrocents)],
  ["estimated for what was cut off, per kill", dollars(report.cutOffMicrocents / Math.max(1, report.kills))],
  ["seconds", ((performance.now() - startedAt) / 1000).toFixed(0)],
];
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(68)}${String(value).padStart(18)}\n`);
process.stdout.write(`\n${report.problems.length} problems\n`);
for (const problem of report.problems)
  process.stdout.write(`  npm run test:kill -- --journal ${values.journal} --driver ${values.driver} ${problem}\n`);

if (report.problems.length > 0) process.exitCode = 1;
if (values.keep || report.problems.length > 0) process.stdout.write(`Everything is in ${folder}\n`);
else rmSync(folder, { recursive: true, force: true });
