// Asks a node whether it can carry out an action, before the action is taken: an action that could only fail is refused at once.
// The node checks again when it runs, because by then its workflow may have changed.

import type { Fault } from "../../core/fault/fault.ts";
import type { OfferedAction } from "../../core/flow/action.ts";
import { type RunState, visitOf } from "../../core/flow/run-state.ts";
import { NodeResults } from "../advance/node-results.ts";
import type { RunsDeps } from "../runs-options.ts";

type Params = Readonly<Record<string, unknown>>;

/** null: the node can do it, or this process does not have the workflow. */
export async function refusalOf(
  { library, journal }: RunsDeps,
  run: string,
  state: RunState,
  offered: OfferedAction,
  params: Params,
  by: string,
): Promise<Fault | null> {
  const visit = visitOf(state, offered);
  const stage = visit === undefined ? undefined : (await library.findReadable(state))?.stages.get(visit.node);
  if (visit === undefined || stage === undefined) return null;
  // This action replaces the visit's earlier instruction. Grants for the whole run still count.
  const scope = await new NodeResults(run, journal).scopeFor(state, { ...visit, instruction: null });
  const granted = scope.instruction?.params["granted"] ?? {};
  return stage.refusal({ ...scope, instruction: { action: offered.id, params: { ...params, granted }, by } });
}
