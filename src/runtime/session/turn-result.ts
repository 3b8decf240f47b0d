// The result of a turn: outcomes, what is missing and why, and one sentence for the user.

import { type Fault, fault, FaultError } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { Question } from "../../core/flow/interaction.ts";
import { describeTurn, type Settlement } from "../../core/flow/turn-words.ts";
import type { TurnStatus } from "../../core/record/event.ts";
import { handedOut, isOpen, type Outcome } from "../call/outcome.ts";
import { endedBy, type Missing, type RoundResult, type StepEnd } from "./run-round.ts";
import type { SessionCore } from "./session-core.ts";

/** What a turn came to: values, faults, questions and a sentence about it. */
export interface TurnResult<T = unknown, Outcomes = Readonly<Record<string, Outcome<unknown>>>> {
  readonly turn: string;
  readonly status: TurnStatus;
  /** What the body returned; undefined when it did not get that far. */
  readonly value: T | undefined;
  /** How the steps of the plan, or the calls of the body, ended, by name. */
  readonly outcomes: Outcomes;
  readonly missing: readonly Missing[];
  /** For the user: what is done, what is missing and why, and what it waits for. Empty when everything is done. */
  readonly message: string;
  /** What ended the turn as a whole; null when nothing did. */
  readonly fault: Fault | null;
  /** Questions that hold it up … */
  readonly questions: readonly Question[];
  /** … or the first time at which something parked can continue; null when nothing is parked. */
  readonly wakeAt: number | null;
  /** What the body threw, as it was thrown. Not enumerable, so it reaches neither JSON nor the journal. */
  readonly error?: unknown;
}

interface TurnEndings {
  readonly turn: string;
  readonly value: unknown;
  readonly outcomes: ReadonlyMap<string, Outcome<unknown>>;
  readonly rounds: readonly RoundResult[];
  /** How the steps of its rounds, the calls of its body and its questions ended, in the order in which they began. */
  readonly ends: readonly StepEnd[];
  /** What stopped it before its end: a cancellation, or the store. */
  readonly cancelled: Fault | null;
  /** Why a call was not resumed: the program has changed, or the journal cannot be read. The turn is not over. */
  readonly refused: Fault | null;
  /** What the body threw, as a fault. */
  readonly thrown: Fault | null;
  readonly error: unknown;
  readonly deadline: Fault | null;
  readonly locale: Locale;
  readonly redactor: Redactor;
}

export function turnResult(endings: TurnEndings): TurnResult {
  const { turn, value, outcomes, rounds, ends, cancelled, refused, thrown, deadline, locale, redactor } = endings;
  const open = [...outcomes.values()].filter(isOpen);
  const missing = rounds.flatMap((round) => round.missing);
  // A turn with a call that was not resumed is not over, not even by a cancellation.
  const stopped = refused ?? cancelled ?? thrown;
  const fault = stopped ?? rounds.find((round) => round.fault !== null)?.fault ?? deadline;
  const wakeTimes = open.flatMap((outcome) => (outcome.status === "parked" ? [outcome.wakeAt] : []));
  const result: TurnResult = {
    turn,
    status: stopped === null ? statusOf(endings, open.length > 0, missing.length > 0) : endedBy(stopped),
    value,
    outcomes: Object.fromEntries(outcomes),
    missing,
    message: describeTurn(
      ends.map((end) => settlementOf(end, redactor)),
      fault,
      locale,
    ),
    fault,
    questions: open.flatMap((outcome) => (outcome.status === "waiting" ? [outcome.question] : [])),
    wakeAt: wakeTimes.length === 0 ? null : Math.min(...wakeTimes),
  };
  return handedOut(result, endings.error, redactor);
}

/** In this order: cancelled (checked before), waiting, failed, incomplete. */
function statusOf({ rounds, deadline }: TurnEndings, isOpen: boolean, isMissing: boolean): TurnStatus {
  if (isOpen) return "waiting";
  if (rounds.some(({ status }) => status === "failed")) return "failed";
  return isMissing || deadline !== null ? "partial" : "done";
}

function settlementOf({ label, outcome, because }: StepEnd, { text }: Redactor): Settlement {
  const named = { label: text(label), because: text(because) };
  if (outcome === null) return { ...named, status: "unstarted", fault: null };
  const { status } = outcome;
  const fault = "fault" in outcome ? outcome.fault : null;
  if (status === "waiting") return { ...named, status, fault, question: outcome.question };
  if (status === "parked") return { ...named, status, fault, wakeAt: outcome.wakeAt };
  // A result with failed items is partial, although the call is done.
  const isWhole = status !== "done" || outcome.errors.length === 0;
  return { ...named, status: isWhole ? status : "partial", fault };
}

// The faults of turns that a session refuses, and the results of turns that have ended.

export function turnLimitFault(maxTurns: number): Fault {
  return fault("TurnLimit", {
    message: `the session reached its limit of ${maxTurns} turns; raise limits.maxTurns`,
    context: { limit: maxTurns },
  });
}

export function turnRunningFault(turn: string): Fault {
  const message = `turn ${turn} is already running; give each turn its own id`;
  return fault("EngineState", { message, context: { turn } });
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
  if ((kept ?? null) === null) {
    throw new FaultError(
      fault("ManifestDrift", { message: `turn ${turn} is over, but its result is not in the journal` }),
    );
  }
  const { result, digest: before } = kept as { readonly result: TurnResult; readonly digest: string };
  return before === digest ? result : emptyResult(turn, otherPlan(turn), engine.locale);
}
