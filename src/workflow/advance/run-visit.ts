// Runs one attempt of a visit as a turn of the run's session, and says what its end means for the run: completed, paused, retried,
// deferred, skipped or failed. An attempt costs two appends: `node-started` with the turn's first entry, before the stage runs, and
// the end of the attempt with the turn's last entry. The phases it entered are written with whichever append comes next.

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
  isBeside,
} from "../../core/flow/visit.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import { decideStage, seenStage } from "../../core/flow/stage.ts";
import type { Faultline } from "../../faultline.ts";
import type { Chance } from "../../host/chance.ts";
import type { Clock } from "../../host/clock.ts";
import { preview } from "../../core/record/preview.ts";
import type { SessionWrites, Session } from "../../runtime/session/session.ts";
import type { TurnResult } from "../../runtime/session/turn.ts";
import { type StageAttemptEnd, runAttempt, thrownIn } from "./attempt.ts";
import { overrideFor, instructionFor, shownFault } from "../operator/instructions.ts";
import type { ActTools, Stage, StageEnding, StageScope, NodeResult } from "../../workflow-model/stage.ts";
import { executionsOf, keyOf, type RunState, settledCount } from "../../core/flow/run-state.ts";
import type { Journal } from "../../journal/journal.ts";
import { deepFreeze } from "../define.ts";
import { readInputs, readOutput } from "./summary.ts";

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
  /** Raw output, for the files of a failed stage. */
  readonly raw: string;
}

/** A visit, and everything its next attempt needs. */
export interface LiveVisit {
  readonly visit: Visit;
  /** The attempt that runs. Not read from `visit`, because an operator's action may raise its attempt meanwhile. */
  readonly place: NodePlace;
  readonly stage: Stage;
  readonly scope: StageScope;
  /** Fires when the run stops the visit. */
  readonly signal: AbortSignal;
  /** The event that starts the attempt; empty when it is on disk already. */
  readonly opening: readonly RunEvent[];
  /** Returns what the run writes at the end of the attempt. Called once, before anything of the end is written. */
  readonly closing: (end: VisitEnd) => Promise<SessionWrites>;
}

