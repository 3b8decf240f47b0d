// `npm run test:mutants -- [--count 200] [--seed 1] [--workers 2] [--only core,journal] [--list]`: changes one place of the sources at a
// time and counts how many changes the tests notice. Each mutant is tried on the tests nearest to it first, then on those of its
// whole part, then on all tests that reach the file. A survivor that does not compile is dropped: `npm test` checks types, too.

import { parseArgs } from "node:util";
import { availableParallelism } from "node:os";
import { runMutants } from "../test/mutants/campaign.ts";
import { sampleMutants } from "../test/mutants/sample.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    workers: { type: "string", default: String(availableParallelism()) },
    only: { type: "string", default: "core,journal,runtime,workflow,provider,agent" },
    list: { type: "boolean", default: false },
  },
});
const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
const mutants = sampleMutants(values.only.split(","), Number(values.count), seed);
tell(`${mutants.length} mutants, seed ${seed}`);
if (values.list) for (const { file, line, from, to } of mutants) tell(`${file}:${line}  ${from}  →  ${to}`);
else {
  const { killed, survived, dropped } = await runMutants(mutants, Number(values.workers), tell);
  const share = (100 * killed) / (killed + survived.length);
  tell(
    `\n${killed} killed, ${survived.length} survived, ${dropped} did not compile: ${share.toFixed(1)} % killed (seed ${seed})`,
  );
  for (const { file, line, from, to } of survived) tell(`  ${file}:${line}  ${from}  →  ${to}`);
  process.exitCode = share < 90 ? 1 : 0;
}
