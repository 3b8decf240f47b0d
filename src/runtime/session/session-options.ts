// What may be said about a session and its turns.

import type { RunEvent } from "../../core/flow/run-event.ts";
import type { TurnEvent } from "../../core/record/event.ts";
import type { Keep } from "../../journal/journal.ts";

/** What a session may use. Times are in milliseconds. */
export interface SessionLimits {
  readonly maxTurns: number;
  /** Rounds of tools within one turn. */
  readonly maxToolRounds: number;
  readonly turnTimeoutMs: number;
  /** All turns together; Infinity for no limit. */
  readonly runTimeoutMs: number;
  /** Steps of a plan that run at the same time. */
  readonly maxParallel: number;
}

/** Options of one turn. */
export interface TurnOptions {
  /** Names the turn, so that it is found again after a crash. Counted (`t1`, `t2` …) when left out. */
  readonly id?: string;
  /** How long the turn may take, in milliseconds. Default: the session's `turnTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Cancels the turn, whatever it is doing. */
  readonly signal?: AbortSignal;
  /** Does not wait for the turns before it, nor they for it. */
  readonly beside?: boolean;
}

/** What a workflow writes in one append with the beginning or the end of a session or a turn. */
export interface SessionWrites {
  readonly events: readonly (RunEvent | TurnEvent)[];
  readonly keeps: readonly Keep[];
}

export const NO_WRITES: SessionWrites = { events: [], keeps: [] };
