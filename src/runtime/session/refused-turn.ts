// The faults of a session that cannot do what was asked, and where the result of a turn is kept.

import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { tellTurn } from "../../core/flow/turn-words.ts";
import type { SessionStatus } from "../../core/record/event.ts";
import type { TurnResult } from "./turn-result.ts";

export function endedFault(session: string, status: SessionStatus): Fault {
  return fault("EngineState", {
    message: `session ${session} is over (${status}); begin a new one`,
    context: { session },
  });
}

export function turnLimitFault(maxTurns: number): Fault {
  return fault("TurnLimit", { message: `the session has had its ${maxTurns} turns`, context: { limit: maxTurns } });
}

export function runTimeoutFault(runTimeoutMs: number): Fault {
  const message = `the session has run for ${runTimeoutMs} ms`;
  return fault("RunTimeout", { message, context: { limit: runTimeoutMs } });
}

/** A call's key has the turn, the round and the step; no turn is called nothing. */
export function turnKey(session: string, turn: string): string {
  return `${session}//${turn}`;
}

export function otherPlan(turn: string): Fault {
  return fault("ResumeMismatch", {
    message: `turn ${turn} is over, and had another plan; give this turn a name of its own`,
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
    message: tellTurn([], why, locale),
    fault: why,
    questions: [],
    wakeAt: null,
  };
}
