// Finds a run by its id, a prefix of its id, or `last` for the most recently started one.

import { UsageError } from "../io.ts";
import { shown } from "../render/values.ts";
import type { RunReport, RunSummary } from "../../workflow/runs-api.ts";
import type { RunCommandDeps } from "./run-deps.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";

const ID_PREFIX = "run_";
const LAST = "last";

/** The name of a session: a plain session by its full name, a run also by the beginning of its id or `last`. */
export async function findSession(deps: RunCommandDeps, given: string): Promise<string> {
  const named = given === "" ? null : await deps.workflows.journal.session(given);
  return named?.session ?? (await findRun(deps, given)).run;
}

/** Finds the run, then reads its report. */
export async function findReport(deps: RunCommandDeps, given: string): Promise<RunReport> {
  return reportOn(deps, (await findRun(deps, given)).run);
}

export async function reportOn({ workflows, locale, command }: RunCommandDeps, run: string): Promise<RunReport> {
  const report = await workflows.runs.show(run);
  if (report !== null) return report;
  throw new UsageError(RUNS_WORDS[locale].noRun(shown(run), command("runs", "list")));
}

export async function findRun({ workflows, locale, command }: RunCommandDeps, given: string): Promise<RunSummary> {
  const words = RUNS_WORDS[locale];
  const isKey = given !== "" && given !== LAST;
  const exact = isKey ? ((await workflows.journal.kept("run", given)) as RunSummary | null) : null;
  if (exact !== null) return exact;
  const [newest] = await workflows.runs.list({ limit: 1 });
  if (newest === undefined) throw new UsageError(words.noRuns);
  if (given === LAST) return newest;
  const all = await workflows.runs.list();
  const near = given === "" ? [] : all.filter(({ run }) => run.startsWith(given) || run.startsWith(ID_PREFIX + given));
  const [only, ...others] = near;
  if (only === undefined) throw new UsageError(words.noRun(shown(given), command("runs", "list")));
  if (others.length === 0) return only;
  throw new UsageError(
    words.manyRuns(
      shown(given),
      near
        .slice(0, 5)
        .map(({ run }) => shown(run))
        .join(", "),
    ),
  );
}
