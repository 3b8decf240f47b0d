// `npm run bench:workflow -- [section …] [--quick] [--parked 1000000]`: what a stage costs, how fast a run writes, what waiting runs
// cost, and what an idle driver costs with many parked runs. Each figure is printed next to its floor, measured in the same run.

import { parseArgs } from "node:util";
import { print } from "./measure.ts";
import { FULL, QUICK, type WorkflowScale } from "./workflow-scale.ts";
import { longRuns, pace } from "./workflow-pace.ts";
import { idleDriver } from "./workflow-idle.ts";
import { stageCost } from "./workflow-stages.ts";
import { waitingRuns } from "./workflow-waiting.ts";

const SECTIONS: Readonly<Record<string, (scale: WorkflowScale) => Promise<void>>> = {
  stages: stageCost,
  pace,
  long: longRuns,
  waiting: waitingRuns,
  idle: idleDriver,
};

const { positionals: words, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, parked: { type: "string" } },
});
const unknown = words.filter((word) => !(word in SECTIONS));
if (unknown.length > 0) {
  print(`No such section: ${unknown.join(", ")}. There are: ${Object.keys(SECTIONS).join(", ")}.`);
  process.exitCode = 2;
} else {
  const size = values.quick ? QUICK : FULL;
  const scale = { ...size, parkedRuns: Number(values.parked ?? size.parkedRuns) };
  print(`Node ${process.version}. Wall time; medians of ${scale.rounds} rounds after a warm-up round.`);
  for (const [name, run] of Object.entries(SECTIONS)) if (words.length === 0 || words.includes(name)) await run(scale);
}
