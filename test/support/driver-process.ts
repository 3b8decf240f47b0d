// A process of its own that drives the runs of a journal: `node driver-process.ts <journal> <effects file>`. Says each run that it
// has brought to its end, and each hanging node it has begun; ends when its standard input does. With a number behind that it
// begins so many runs instead.

import { appendFileSync } from "node:fs";
import { once } from "node:events";
import { openJournal, tool } from "../../src/index.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";

/** Two effects on the outside world; the first one hangs forever if the run asks for it and this process is the one to hang. */
const sharedWorkflow = defineWorkflow({
  id: "shared",
  stages: {
    a: stage({
      act: async (_request, { turn }, { run, inputs }) => {
        await turn.protect(effect, `${run} a`);
        if (inputs["hangs"] !== true || process.env["HANGS"] !== "1") return;
        process.stdout.write(`hangs ${run}\n`);
        await new Promise(() => undefined);
      },
    }),
    b: stage({ act: async (_request, { turn }, { run }) => turn.protect(effect, `${run} b`) }),
  },
});

const effect = tool<string, null>({
  id: "effect",
  run: (line) => {
    appendFileSync(process.argv[3] ?? "", `${line}\n`);
    return null;
  },
});

/** Writes runs down, for others to advance. */
async function begin(path: string, count: number): Promise<void> {
  const workflows = createWorkflows({ journal: await openJournal(path, {}), workflows: [sharedWorkflow] });
  for (let index = 0; index < count; index++) {
    const run = `run-${String(index).padStart(2, "0")}`;
    await workflows.runs.start(sharedWorkflow, { run, inputs: { hangs: process.env["HANGS"] === "1" } });
  }
  await workflows.close();
}

async function drive(path: string): Promise<void> {
  const workflows = createWorkflows({ journal: await openJournal(path, {}), workflows: [sharedWorkflow] });
  const driver = workflows.driver({
    lookEveryMs: 50,
    onWarning: (run, { code, message }) => {
      if (code !== "ResourceBusy") process.stderr.write(`${run} ${code} ${message}\n`);
    },
    onAdvanced: ({ run, status }) => {
      if (status === "completed") process.stdout.write(`done ${run}\n`);
    },
  });
  driver.start();
  process.stdout.write("ready\n");
  await once(process.stdin.resume(), "end");
  await driver.stop();
  await workflows.close();
}

const [, , path = "", , count] = process.argv;
await (count === undefined ? drive(path) : begin(path, Number(count)));
