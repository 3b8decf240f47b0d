// The first entries of a run: what it runs, with what, and from where. They are written in one append, so that a name is given to
// one run only, even if several processes ask at the same moment. From here on a driver can find it.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import { usdOf } from "../../core/flow/money.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import type { SessionState } from "../../core/record/replay.ts";
import type { Keep } from "../../journal/journal.ts";
import type { SessionOptions } from "../../runtime/runtime.ts";
import type { Session } from "../../runtime/session/session.ts";
import { outgoingTrace } from "../../telemetry/otel.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import { startRun } from "../../core/flow/run.ts";
import type { RunSummary } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { keepInputs, secretsOf } from "./run-values.ts";
import type { Workflow, WorkflowInputs } from "../../workflow-model/stage.ts";
import { keepSummary, keepsOf, summaryOf } from "./summary.ts";

type RunStarted = Extract<RunEvent, { type: "run-started" }>;
export type Beginning = Pick<RunStarted, "start" | "inherited" | "instruction" | "limits" | "predecessor" | "inputs">;

export async function beginRun(
  home: RunsDeps,
  run: string,
  workflow: Workflow,
  beginning: Beginning,
  inputs: Pick<WorkflowInputs, "values" | "secret">,
  keeps: readonly Keep[],
): Promise<void> {
  const { clock } = home;
  const { id, version, digest, source } = workflow;
  await keepDefinition(home, workflow);
  const file = source?.file ?? null;
  const { traceparent } = outgoingTrace();
  const inTrace = traceparent === undefined ? {} : { traceparent };
  const event: RunStarted = { type: "run-started", workflow: id, version, digest, file, ...beginning, ...inTrace };
  const now = clock.now();
  const secrets = [...Object.values(inputs.secret), ...workflow.secrets];
  const session = await home.faultline.beginSession(run, optionsOf(workflow, beginning.limits, secrets), {
    events: [event],
    keeps: [...keepInputs(run, inputs), ...keeps, ...keepsOf(summaryOf(run, startRun(event, now), 0, now))],
  });
  await session.leave();
}

/** The journal keeps the definition's text, so that the run can continue on a machine without the file. */
export async function keepDefinition({ journal, library }: RunsDeps, workflow: Workflow): Promise<void> {
  library.add(workflow);
  const { digest, source } = workflow;
  if (source !== null) await journal.keepFirst({ kind: "definition", key: digest, value: source });
}

/** The run that a session is. */
export function runOf({ run, session }: SessionState): RunState {
  if (run !== null) return run;
  const message = `session ${session} is not a run of a workflow`;
  throw new FaultError(fault("InvariantBroken", { message, context: { run: session } }));
}

/** `state`: the run as it was read; the session continues to fold it. */
export async function openRun(
  home: RunsDeps,
  state: SessionState,
  workflow: Workflow,
  limits: RunSummary["limits"],
): Promise<Session> {
  const secrets = await secretsOf(home.journal, state.session, workflow);
  const session = await home.faultline.resumeSession(state, optionsOf(workflow, limits, secrets));
  keepSummary(session, home.clock);
  return session;
}

function optionsOf(workflow: Workflow, limits: RunSummary["limits"], secrets: readonly unknown[]): SessionOptions {
  return {
    // Answers come through the journal: a run that waits for a person is not held in memory.
    mode: "headless",
    labels: { workflow: workflow.id },
    ...(workflow.policy === null ? {} : { policy: workflow.policy }),
    secrets,
    budget: { maxUsd: usdOf(limits.maxCostMicrocents), onExceed: workflow.limits.onExceed },
    limits: { maxTurns: Infinity, turnTimeoutMs: Infinity, runTimeoutMs: limits.timeoutMs ?? Infinity },
  };
}
