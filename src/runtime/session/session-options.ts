// What may be said about a session and its turns.

import type { RunEvent } from "../../core/flow/run-event.ts";
import type { TurnEvent, Manifest } from "../../core/record/event.ts";
import type { Keep } from "../../journal/journal.ts";
import type { BudgetOptions } from "../../core/flow/money.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { PresetName } from "../../core/policy/presets.ts";
import { anything, group, listOf, number, oneOf, shape } from "../../options/check-options.ts";
import { budgetKind, labelsKind, policyKind } from "../option-shapes.ts";

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

export const limitsKind = group(
  shape<SessionLimits>({
    maxTurns: number(0),
    maxToolRounds: number(0),
    turnTimeoutMs: number(0),
    runTimeoutMs: number(0),
    maxParallel: number(1),
  }),
);

/** Options of `fl.session`. */
export interface SessionOptions {
  /** `headless`: no person is present; questions are stored and the session waits. */
  readonly mode?: Manifest["mode"];
  /** Names and values to find the session by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What the session may spend. Default: as the runtime has it. */
  readonly budget?: BudgetOptions;
  /** What the session may use. Default: as the runtime has it. */
  readonly limits?: Partial<SessionLimits>;
  /** The policy for the calls of this session, instead of the runtime's. Breakers, pauses and queues stay shared. */
  readonly policy?: PresetName | Policy;
  /** Values that must not get out of this session, besides those the runtime knows: texts, numbers, also inside lists and objects. */
  readonly secrets?: readonly unknown[];
}

export const SESSION_OPTIONS = shape<SessionOptions>({
  mode: oneOf(["attended", "headless"]),
  labels: labelsKind,
  budget: budgetKind,
  limits: limitsKind,
  policy: policyKind,
  secrets: listOf(anything),
});

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
