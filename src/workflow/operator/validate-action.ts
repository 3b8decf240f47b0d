// What keeps a node from doing what an operator wants of it, found out before the action is taken: nothing is begun that could only
// fail. The node itself looks again when it runs, because a run may be advanced where its workflow has changed.

import type { Fault } from "../../core/fault/fault.ts";
import type { OfferedAction } from "../../core/flow/action.ts";
import { type RunState, visitOf } from "../../core/flow/run.ts";
import { NodeResults } from "../advance/node-results.ts";
import type { RunsDeps } from "../runs-options.ts";

type Params = Readonly<Record<string, unknown>>;

/** null: nothing does, or the workflow is not known here. */
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
  // What an earlier action said to this visit does not count any more; what was allowed for the whole run does.
  const scope = await new NodeResults(run, journal).scopeFor(state, { ...visit, instruction: null });
  const granted = scope.instruction?.params["granted"] ?? {};
  return stage.refusal({ ...scope, instruction: { action: offered.id, params: { ...params, granted }, by } });
}
