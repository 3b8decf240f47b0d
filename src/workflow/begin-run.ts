// The first entries of a run: what it runs, with what, and from where. From here on a driver can find it.

import type { RunEvent } from "../core/flow/run-event.ts";
import type { Keep } from "../journal/journal.ts";
import type { Session } from "../runtime/session/session.ts";
import { startRun } from "../core/flow/run.ts";
import type { RunSummary } from "./runs-api.ts";
import type { RunsHome } from "./runs-options.ts";
import type { Workflow } from "./stage.ts";
import { keepsOf, summaryOf } from "./summary.ts";

type RunStarted = Extract<RunEvent, { type: "run-started" }>;
export type Beginning = Pick<RunStarted, "start" | "inherited" | "instruction" | "limits" | "predecessor" | "inputs">;

export async function beginRun(
  home: RunsHome,
  run: string,
  workflow: Workflow,
  beginning: Beginning,
  keeps: readonly Keep[],
): Promise<void> {
  const { clock } = home;
  const { id, version, digest, source } = workflow;
  await keepDefinition(home, workflow);
  const file = source?.file ?? null;
  const event: RunStarted = { type: "run-started", workflow: id, version, digest, file, ...beginning };
  const session = await openRun(home, run, workflow, beginning.limits);
  const now = clock.now();
  await session.record([event], [...keeps, ...keepsOf(summaryOf(run, startRun(event, now), 0, now))]);
  await session.leave();
}

/** The text stays in the journal, so that a run can go on where the file is not. */
export async function keepDefinition({ journal, library }: RunsHome, workflow: Workflow): Promise<void> {
  library.add(workflow);
  const { digest, source } = workflow;
  if (source !== null) await journal.keepFirst({ kind: "definition", key: digest, value: source });
}

export function openRun(
  home: RunsHome,
  run: string,
  workflow: Workflow,
  limits: RunSummary["limits"],
): Promise<Session> {
  return home.faultlineFor(workflow).session(run, {
    // Whoever answers does so through the journal: a run that waits for a person is not held in memory.
    mode: "headless",
    labels: { workflow: workflow.id },
    budget: { maxCostMicrocents: limits.maxCostMicrocents, onExceed: workflow.limits.onExceed },
    limits: { maxTurns: Infinity, turnTimeoutMs: Infinity, runTimeoutMs: limits.timeoutMs ?? Infinity },
  });
}
