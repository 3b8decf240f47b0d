// `faultline report`: prints the incident report about a run or session, or writes it to a file.

import { Readable } from "node:stream";
import type { Cli } from "../cli.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import { safeJson } from "../render/safe-text.ts";
import { shown } from "../render/values.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";
import { findSession } from "./find-run.ts";
import { type JournalOption, withRuns } from "./run-deps.ts";

export interface ReportCommandOptions extends JournalOption {
  readonly out?: string;
}

export async function reportRun(given: string, options: ReportCommandOptions, cli: Cli): Promise<void> {
  const { out } = options;
  await withRuns({ ...options, look: true }, cli, async (deps) => {
    const run = await findSession(deps, given);
    const { incident, markdown } = await deps.workflows.runs.report(run, { locale: cli.locale, messageIn });
    const text = cli.json ? `${safeJson(incident)}\n` : markdown;
    if (out === undefined || out === "-") return cli.stdout.write(text);
    await cli.writeNewFile(out, Readable.from([text]));
    const mark = cli.paintError("green", "✓");
    await cli.stderr.write(`${mark} ${RUNS_WORDS[cli.locale].exported(shown(run), shown(out, 2_000))}\n`);
  });
}
