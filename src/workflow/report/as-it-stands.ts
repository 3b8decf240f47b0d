// A run's report corrected by what is known about processes.

import type { Visit } from "../../core/flow/visit.ts";
import type { RunReport } from "../runs-api.ts";

/** When no process works on the run, a visit that the journal shows as running was interrupted by the death of its process. */
export function asItStands(report: RunReport, isHeld: boolean): RunReport {
  if (isHeld) return report;
  const stopped: Pick<Visit, "state" | "pause"> = {
    state: "paused",
    pause: { why: "stopped", wakeAt: null, questions: [] },
  };
  const visits = report.state.visits.map((visit) =>
    visit.state === "running" && visit.pause === null ? { ...visit, ...stopped } : visit,
  );
  return { ...report, state: { ...report.state, visits } };
}
