// One attempt of one visit, live: the turn it is, and what its end means for the run: completed, paused, tried again, put off,
// skipped, or failed. It costs two appends: `node-started` with the turn's first entry, before anything of the stage runs, and the
// end of the visit with the turn's last one. Phases are notes, written with whichever append comes next.

import { classify, classifyThrown } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { andAlso, type Fault, withContext } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import { matrixOutcome } from "../../core/fault/vocabulary.ts";
import { actionHas } from "../../core/flow/action.ts";
import { endOf, type Question } from "../../core/flow/interaction.ts";
import {
  type NodePlace,
  type PauseReason,
  type Route,
  STAGE_PHASES,
  type StagePhase,
  turnOf,
  type Visit,
} from "../../core/flow/visit.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import { decideStage, seenStage } from "../../core/flow/stage.ts";
import type { Faultline } from "../../faultline.ts";
import type { Chance } from "../../host/chance.ts";
import type { Clock } from "../../host/clock.ts";
import { preview } from "../../core/record/preview.ts";
import type { SessionWrites, Session } from "../../runtime/session/session.ts";
import type { TurnResult } from "../../runtime/session/turn-result.ts";
import { type StageAttemptEnd, runAttempt, thrownIn } from "./attempt.ts";
import { overrideFor } from "../operator/instructions.ts";
import type { ActTools, Stage, StageEnding, StageScope } from "../../workflow-model/stage.ts";

export interface VisitDeps {
  readonly session: Session;
  readonly faultline: Faultline;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly redactor: Redactor;
  /** What the visits of this node have spent so far. */
  readonly spentBy: (node: string) => number;
}

/** How a visit's attempt ended, as the events that say so. */
export interface VisitEnd {
  readonly events: readonly RunEvent[];
  readonly output: unknown;
  /** What failed in this attempt; null when nothing did. */
  readonly fault: Fault | null;
  /** The visit has failed for good, and no node follows it. */
  readonly isDeadEnd: boolean;
  /** Raw output, for the files of a failed stage. */
  readonly raw: string;
}

/** How a visit is written down by the run that it belongs to. */
export interface VisitWrites {
  /** The event that says that it runs; empty when that is on disk already. */
  readonly opening: readonly RunEvent[];
  /** What goes with its end; called once, before anything of the end is written. */
  readonly closing: (end: VisitEnd) => Promise<SessionWrites>;
}

export async function runVisit(
  deps: VisitDeps,
  stage: Stage,
  visit: Visit,
  scope: StageScope,
  signal: AbortSignal,
  writes: VisitWrites,
): Promise<void> {
  const place = { node: visit.node, execution: visit.execution, attempt: visit.attempt };
  const raw: string[] = [];
  const { opening, closing } = writes;
  const write = ({ events, keeps }: SessionWrites): Promise<void> => deps.session.record(events, keeps);
  if (actionHas(visit.instruction?.action, "accepts-output")) {
    if (opening.length > 0) await deps.session.record(opening);
    return write(await closing(await acceptPartial(deps, stage, place, scope)));
  }
  const entered = phaseNotes(deps.session, place, visit.phase);
  const stageAbort = new StageAbort(signal);
  /** What the turn has written, or need not write. */
  const written = { opening: opening.length === 0, end: false };
  const conclude = async (result: TurnResult<StageAttemptEnd | null>): Promise<SessionWrites> => {
    written.end = true;
    // A stage that hangs is abandoned when its time is up: it is aborted, and what it does from here on is not part of the run.
    stageAbort.abort();
    return closing({ ...(await settle(deps, stage, place, scope, result)), raw: raw.join("\n") });
  };
  const result = await deps.session.turn<StageAttemptEnd | null>(
    (turn) => {
      written.opening = true;
      const tools: ActTools = {
        faultline: deps.faultline,
        turn,
        get signal() {
          return stageAbort.signal;
        },
        turnCap: overrideFor(scope, "turnCap") ?? stage.turnCap,
        ask: async ({ payload, timeoutMs }) => {
          const answer = await turn.ask("gate", payload, { timeoutMs: timeoutMs ?? Infinity });
          if (answer.status === "waiting") throw new StillWaiting();
          return answer;
        },
        raw: (text) => void raw.push(text),
        budgetLeftMicrocents: () =>
          stage.maxCostMicrocents === 0
            ? Infinity
            : (overrideFor(scope, "agentCostMicrocents") ?? stage.maxCostMicrocents) - deps.spentBy(stage.id),
      };
      return runAttempt(stage, tools, scope, (phase) => {
        if (!stageAbort.isAborted) entered(phase);
      });
    },
    { id: turnOf(place), timeoutMs: attemptMs(stage, scope), signal, beside: true },
    { stage: visit.node, opening: { events: opening, keeps: [] }, closing: conclude },
  );
  if (written.end) return;
  // A turn that was refused, or was over before: its end is still to be written.
  if (!written.opening) await deps.session.record(opening);
  await write(await conclude(result));
}

