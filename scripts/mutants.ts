// `npm run test:mutants -- [--count 200] [--seed 1] [--workers 2] [--only core,journal/holds.ts] [--list] [--resume file]`: changes one
// place of the sources at a time and counts how many changes the tests notice. Only mutants that compile count: `npm test` checks types,
// too. One run of all tests without a mutant shows which of them reach which mutant. Each mutant is tried on those, the likeliest to notice it
// first, for about three minutes at most. With `--resume`, mutants that the file lists as killed are not tried again.

import { parseArgs } from "node:util";
import { availableParallelism } from "node:os";
import { describeMutant, runMutants, thatCompile } from "../test/mutants/campaign.ts";
import { EQUIVALENTS } from "../test/mutants/equivalent.ts";
import { sampleMutants } from "../test/mutants/sample.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    workers: { type: "string", default: String(availableParallelism()) },
    only: { type: "string", default: "core,journal,runtime,workflow,provider,agent" },
    list: { type: "boolean", default: false },
    resume: { type: "string" },
  },
});
const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const [seed, count] = [Number(values.seed), Number(values.count)];
// Nearly half of them do not compile.
const mutants = await thatCompile(sampleMutants(values.only.split(","), Math.ceil(count * 2), seed), count);
tell(`${mutants.length} mutants that compile, seed ${seed}`);
if (values.list) for (const mutant of mutants) tell(describeMutant(mutant));
else {
  const options = { workers: Number(values.workers), killedFile: values.resume, tell };
  const { killed, survived } = await runMutants(mutants, options);
  const share = (100 * killed) / (killed + survived.length);
  tell(
    `\n${killed} of ${mutants.length} killed, ${survived.length} survived: ${share.toFixed(1)} % (seed ${seed}; ${EQUIVALENTS.length} equivalent mutants never drawn)`,
  );
  for (const mutant of survived) tell(`  ${describeMutant(mutant)}`);
  process.exitCode = share < 90 ? 1 : 0;
}
