// The process that is killed: opens the journal, starts the run if there is none yet, and drives it to its end. Reports on
// stdout what happens to the run, as lines of JSON. `life.ts` bundles it, because it starts often and has to start fast.

import { writeSync } from "node:fs";
import { openJournal } from "../../src/index.ts";
import { createWorkflows } from "../../src/workflow/index.ts";

const job = JSON.parse(process.argv[2]);

const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

let { aheadMs } = job;
/** A clock that is ahead, so that the campaign need not wait when a run waits for a time. */
const clock = {
  now: () => Date.now() + aheadMs,
  after: (delayMs, wake) => {
    const timer = setTimeout(wake, Math.min(Math.max(0, Math.ceil(delayMs)), 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
  soon: (next) => void setImmediate(next),
  tickMs: 50,
  shiftMs: 0,
};

/** Kills this process once the entry with this number is on disk, at once or through the parent. */
function passed(seq) {
  if (job.kill === null || isPassed || seq < job.kill.seq) return;
  isPassed = true;
  if (job.kill.by === "itself") process.kill(process.pid, "SIGKILL");
  tell({ told: "moment" });
}
let isPassed = false;

const journal = await openJournal(job.journal, { clock });
const watched = {
  ...journal,
  async append(session, after, entries, keeps) {
    await journal.append(session, after, entries, keeps);
    if (session === job.run) passed(after + entries.length);
  },
};

const workflows = createWorkflows({ journal: watched, clock });
const known = await journal.kept("run", job.run);
if (known === null) {
  const { workflow, diagnostics } = await workflows.file(job.workflowFile);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  await workflows.runs.start(workflow, { run: job.run, inputs: job.inputs });
}
const driving = {
  lookEveryMs: 50,
  onAdvanced: async ({ status, outcome, wakeAt, questions }) => {
    if (status !== "paused") return leave(status, outcome);
    tell({ told: "paused", wakeAt, questions: questions.map(({ id }) => id) });
    if (!job.jumps || questions.length > 0) return;
    aheadMs += Math.max(0, wakeAt - clock.now());
    driver.poke();
  },
  onWarning: (run, fault) => tell({ told: "trouble", run, code: fault.code, message: fault.message }),
};
const driver =
  job.restate === null
    ? workflows.driver(driving)
    : await workflows.restateDriver({ ...driving, url: job.restate.url, worker: { port: job.restate.port } });
// The previous worker may have been killed after the run was over.
if (known !== null && known.endedAt > 0) await leave(known.status, known.outcome);
else {
  tell({ told: "driving" });
  await driver.start();
}

async function leave(status, outcome) {
  await driver.stop();
  await workflows.close();
  tell({ told: "over", status, outcome });
}
