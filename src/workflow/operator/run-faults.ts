// The faults for requests that a run cannot fulfil. Each message says what, why, and what to do instead.

import { fault, type Fault } from "../../core/fault/fault.ts";
import type { RunStatus } from "../../core/flow/run-state.ts";
import type { RunReport, RunSummary } from "../runs-api.ts";

export function noRun(run: string): Fault {
  return fault("NotFound", {
    message: `there is no run ${run} in this journal; list the runs to see their names`,
    context: { run },
  });
}

export function alreadyThere(run: string): Fault {
  return fault("EngineState", {
    message: `run ${run} already exists; give the new run another name`,
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

/** The next step for an operator, by how the run ended. */
const AFTER_END: Readonly<Record<RunStatus, string>> = {
  completed: "it completed its work; start another run to repeat it",
  failed: "show it to see which actions continue it",
  cancelled: "a cancelled run cannot continue; start another run",
  // Not over: only a run that changes between two reads gets here.
  running: "look at it again",
  paused: "look at it again",
};

export function otherWorkflow(run: string, { workflow, file }: RunSummary): Fault {
  const place = file ?? `workflow ${workflow}`;
  return fault("ResumeMismatch", {
    message: `${place} has changed since run ${run} was started; continue with the changed workflow (accept), or with the one it was started with (as-started)`,
    context: { run },
  });
}

export function definitionGone({ workflow, digest }: Pick<RunSummary, "workflow" | "digest">): Fault {
  return fault("ResumeMismatch", {
    message: `this journal does not have the definition of workflow ${workflow} that the run was started with; resume the run and name its workflow`,
    context: { workflow, digest },
  });
}

export function notOffered(run: string, action: string, { actions, summary }: RunReport): Fault {
  const offered =
    actions.length === 0 ? "no action is offered now" : `offered now: ${actions.map(({ id }) => id).join(", ")}`;
  return fault("EngineState", {
    message: `${action} is not offered for run ${run} (${summary.status}); ${offered}`,
    context: { run, action },
  });
}
