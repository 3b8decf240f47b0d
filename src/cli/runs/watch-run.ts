// `faultline runs watch`: a run that another process advances, as it happens.

import type { Io } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import { followRun } from "../workflow/follow-run.ts";
import { tellResult } from "../workflow/run-result.ts";
import { findRun } from "./find-run.ts";
import { type JournalOption, withRuns } from "./run-home.ts";

export interface WatchOptions extends JournalOption {
  readonly jsonl?: true;
  readonly after: number;
}

export async function watchRun(given: string, options: WatchOptions, io: Io, shared: GlobalOptions): Promise<void> {
  const jsonl = options.jsonl === true;
  await withRuns(options, io, shared, async (home) => {
    const { run } = await findRun(home, given);
    const followed = await followRun(home, run, { part: "watch", waits: true, jsonl, after: options.after });
    await tellResult(home, followed, { jsonl });
  });
}
