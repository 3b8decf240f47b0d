// The workflow a run is advanced with: the one it was started with, or a newer one that was accepted. Ending a run needs none, so
// it can be ended where its definition is not known, or can no longer be read.

import type { RunState } from "../../core/flow/run-state.ts";
import type { Journal } from "../../journal/journal.ts";
import { DEFAULT_LIMITS } from "../define.ts";
import { openActions } from "../operator/posted-actions.ts";
import type { RunsDeps } from "../runs-options.ts";
import type { Workflow } from "../../workflow-model/stage.ts";

export async function definitionOf({ journal, library }: RunsDeps, run: string, state: RunState): Promise<Workflow> {
  return (await isToBeCancelled(journal, run, state)) ? withoutStages(state) : library.get(state);
}

async function isToBeCancelled(journal: Journal, run: string, state: RunState): Promise<boolean> {
  if (state.cancelledBy !== null) return true;
  const open = await openActions(journal, run, state);
  return open.some(({ params }) => params["cancel"] === true);
}

/** Nothing of it is ever begun. */
function withoutStages({ workflow, version, digest }: RunState): Workflow {
  return {
    id: workflow,
    version,
    name: workflow,
    digest,
    source: null,
    secrets: [],
    limits: DEFAULT_LIMITS,
    policy: null,
    start: [],
    stages: new Map(),
    outline: { inputs: null, nodes: [], edges: [], tools: [] },
    readInputs: () => ({ values: {}, shown: {}, secret: {} }),
    targetsOf: () => [],
    sendBackTo: () => null,
  };
}