export async function runVisit(deps: VisitDeps, live: LiveVisit): Promise<void> {
  const { visit, place, stage, scope, signal, opening, closing } = live;
  const raw: string[] = [];
  const write = ({ events, keeps }: SessionWrites): Promise<void> => deps.session.record(events, keeps);
  if (actionHas(visit.instruction?.action, "accepts-output")) {
    if (opening.length > 0) await deps.session.record(opening);
    return write(await closing(await acceptPartial(deps, live)));
  }
  const entered = phaseNotes(deps.session, place, visit.phase);
  const stageAbort = new StageAbort(signal);
  /** Which of the two appends the turn writes. */
  const byTurn = { opening: false, closing: false };
  const closeAfter = async (result: TurnResult<StageAttemptEnd | null>): Promise<SessionWrites> => {
    byTurn.closing = true;
    // A stage that hangs is abandoned when its time is up. What it does after the abort is not part of the run.
    stageAbort.abort();
    return closing({ ...(await endOfTurn(deps, live, result)), raw: raw.join("\n") });
  };
  const result = await deps.session.turn<StageAttemptEnd | null>(
    (turn) => {
      byTurn.opening = true;
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
    { id: turnOf(place), timeoutMs: attemptMs(live), signal, beside: true },
    { stage: visit.node, opening: { events: opening, keeps: [] }, closing: closeAfter },
  );
  if (byTurn.closing) return;
  // The turn was refused, or had ended in an earlier process.
  if (!byTurn.opening && opening.length > 0) await deps.session.record(opening);
  await write(await closeAfter(result));
}

/** Aborts a stage whose attempt is over. The signal is created when the stage reads it, because most stages never do. */
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

/** Ends Act while a person is asked. No caller sees it, because the turn is then waiting. */
class StillWaiting extends Error {}

/**
 * Notes each phase once: after a crash the phases run again, but their entries exist already. One entry covers all phases entered
 * since the last append.
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

/** Completes a failed stage with the partial output that an operator has accepted. */
async function acceptPartial(deps: VisitDeps, live: LiveVisit): Promise<VisitEnd> {
  const { place, scope } = live;
  const output = scope.instruction?.params["output"];
  const next = await nextOf(live, { status: "completed", output, capHit: false, fault: null });
  if (next.failed !== null) {
    const end = { end: "failed", fault: next.failed, again: false, acted: true, failedIn: "next", output } as const;
    return afterFailure(deps, live, end);
  }
  const route = next.route ?? { kind: "end", outcome: "" };
  return endWith({ type: "node-completed", ...place, route, output: null }, output, null);
}

/** Without raw output, which only `runVisit` has. */
function endWith(event: RunEvent, output: unknown, fault: Fault | null): VisitEnd {
  return { events: [event], output, fault, raw: "" };
}

async function endOfTurn(
  deps: VisitDeps,
  live: LiveVisit,
  result: TurnResult<StageAttemptEnd | null>,
): Promise<VisitEnd> {
  const { place } = live;
  if (result.status === "waiting") return pausedBy(place, result);
  const end = result.value ?? null;
  if (result.fault !== null || end === null) {
    const seen =
      result.fault ?? classify({ surface: "node", error: new Error(`attempt ${result.turn} ended without a result`) });
    const lost = { end: "failed", fault: seen, again: false, acted: true, failedIn: null, output: undefined } as const;
    return afterFailure(deps, live, lost);
  }
  switch (end.end) {
    case "completed":
      return endWith(
        { type: "node-completed", ...place, route: end.route, output: preview(end.output, deps.redactor) },
        end.output,
        null,
      );
    case "skipped":
      return endWith(
        { type: "node-skipped", ...place, reason: "gate", fault: null, route: end.route },
        end.output,
        null,
      );
    case "failed":
      return afterFailure(deps, live, end);
  }
}

function pausedBy(place: NodePlace, { questions, wakeAt, outcomes }: TurnResult): VisitEnd {
  const times = [...questions.map(endOf), wakeAt].filter((at) => at !== null);
  const open = Object.values(outcomes).find(({ status }) => status === "waiting" || status === "parked");
  const why = reasonOf(questions);
  const fault = open !== undefined && "fault" in open && why !== "gate" ? open.fault : null;
  const next = times.length === 0 ? null : Math.min(...times);
  return endWith({ type: "node-paused", ...place, why, fault, questions, wakeAt: next }, undefined, fault);
}

/** A question without a fault code comes from a gate, not from a failed call: nothing went wrong. */
function reasonOf(questions: readonly Question[]): PauseReason {
  const [question] = questions;
  if (question === undefined) return "parked";
  if (question.code === null) return "gate";
  return traitsOf(question.code).cause === "budget-exceeded" ? "budget" : "question";
}

type FailedEnd = Extract<StageAttemptEnd, { end: "failed" }>;

async function afterFailure({ clock, chance }: VisitDeps, live: LiveVisit, end: FailedEnd): Promise<VisitEnd> {
  const { place, stage } = live;
  const { fault: seen, again, acted, output } = end;
  const fault = isAttemptLimit(seen) ? withContext(seen, { limit: attemptMs(live) }) : seen;
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
      return endWith(
        { type: "node-retrying", ...place, of, fault, decision, delayMs, nextAt: now + delayMs, saw },
        output,
        fault,
      );
    }
    case "defer":
      return endWith({ type: "node-deferred", ...place, of, fault, nextAt: now + decided.delayMs, saw }, output, fault);
    case "skip": {
      const left = await routeOf(live, "skipped", { ...end, fault });
      const event = { type: "node-skipped", ...place, reason: "resolution", ...left, saw } as const;
      return endWith(event, output, left.fault);
    }
    case "fail": {
      const isCancelled = traitsOf(fault.code).cancels;
      const left = isCancelled ? { route: null, fault } : await routeOf(live, "failed", { ...end, fault });
      const outcome = matrixOutcome(fault.code, stage.role ?? "coder");
      const event = { type: "node-failed", ...place, outcome, resolution: rules.resolution, ...left, saw } as const;
      return endWith(event, output, left.fault);
    }
  }
}

/** The attempt's own time was up, not the run's. The fault names the limit, so that an operator can raise it. */
function isAttemptLimit({ code }: Fault): boolean {
  const { scope, cause, endsRun } = traitsOf(code);
  return scope === "limit" && cause === "timeout" && !endsRun;
}

function attemptMs({ stage, scope }: LiveVisit): number {
  return overrideFor(scope, "attemptMs") ?? stage.timeoutMs;
}

/** If Next fails after another failure, the stage has no next node. The first failure counts, and the second is reported with it. */
async function routeOf(
  live: LiveVisit,
  status: "failed" | "skipped",
  { fault, failedIn, output }: FailedEnd,
): Promise<{ readonly route: Route | null; readonly fault: Fault }> {
  const { route, failed: second } = await nextOf(live, { status, output, capHit: false, fault });
  // If Next was the phase that failed, it has failed again in the same way.
  if (second === null || failedIn === "next") return { route, fault };
  return { route: null, fault: andAlso(fault, "choosing the next node failed, too", second) };
}

