// `faultline runs watch`: shows a run live while another process advances it.

import type { Cli } from "../cli.ts";
import { followRun } from "../workflow/follow-run.ts";
import { tellResult } from "../workflow/run-result.ts";
import { findRun } from "./find-run.ts";
import { type JournalOption, mayWrite, withRuns } from "./run-deps.ts";

export interface WatchOptions extends JournalOption {
  readonly jsonl?: true;
  readonly after: number;
}

export async function watchRun(given: string, options: WatchOptions, cli: Cli): Promise<void> {
  const jsonl = options.jsonl === true;
  // A watcher often outlives the writer, and the last process to close the journal cleans up its WAL. So it opens the journal for
  // writing where it may.
  const option = (await mayWrite(options, cli)) ? options : { ...options, look: true as const };
  await withRuns(option, cli, async (deps) => {
    const { run } = await findRun(deps, given);
    const followed = await followRun(deps, run, { part: "watch", waits: true, jsonl, after: options.after });
    await tellResult(deps, followed, { jsonl });
  });
}
