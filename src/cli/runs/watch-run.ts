// `faultline runs watch`: shows a run live while another process advances it.

import type { Io } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import { followRun } from "../workflow/follow-run.ts";
import { tellResult } from "../workflow/run-result.ts";
import { findRun } from "./find-run.ts";
import { type JournalOption, mayWrite, withRuns } from "./run-deps.ts";

export interface WatchOptions extends JournalOption {
  readonly jsonl?: true;
  readonly after: number;
}

export async function watchRun(given: string, options: WatchOptions, io: Io, shared: GlobalOptions): Promise<void> {
  const jsonl = options.jsonl === true;
  // A watcher often outlives the writer, and the last process to close the journal cleans up its WAL. So it opens the journal for
  // writing where it may.
  const option = (await mayWrite(options, io)) ? options : { ...options, look: true as const };
  await withRuns(option, io, shared, async (deps) => {
    const { run } = await findRun(deps, given);
    const followed = await followRun(deps, run, { part: "watch", waits: true, jsonl, after: options.after });
    await tellResult(deps, followed, { jsonl });
  });
}
