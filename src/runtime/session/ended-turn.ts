// The faults of turns that a session refuses, and the results of turns that have ended.

import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { describeTurn } from "../../core/flow/turn-words.ts";
import type { TurnResult } from "./turn-result.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import type { SessionCore } from "./session-core.ts";

export function turnLimitFault(maxTurns: number): Fault {
  return fault("TurnLimit", { message: `the session has had its ${maxTurns} turns`, context: { limit: maxTurns } });
}

export function runTimeoutFault(runTimeoutMs: number): Fault {
  const message = `the session has run for ${runTimeoutMs} ms`;
  return fault("RunTimeout", { message, context: { limit: runTimeoutMs } });
}

/** Call keys are `session/turn/…`, turn keys `session//turn`. Turn names are never empty, so the two cannot collide. */
export function turnKey(session: string, turn: string): string {
  return `${session}//${turn}`;
}

function otherPlan(turn: string): Fault {
  return fault("ResumeMismatch", {
    message: `turn ${turn} has ended, and it had another plan; give this turn another name`,
    context: { turn },
  });
}

export function emptyResult(turn: string, why: Fault, locale: Locale): TurnResult {
  return {
    turn,
    status: "failed",
    value: undefined,
    outcomes: {},
    missing: [],
    message: describeTurn([], why, locale),
    fault: why,
    questions: [],
    wakeAt: null,
  };
}

// Answers a turn that has ended from the journal, provided its input is the same.

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
