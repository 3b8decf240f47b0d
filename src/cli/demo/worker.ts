// A process that advances one run of a journal until it is over, and then ends: what the demonstration starts, kills and starts
// again. It ends, too, when whoever started it is gone.

import { createWorkflows } from "../../workflow/workflows.ts";
import { openJournal } from "../../journal/open-journal.ts";
import type { Io } from "../io.ts";

/** Somebody may answer a question in another process: looked for this often. */
const LOOK_EVERY_MS = 100;

export async function runWorker(file: string, run: string, io: Io): Promise<void> {
  const { clock, env } = io;
  const workflows = createWorkflows({ journal: await openJournal(file, { clock }), clock, env });
  const over = new Promise<void>((resolve) => {
    const driver = workflows.driver({
      lookEveryMs: LOOK_EVERY_MS,
      onAdvanced: (end) => {
        if (end.run === run && end.status !== "running" && end.status !== "paused") resolve();
      },
    });
    driver.start();
  });
  await Promise.race([over, endOf(io.stdin)]);
  await workflows.close();
}

/** Nothing is said there: only its end means something. */
async function endOf(stdin: Io["stdin"]): Promise<void> {
  const pieces = stdin[Symbol.asyncIterator]();
  while ((await pieces.next()).done !== true);
}
