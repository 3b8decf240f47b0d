// What is said when something cannot be done with a run: what, why, and what to do instead.

import { fault, type Fault } from "../../core/fault/fault.ts";
import type { RunStatus } from "../../core/flow/run.ts";
import type { RunReport, RunSummary } from "../runs-api.ts";

export function noRun(run: string): Fault {
  return fault("NotFound", {
    message: `there is no run ${run} in this journal; list the runs to see their names`,
    context: { run },
  });
}

export function alreadyThere(run: string): Fault {
  return fault("EngineState", {
    message: `there is a run ${run} already; give the new one another name`,
    context: { run },
  });
}

export function heldElsewhere(run: string): Fault {
  return fault("ResourceBusy", {
    message: `run ${run} is being advanced by another process; watch it, or try again`,
    context: { run },
  });
}

export function stopping(run: string): Fault {
  return fault("EngineState", {
    message: `run ${run} was not advanced, because this process is stopping; the next process continues it`,
    context: { run },
  });
}

export function isOver(run: string, { status, outcome, successor }: RunSummary): Fault {
  const next = successor === null ? AFTER_END[status] : `its successor is ${successor}`;
  return fault("EngineState", { message: `run ${run} is over (${status}, ${outcome}); ${next}`, context: { run } });
}

/** What there is to do about a run that has ended this way. */
const AFTER_END: Readonly<Record<RunStatus, string>> = {
  completed: "it did all there was to do; start another run to do it again",
  failed: "show it to see how to go on from where it failed",
  cancelled: "it was cancelled for good; start another run",
  // A run that stands like this is not over.
  running: "look at it again",
  paused: "look at it again",
};

export function otherWorkflow(run: string, { workflow, file }: RunSummary): Fault {
  const place = file ?? `workflow ${workflow}`;
  return fault("ResumeMismatch", {
    message: `${place} is not what it was when run ${run} was started; go on with the changed one (accept), or with the one it was started with (as-started)`,
    context: { run },
  });
}

export function definitionGone({ workflow, digest }: Pick<RunSummary, "workflow" | "digest">): Fault {
  return fault("ResumeMismatch", {
    message: `the definition of workflow ${workflow} that this run was started with is not here; resume it with its workflow`,
    context: { workflow, digest },
  });
}

export function notOffered(run: string, action: string, { actions, summary }: RunReport): Fault {
  const offered =
    actions.length === 0 ? "nothing can be done with it now" : `offered now: ${actions.map(({ id }) => id).join(", ")}`;
  return fault("EngineState", {
    message: `${action} is not offered for run ${run} (${summary.status}); ${offered}`,
    context: { run, action },
  });
}
