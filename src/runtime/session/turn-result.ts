// What a turn came to: outcomes, what is missing and why, and one sentence about it for the user.

import type { Fault } from "../../core/fault/fault.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { Question } from "../../core/flow/interaction.ts";
import { tellMissing } from "../../core/flow/turn-words.ts";
import type { TurnStatus } from "../../core/record/event.ts";
import { isOpen, type Outcome } from "../call/outcome.ts";
import type { Missing, RoundResult } from "./run-round.ts";

export interface TurnResult<T = unknown> {
  readonly turn: string;
  readonly status: TurnStatus;
  /** What the body returned; undefined when it did not get that far. */
  readonly value: T | undefined;
  readonly outcomes: Readonly<Record<string, Outcome<unknown>>>;
  readonly missing: readonly Missing[];
  /** For the user: what is there, what is missing, and why. Empty when all is there. */
  readonly message: string;
  /** What ended the turn as a whole; null when nothing did. */
  readonly fault: Fault | null;
  /** Questions that hold it up … */
  readonly questions: readonly Question[];
  /** … or the first time at which something parked can go on; null when nothing is. */
  readonly wakeAt: number | null;
}

export interface TurnEndings {
  readonly turn: string;
  readonly value: unknown;
  readonly outcomes: ReadonlyMap<string, Outcome<unknown>>;
  readonly rounds: readonly RoundResult[];
  readonly cancelled: Fault | null;
  /** What the body threw, as a fault. */
  readonly thrown: Fault | null;
  readonly deadline: Fault | null;
  readonly locale: Locale;
}

export function turnResult(endings: TurnEndings): TurnResult {
  const { turn, value, outcomes, rounds, cancelled, thrown, deadline, locale } = endings;
  const open = [...outcomes.values()].filter(isOpen);
  const missing = rounds.flatMap((round) => round.missing);
  const fault = cancelled ?? thrown ?? rounds.find((round) => round.fault !== null)?.fault ?? deadline;
  const wakeTimes = open.flatMap((outcome) => (outcome.status === "parked" ? [outcome.wakeAt] : []));
  return {
    turn,
    status: statusOf(endings, open.length > 0, missing.length > 0),
    value,
    outcomes: Object.fromEntries(outcomes),
    missing,
    message: missing.length === 0 ? "" : tellMissing(settlementsOf(rounds), locale),
    fault,
    questions: open.flatMap((outcome) => (outcome.status === "waiting" ? [outcome.question] : [])),
    wakeAt: wakeTimes.length === 0 ? null : Math.min(...wakeTimes),
  };
}

/** Cancellation wins; then what cannot go on, then what waits, then what is incomplete. */
function statusOf(
  { cancelled, thrown, rounds, deadline }: TurnEndings,
  isOpen: boolean,
  isMissing: boolean,
): TurnStatus {
  if (cancelled !== null) return "cancelled";
  if (thrown !== null || rounds.some(({ status }) => status === "failed")) return "failed";
  if (isOpen) return "waiting";
  return isMissing || deadline !== null ? "partial" : "done";
}

function settlementsOf(rounds: readonly RoundResult[]): Parameters<typeof tellMissing>[0] {
  return rounds.flatMap(({ ends }) =>
    ends.flatMap(({ label, outcome, because }) =>
      isOpen(outcome)
        ? []
        : [{ label, status: outcome.status, fault: "fault" in outcome ? outcome.fault : null, because }],
    ),
  );
}
