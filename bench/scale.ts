// `npm run bench:scale -- [--part steps …] [--rounds 3] [--parked 100000] [--store sqlite] [--copied 100000]
// [--without-dbos]`: what driving runs costs beyond one process, and
// what nodes of one journal know of each other. Everything in one run, on the same machine; `--part` chooses one or more of its parts.

import { parseArgs } from "node:util";
import { print } from "./measure.ts";
import { copyBothWays } from "./scale/copy.ts";
import { sweepWithParkedRuns } from "./scale/idle-sweep.ts";
import { parkedBytes } from "./scale/parked-bytes.ts";
import { parkedRuns } from "./scale/parked-runs.ts";
import { pruneWhileWriting } from "./scale/prune.ts";
import { sharedState } from "./scale/shared-state.ts";
import { stepsASecond } from "./scale/steps.ts";

const { values } = parseArgs({
  options: {
    "rounds": { type: "string", default: "3" },
    "parked": { type: "string", default: "100000" },
    "parked-bytes": { type: "string", default: "2000" },
    "without-dbos": { type: "boolean", default: false },
    "copied": { type: "string", default: "100000" },
    "store": { type: "string", multiple: true, default: [] },
    "part": { type: "string", multiple: true, default: [] },
  },
});
const parked = Number(values.parked);

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  steps: () => stepsASecond({ rounds: Number(values.rounds), withDbos: !values["without-dbos"] }),
  bytes: () => parkedBytes(Number(values["parked-bytes"])),
  sweep: () => sweepWithParkedRuns(parked),
  parked: () => parkedRuns([parked / 100, parked / 10, parked], values.store),
  shared: sharedState,
  prune: () => pruneWhileWriting(100_000),
  copy: () => copyBothWays(Number(values.copied)),
};

for (const name of values.part.length > 0 ? values.part : Object.keys(PARTS)) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`--part must be one of ${Object.keys(PARTS).join(", ")}`);
  await part();
}
print("");
