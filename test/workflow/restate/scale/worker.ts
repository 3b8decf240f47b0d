// A worker of the campaign: `node worker.ts <journal> <driver> <port> <advertise>`. Writes every entry that it sees acknowledged to a
// file, and says `ready` when it works. With `plain` as driver it shares the runs by holds in the journal.

import { createWriteStream } from "node:fs";
import { openJournal } from "../../../../src/index.ts";
import { createWorkflows } from "../../../../src/workflow/workflows.ts";
import { effectsWorkflow } from "./effects-workflow.ts";

const [, , path = "", driver = "", port = "0", advertise = ""] = process.argv;
const journal = await openJournal(path, {});
const acknowledged = createWriteStream(process.env["ACKNOWLEDGED"] ?? "", { flags: "a" });
journal.subscribe(({ session, seq }) => void acknowledged.write(`${session} ${seq}\n`));
const workflows = createWorkflows({ journal, workflows: [effectsWorkflow], env: {} });
const watched = {
  maxRuns: 16,
  onWarning: (run: string, { code, message }: { code: string; message: string }): void => {
    process.stderr.write(`${run} ${code} ${message}\n`);
  },
};
if (driver === "plain") workflows.driver(watched).start();
else {
  const worker = { port: Number(port), ...(advertise === "" ? {} : { advertise }) };
  await (await workflows.restateDriver({ ...watched, url: driver, worker })).start();
}
process.stdout.write("ready\n");
