// A process of its own that starts runs: `node starting-process.ts <journal> <name> <count>`. Says `ready`, waits for a line, and
// says which of the runs it was given.

import { once } from "node:events";
import { isFaultError, openJournal } from "../../src/index.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";

const [, , path = "", name = "", count = "0"] = process.argv;
const one = defineWorkflow({ id: "one", stages: { a: stage({ act: () => null }) } });
const workflows = createWorkflows({ journal: await openJournal(path, {}), workflows: [one] });
process.stdout.write("ready\n");
await once(process.stdin, "data");
for (let index = 0; index < Number(count); index++) {
  const run = `run-${index}`;
  try {
    await workflows.runs.start(one, { run, inputs: { from: name } });
    process.stdout.write(`accepted ${run} ${name}\n`);
  } catch (error) {
    if (!isFaultError(error) || error.fault.code !== "EngineState") throw error;
  }
}
await workflows.close();
process.stdin.destroy();