/** Aborts a stage whose attempt is over. The signal is made when the stage reads it: most never do. */
class StageAbort {
  readonly #outer: AbortSignal;
  #signals: { readonly over: AbortController; readonly signal: AbortSignal } | null = null;
  isAborted = false;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
  }

  get signal(): AbortSignal {
    if (this.#signals === null) {
      const over = new AbortController();
      if (this.isAborted) over.abort();
      this.#signals = { over, signal: AbortSignal.any([this.#outer, over.signal]) };
    }
    return this.#signals.signal;
  }

  abort(): void {
    this.isAborted = true;
    this.#signals?.over.abort();
  }
}

/** Ends Act at this point. It never reaches a caller, because the turn is then waiting. */
class StillWaiting extends Error {}

/**
 * Notes each phase once: after a crash the phases run again, but they were entered before. One entry stands for all phases that
 * were entered since the last append.
 */
function phaseNotes(session: Session, place: NodePlace, last: StagePhase | null): (phase: StagePhase) => void {
  const before = last === null ? -1 : STAGE_PHASES.indexOf(last);
  let entered: StagePhase[] = [];
  return (phase) => {
    if (STAGE_PHASES.indexOf(phase) <= before) return;
    entered.push(phase);
    if (entered.length > 1) return;
    session.note(() => {
      const passed = entered.slice(0, -1);
      const now = entered.at(-1) ?? phase;
      entered = [];
      return [{ type: "stage-entered", ...place, phase: now, ...(passed.length === 0 ? {} : { passed }) }];
    });
  };
}

/** What an operator accepts is what the failed stage had to show. */
async function acceptPartial(deps: VisitDeps, stage: Stage, place: NodePlace, scope: StageScope): Promise<VisitEnd> {
  const output = scope.instruction?.params["output"];
  const next = await nextOf(stage, scope, { status: "completed", output, capHit: false, fault: null });
  if (next.failed !== null) {
    const end = { end: "failed", fault: next.failed, again: false, acted: true, failedIn: "next", output } as const;
    return { ...(await failed(deps, stage, place, scope, end)), raw: "" };
  }
  const route = next.route ?? { kind: "end", outcome: "" };
  return {
    events: [{ type: "node-completed", ...place, route, output: null }],
    output,
    fault: null,
    isDeadEnd: false,
    raw: "",
  };
}

type Settled = Omit<VisitEnd, "raw">;

async function settle(
  deps: VisitDeps,
  stage: Stage,
  place: NodePlace,
  scope: StageScope,
  result: TurnResult<StageAttemptEnd | null>,
): Promise<Settled> {
  if (result.status === "waiting") return pausedBy(place, result);
  const value = result.value ?? null;
  if (result.fault !== null || value === null) {
    const seen =
      result.fault ?? classify({ surface: "node", error: new Error(`attempt ${result.turn} ended without a result`) });
    const end = { end: "failed", fault: seen, again: false, acted: true, failedIn: null, output: undefined } as const;
    return failed(deps, stage, place, scope, end);
  }
  const end = value;
  switch (end.end) {
    case "completed":
      return done(
        { type: "node-completed", ...place, route: end.route, output: preview(end.output, deps.redactor) },
        end.output,
        null,
      );
    case "skipped":
      return done({ type: "node-skipped", ...place, reason: "gate", fault: null, route: end.route }, end.output, null);
    case "failed":
      return failed(deps, stage, place, scope, end);
  }
}

function done(event: RunEvent, output: unknown, fault: Fault | null): Settled {
  return { events: [event], output, fault, isDeadEnd: false };
}

