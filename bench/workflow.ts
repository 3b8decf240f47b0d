// `npm run bench:workflow -- [section …] [--quick]`: what a stage costs, how fast a run writes, and what runs cost that wait. Each
// figure stands beside its floor, measured in the same run.

import { print } from "./measure.ts";
import { FULL, QUICK, type WorkflowScale } from "./workflow-scale.ts";
import { stageCost } from "./workflow-stages.ts";
import { waitingRuns } from "./workflow-waiting.ts";

const SECTIONS: Readonly<Record<string, (scale: WorkflowScale) => Promise<void>>> = {
  stages: stageCost,
  waiting: waitingRuns,
};

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = words.filter((word) => !(word in SECTIONS));
if (unknown.length > 0) {
  print(`No such section: ${unknown.join(", ")}. There are: ${Object.keys(SECTIONS).join(", ")}.`);
  process.exitCode = 2;
} else {
  const scale = process.argv.includes("--quick") ? QUICK : FULL;
  print(`Node ${process.version}. Wall time; medians of ${scale.rounds} rounds after one that does not count.`);
  for (const [name, run] of Object.entries(SECTIONS)) if (words.length === 0 || words.includes(name)) await run(scale);
}
