// `faultline report`: prints the incident report about a run or session, or writes it to a file.

import { Readable } from "node:stream";
import { messageIn } from "../fault-sentences/sentence.ts";
import type { Io } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import { paintFor } from "../render/paint.ts";
import { safeJson } from "../render/safe-text.ts";
import { shown } from "../render/values.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";
import { findSession } from "./find-run.ts";
import { type JournalOption, withRuns } from "./run-deps.ts";

export interface ReportCommandOptions extends JournalOption {
  readonly out?: string;
}

export async function reportRun(
  given: string,
  options: ReportCommandOptions,
  io: Io,
  shared: GlobalOptions,
): Promise<void> {
  const { out } = options;
  await withRuns({ ...options, look: true }, io, shared, async (deps) => {
    const run = await findSession(deps, given);
    const { incident, markdown } = await deps.workflows.runs.report(run, { locale: shared.locale, messageIn });
    const text = shared.json ? `${safeJson(incident)}\n` : markdown;
    if (out === undefined || out === "-") return io.stdout.write(text);
    await io.writeNewFile(out, Readable.from([text]));
    const mark = paintFor(io.stderr, io.env, shared.color)("green", "✓");
    await io.stderr.write(`${mark} ${RUNS_WORDS[shared.locale].exported(shown(run), shown(out, 2_000))}\n`);
  });
}
