// A life of the program that will be killed: advances one run of a journal in real time. Started as a separate process.

import { join } from "node:path";
import { openJournal } from "../../../src/index.ts";
import { createWorkflows } from "../../../src/workflow/workflows.ts";
import { placeFor } from "../../support/test-servers.ts";

const [folder = "", file = "", run = ""] = process.argv.slice(2);
const journal = await openJournal(placeFor(join(folder, "runs.db")));
const workflows = createWorkflows({ journal, worker: { name: "killed", isGone: () => true } });
const { workflow } = await workflows.file(join(folder, file));
await workflows.runs.resume(run, workflow);
await workflows.runs.advance(run);