async function nextOf(
  { stage, scope }: LiveVisit,
  ending: StageEnding,
): Promise<{ readonly route: Route | null; readonly failed: Fault | null }> {
  try {
    return { route: await stage.next(ending, scope), failed: null };
  } catch (error) {
    return { route: null, failed: classifyThrown(error, thrownIn(stage.id, "next")) };
  }
}

// The results of finished nodes, for the nodes after them: read from the journal once, and held while the run is advanced. A node does
// not see the nodes that run in parallel to it. So what it sees depends on no timing, and is the same after a crash.

/** When more paths than this were read, all are forgotten; what a visit sees is then computed again. */
const MAX_PATHS = 100;

export class NodeResults {
  readonly #run: string;
  readonly #journal: Journal;
  readonly #outputs = new Map<string, unknown>();
  readonly #results = new Map<string, NodeResult>();
  /** By path: what a visit on this path sees of the first `upTo` visits, all of which are over. */
  readonly #seen = new Map<string, { readonly upTo: number; readonly latest: Map<string, Seen> }>();
  #inputs: Readonly<Record<string, unknown>> | null = null;

  constructor(run: string, journal: Journal) {
    this.#run = run;
    this.#journal = journal;
  }

  put(visit: Visit, output: unknown): void {
    this.#outputs.set(keyOf(visit), asKept(output));
  }

  async scopeFor(state: RunState, visit: Visit): Promise<StageScope> {
    this.#inputs ??= await readInputs(this.#journal, this.#run);
    const results = await this.#seenBy(state, visit);
    const instruction = await instructionFor(this.#journal, this.#run, state, visit);
    let nodes: StageScope["nodes"] | null = null;
    return Object.freeze({
      run: this.#run,
      node: visit.node,
      execution: visit.execution,
      attempt: visit.attempt,
      inputs: this.#inputs,
      // Built on first read. From entries, because a node may have any name, even `__proto__`.
      get nodes(): StageScope["nodes"] {
        return (nodes ??= Object.freeze(Object.fromEntries(results)));
      },
      executionsOf: (node: string) => executionsOf(state, node),
      lastFault: visit.fault,
      instruction,
    });
  }

  /** The newest finished visit of each node, without those that run in parallel to this one. */
  async #seenBy({ visits }: RunState, { path = [] }: Visit): Promise<readonly Seen[]> {
    const isSeen = (one: Visit): one is OverVisit => isOver(one) && !isBeside(one, { path });
    const key = path.join(" ");
    const known = this.#seen.get(key) ?? { upTo: 0, latest: new Map<string, Seen>() };
    const { latest } = known;
    const upTo = settledCount(visits);
    await this.#addTo(latest, visits.slice(known.upTo, upTo).filter(isSeen));
    if (!this.#seen.has(key) && this.#seen.size >= MAX_PATHS) this.#seen.clear();
    this.#seen.set(key, { upTo, latest });
    const later = visits.slice(upTo).filter(isSeen);
    return [...(later.length === 0 ? latest : await this.#addTo(new Map(latest), later)).values()];
  }

  /** Adds the newest visit of each node; only its output is read. */
  async #addTo(results: Map<string, Seen>, more: readonly OverVisit[]): Promise<ReadonlyMap<string, Seen>> {
    for (const one of new Map(more.map((visit) => [visit.node, visit])).values())
      results.set(one.node, [one.node, await this.#resultOf(one)]);
    return results;
  }

  /** A visit that is over does not change, so its result is kept. */
  async #resultOf(visit: OverVisit): Promise<NodeResult> {
    const key = keyOf(visit);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    if (!this.#outputs.has(key)) {
      this.#outputs.set(key, deepFreeze(await readOutput(this.#journal, this.#run, visit)));
    }
    const { state: status, execution, attempt, fault } = visit;
    const output = this.#outputs.get(key);
    const result = Object.freeze({ status, output, execution, attempts: attempt, fault: shownFault(fault) });
    this.#results.set(key, result);
    return result;
  }
}

/** The name of a node, and its result. */
type Seen = readonly [string, NodeResult];

type OverVisit = Visit & { readonly state: NodeResult["status"] };

function isOver(visit: Visit): visit is OverVisit {
  return visit.state === "completed" || visit.state === "failed" || visit.state === "skipped";
}

/** The output as a later process would read it, and frozen: a node sees the same with and without a crash before it. */
function asKept(output: unknown): unknown {
  // A value without a form in JSON, such as undefined, has no text.
  const text = JSON.stringify(output) as string | undefined;
  return text === undefined ? undefined : deepFreeze(JSON.parse(text) as unknown);
}
