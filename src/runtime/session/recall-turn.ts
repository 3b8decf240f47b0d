// Answers a turn that has ended from the journal, provided its input is the same.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import { emptyResult, otherPlan, turnKey } from "./refused-turn.ts";
import type { SessionCore } from "./session-core.ts";
import type { TurnResult } from "./turn-result.ts";

export async function recallTurn({ state, engine }: SessionCore, turn: string, digest: string): Promise<TurnResult> {
  const kept = await engine.store.kept("result", turnKey(state.session, turn));
  if (kept === undefined || kept === null) {
    throw new FaultError(
      fault("ManifestDrift", { message: `turn ${turn} is over, but its result is not in the journal` }),
    );
  }
  const { result, digest: before } = kept as { readonly result: TurnResult; readonly digest: string };
  return before === digest ? result : emptyResult(turn, otherPlan(turn), engine.locale);
}
