// Runs many simulated worlds: `node scripts/simulate.ts --seeds 5000 [--from 1]`. Tells every seed that broke a promise, and
// how much happened, so that a campaign in which nothing happens does not pass for a good one. Exits with 1 if one broke.

import { parseArgs } from "node:util";
import { simulate, type Violation } from "../src/testing/simulate.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "5000" }, from: { type: "string", default: "1" } },
});
const from = Number(values.from);
const count = Number(values.seeds);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(count) || count < 1) {
  throw new RangeError("--seeds and --from must be whole numbers, e.g. --seeds 5000 --from 1");
}

const MOST_SHOWN = 5;
const violations = new Map<string, Violation[]>();
const happened = new Map<string, number>();
const began = performance.now();

for (let seed = from; seed < from + count; seed++) {
  const { violations: found, story } = await simulate(seed);
  for (const violation of found) {
    const known = violations.get(violation.property);
    if (known === undefined) violations.set(violation.property, [violation]);
    else known.push(violation);
  }
  add("lives", story.lives.length);
  add("runs of tools", story.runs.length);
  add("disk refusals", story.refusals);
  for (const { entry } of story.written) {
    const { event } = entry;
    const decided = "decision" in event ? ` → ${event.decision.recourse}` : "";
    add(`${event.type}${decided}`, 1);
  }
}

const seconds = (performance.now() - began) / 1000;
for (const [what, times] of [...happened].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`${String(times).padStart(9)}  ${what}`);
console.log(`\n${count} worlds in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} a second), seeds ${from} to ${from + count - 1}`);
for (const [property, found] of violations) {
  console.log(`\nNOT: ${property} (${found.length} worlds)`);
  for (const { seed, detail } of found.slice(0, MOST_SHOWN)) console.log(`  seed ${seed}: ${detail}`);
}
console.log(violations.size === 0 ? "Everything held." : "\nRun one of them again with --from <seed> --seeds 1.");
process.exitCode = violations.size === 0 ? 0 : 1;

function add(what: string, times: number): void {
  happened.set(what, (happened.get(what) ?? 0) + times);
}
