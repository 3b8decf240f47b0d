// The demo's worker process: advances one run until it ends, then exits. It also exits when its parent process is gone.

import { createWorkflows } from "../../workflow/workflows.ts";
import { openJournal } from "../../journal/open-journal.ts";
import type { Io } from "../io.ts";

/** How often it looks for answers given in another process. */
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

/** Resolves when stdin closes; its content is ignored. */
async function endOf(stdin: Io["stdin"]): Promise<void> {
  const pieces = stdin[Symbol.asyncIterator]();
  while ((await pieces.next()).done !== true);
}
