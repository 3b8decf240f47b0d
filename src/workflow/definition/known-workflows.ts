// The workflows that a program can show: those it was given, and those that runs of the journal were started with.

import { tagOf } from "../../journal/keep-kinds.ts";
import type { RunsDeps } from "../runs-options.ts";
import type { RunSummary } from "../runs-api.ts";
import type { Workflow } from "../../workflow-model/stage.ts";

export interface KnownWorkflow {
  readonly workflow: Workflow;
  /** New runs of it can be started; one that only the journal has was started elsewhere. */
  readonly canStart: boolean;
}

/** The newest runs are looked at; a workflow that has no run among them is not listed. */
const NEWEST_RUNS = 500;

/** null when neither the program nor a run has a workflow of this id. Of several versions in the journal, the newest run's. */
export async function findWorkflow(
  { journal, library }: RunsDeps,
  given: readonly Workflow[],
  id: string,
): Promise<KnownWorkflow | null> {
  const own = given.find((workflow) => workflow.id === id);
  if (own !== undefined) return { workflow: own, canStart: true };
  const [newest] = await journal.keptByTime("run", { order: "newest", limit: 1, tags: [tagOf("workflow", id)] });
  const workflow = newest === undefined ? null : await library.findReadable(newest.value as RunSummary);
  return workflow === null ? null : { workflow, canStart: false };
}

/** By id, those of the program first. */
export async function knownWorkflows(
  { journal, library }: RunsDeps,
  given: readonly Workflow[],
): Promise<readonly KnownWorkflow[]> {
  const known = new Map<string, KnownWorkflow>(given.map((workflow) => [workflow.id, { workflow, canStart: true }]));
  const runs = await journal.keptByTime("run", { order: "newest", limit: NEWEST_RUNS });
  for (const { value } of runs) {
    const run = value as RunSummary;
    if (known.has(run.workflow)) continue;
    const workflow = await library.findReadable(run);
    if (workflow !== null) known.set(run.workflow, { workflow, canStart: false });
  }
  return [...known.values()];
}
