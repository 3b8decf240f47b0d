// `npm run bench:scale -- [--rounds 3] [--parked 100000] [--without-dbos]`: what driving runs costs beyond one process. Everything in one
// run, on the same machine: the plain driver, the Restate driver, bare Restate and DBOS.

import { parseArgs } from "node:util";
import { print } from "./measure.ts";
import { sweepWithParkedRuns } from "./scale/idle-sweep.ts";
import { parkedBytes } from "./scale/parked-bytes.ts";
import { stepsASecond } from "./scale/steps.ts";

const { values } = parseArgs({
  options: {
    "rounds": { type: "string", default: "3" },
    "parked": { type: "string", default: "100000" },
    "parked-bytes": { type: "string", default: "2000" },
    "without-dbos": { type: "boolean", default: false },
  },
});

await stepsASecond({ rounds: Number(values.rounds), withDbos: !values["without-dbos"] });
await parkedBytes(Number(values["parked-bytes"]));
await sweepWithParkedRuns(Number(values.parked));
print("");
