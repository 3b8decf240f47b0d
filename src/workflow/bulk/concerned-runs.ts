// Which runs a group of failures concerns, and what could be done about each of them.

import { focusOf, type OfferedAction } from "../../core/flow/action.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RunReport, RunSummary } from "../runs-api.ts";

/** Why a run that met the failure needs nothing. */
export type NotConcerned =
  | "succeeded" //     it got over it
  | "running" //       it is still being advanced
  | "cancelled"
  | "other-failure"; // it stands because of something else

/** Why an action is not taken on a run. */
export type WhyPassedOver = NotConcerned | "not-offered";

/** More runs are not acted on at once. */
const MAX_BULK_RUNS = 1_000;
const PAGE = 500;

/** The runs that met a failure of the group, the one that was begun last first; each as the run that continues it, and once. */
export async function runsOf(journal: Journal, fingerprint: string): Promise<readonly string[]> {
  const runs = new Set<string>();
  for (let after: string | undefined; runs.size < MAX_BULK_RUNS;) {
    const page = await journal.faultRuns(fingerprint, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const run of page) runs.add(await newestOf(journal, run));
    after = page.at(-1);
    if (page.length < PAGE) break;
  }
  return [...runs].slice(0, MAX_BULK_RUNS);
}

/** The run, or the last of its successors. */
async function newestOf(journal: Journal, from: string): Promise<string> {
  const seen = new Set<string>();
  let run = from;
  for (;;) {
    const successor = ((await journal.kept("run", run)) as RunSummary | null)?.successor ?? null;
    seen.add(run);
    if (successor === null || seen.has(successor)) return run;
    run = successor;
  }
}

export function concernOf({ summary, state }: RunReport, code: string): NotConcerned | null {
  if (summary.status === "completed") return "succeeded";
  if (summary.status === "cancelled") return "cancelled";
  if (summary.status === "running") return "running";
  const stands = focusOf(state)?.fault?.code ?? state.fault?.code ?? summary.code;
  return stands === code ? null : "other-failure";
}

/** The offer of an action about the failure, if the run has it and it needs nothing that is not in `params`. */
export function offerOf({ actions }: RunReport, action: string): OfferedAction | null {
  return actions.find(({ id }) => id === action) ?? null;
}