function pausedBy(place: NodePlace, { questions, wakeAt, outcomes }: TurnResult): Settled {
  const times = [...questions.map(endOf), wakeAt].filter((at) => at !== null);
  const open = Object.values(outcomes).find(({ status }) => status === "waiting" || status === "parked");
  const why = reasonOf(questions);
  const fault = open !== undefined && "fault" in open && why !== "gate" ? open.fault : null;
  const next = times.length === 0 ? null : Math.min(...times);
  return done({ type: "node-paused", ...place, why, fault, questions, wakeAt: next }, undefined, fault);
}

/** A question that no failing call has asked is a gate: nothing went wrong. */
function reasonOf(questions: readonly Question[]): PauseReason {
  const [question] = questions;
  if (question === undefined) return "parked";
  if (question.code === null) return "gate";
  return traitsOf(question.code).cause === "budget-exceeded" ? "budget" : "question";
}

async function failed(
  { clock, chance }: VisitDeps,
  stage: Stage,
  place: NodePlace,
  scope: StageScope,
  { fault: seen, again, acted, failedIn, output }: Extract<StageAttemptEnd, { end: "failed" }>,
): Promise<Settled> {
  const fault = isAttemptLimit(seen) ? withContext(seen, { limit: attemptMs(stage, scope) }) : seen;
  const now = clock.now();
  const { rules } = stage;
  const of = rules.retry.maxAttempts;
  const attempt = { fault, again, attempt: place.attempt, now, deadlineAt: null, roll: chance.roll() };
  const inForce = { ...rules, idempotent: rules.idempotent || !acted };
  const decided = decideStage(attempt, inForce);
  const saw = seenStage(attempt, inForce);
  switch (decided.do) {
    case "retry": {
      const { decision, delayMs } = decided;
      return done(
        { type: "node-retrying", ...place, of, fault, decision, delayMs, nextAt: now + delayMs, saw },
        output,
        fault,
      );
    }
    case "defer":
      return done({ type: "node-deferred", ...place, of, fault, nextAt: now + decided.delayMs, saw }, output, fault);
    case "skip": {
      const left = await routeOf(stage, scope, "skipped", fault, failedIn, output);
      const event = { type: "node-skipped", ...place, reason: "resolution", ...left, saw } as const;
      return done(event, output, left.fault);
    }
    case "fail": {
      const isCancelled = traitsOf(fault.code).cancels;
      const left = isCancelled
        ? { route: null, fault }
        : await routeOf(stage, scope, "failed", fault, failedIn, output);
      const outcome = matrixOutcome(fault.code, stage.role ?? "coder");
      const event = { type: "node-failed", ...place, outcome, resolution: rules.resolution, ...left, saw } as const;
      return { events: [event], output, fault: left.fault, isDeadEnd: left.route === null };
    }
  }
}

/** The attempt's own time was up, not the run's. The fault names the limit, so that an operator can raise it. */
function isAttemptLimit({ code }: Fault): boolean {
  const { scope, cause, endsRun } = traitsOf(code);
  return scope === "limit" && cause === "timeout" && !endsRun;
}

function attemptMs({ timeoutMs }: Stage, scope: StageScope): number {
  return overrideFor(scope, "attemptMs") ?? timeoutMs;
}

/** A stage that cannot say where to go after a failure has no next node. The stage's own failure counts; the second one is reported with it. */
async function routeOf(
  stage: Stage,
  scope: StageScope,
  status: "failed" | "skipped",
  fault: Fault,
  failedIn: StagePhase | null,
  output: unknown,
): Promise<{ readonly route: Route | null; readonly fault: Fault }> {
  const { route, failed: second } = await nextOf(stage, scope, { status, output, capHit: false, fault });
  // If Next is what failed, it has failed again: that is the fault already.
  if (second === null || failedIn === "next") return { route, fault };
  return { route: null, fault: andAlso(fault, "choosing the next node failed, too", second) };
}

async function nextOf(
  stage: Stage,
  scope: StageScope,
  ending: StageEnding,
): Promise<{ readonly route: Route | null; readonly failed: Fault | null }> {
  try {
    return { route: await stage.next(ending, scope), failed: null };
  } catch (error) {
    return { route: null, failed: classifyThrown(error, thrownIn(stage.id, "next")) };
  }
}
