// A process of its own that drives the runs of a journal: `node driver-process.ts <journal> <effects file>`. Says each run that it
// has brought to its end, and each hanging node it has begun; ends when its standard input does.

import { appendFileSync } from "node:fs";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { tool } from "../../src/index.ts";
import { openJournal } from "../../src/index.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";

/** Two effects on the world outside; the first of them hangs for ever when the run says so and this process is the one to hang. */
export const sharedWorkflow = defineWorkflow({
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

async function drive(path: string): Promise<void> {
  const journal = await openJournal(path, {});
  const workflows = createWorkflows({ journal, workflows: [sharedWorkflow] });
  const driver = workflows.driver({
    lookEveryMs: 50,
    onTrouble: (run, { code, message }) => void (code !== "ResourceBusy" && process.stderr.write(`${run} ${code} ${message}\n`)),
    onAdvanced: ({ run, status }) => {
      if (status === "completed") process.stdout.write(`done ${run}\n`);
    },
  });
  driver.start();
  await once(process.stdin.resume(), "end");
  await driver.stop();
  await workflows.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await drive(process.argv[2] ?? "");
