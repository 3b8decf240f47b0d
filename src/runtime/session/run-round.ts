// Runs a plan: ready steps start in parallel up to a limit; steps that can no longer run are settled by the cascade.
// Waits in exactly one place. Costs the same per step however many steps there are.

import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Plan, PlanNode } from "../../core/flow/plan.ts";
import { endUnrun, Round, type Settled } from "../../core/flow/round.ts";
import { handedOut, hasValue, isOpen, isUndecided, type Outcome } from "../call/outcome.ts";
import type { Got, PlanSteps } from "./plan.ts";
import type { CallPlace, SessionCore } from "./session-core.ts";

/** A step that gave no value, and why. */
export interface Missing {
  readonly node: string;
  readonly label: string;
  readonly status: "skipped" | "surfaced" | "failed" | "cancelled" | "waiting" | "parked";
  readonly fault: Fault;
  /** What people call the step whose failure caused it; empty when it failed by itself. */
  readonly because: string;
}

/** How one step ended, as people call it. */
export interface StepEnd {
  readonly label: string;
  /** null: it has not started, because something it needs is not over. */
  readonly outcome: Outcome<unknown> | null;
  readonly because: string;
}

/** What the steps of one round came to. */
export interface RoundResult<Outcomes = Readonly<Record<string, Outcome<unknown>>>> {
  readonly status: "done" | "partial" | "failed" | "waiting" | "cancelled";
  readonly outcomes: Outcomes;
  readonly missing: readonly Missing[];
  readonly ends: readonly StepEnd[];
  /** Why nothing ran, or what stopped the round; null otherwise. */
  readonly fault: Fault | null;
}

export interface RoundOptions {
  readonly core: SessionCore;
  readonly place: CallPlace;
  readonly plan: Plan;
  readonly steps: PlanSteps;
  readonly round: number;
  /** Steps that an earlier process settled without a call, as `round/node`. */
  readonly known: ReadonlySet<string>;
  readonly maxParallel: number;
}

export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { plan, core } = options;
  const { scope, deadline } = options.place;
  const round = new Round(plan);
  const outcomes = new Map<string, Outcome<unknown>>();
  const causes = new Map<string, string>();
  const ready = [...round.ready()];
  let next = 0;
  const held: string[] = [];
  const finished: { node: PlanNode; outcome: Outcome<unknown> }[] = [];
  let running = 0;
  let ring: (() => void) | null = null;

  const start = (node: PlanNode): void => {
    running += 1;
    void startNode(options, node, outcomes).then((outcome) => {
      finished.push({ node, outcome });
      ring?.();
    });
  };
  const settleAll = async (settled: readonly Settled[]): Promise<void> => {
    for (const { node, because } of settled) causes.set(node, because);
    for (const each of settled) outcomes.set(each.node, outcomeOfSettled(options, each));
    await recordSettled(options, settled);
  };

  for (;;) {
    const isOver = scope.cancelled !== null || core.clock.now() >= deadline.at;
    while (running < options.maxParallel && next < ready.length) {
      const node = plan.nodes.get(ready[next++] ?? "");
      if (node === undefined) continue;
      // Nothing new starts. Work that an earlier process started still counts: it may be done, or half done.
      if (isOver && !core.hasBegun(callOf(options, node.id))) held.push(node.id);
      else start(node);
    }
    if (running === 0) break;
    // The one place that waits.
    if (finished.length === 0) await new Promise<void>((resolve) => (ring = resolve));
    ring = null;
    for (const { node, outcome } of finished.splice(0)) {
      running -= 1;
      outcomes.set(node.id, outcome);
      if (isOpen(outcome) || isUndecided(outcome)) continue;
      const settlement = { status: outcome.status, fault: "fault" in outcome ? outcome.fault : null };
      const { ready: more, settled } = round.settle(node.id, settlement);
      for (const id of more) ready.push(id);
      await settleAll(settled);
    }
  }
  const stopped = scope.cancelled ?? (core.clock.now() >= deadline.at ? outOfTime(options) : null);
  // A step that waits for a person may still finish, so its dependents stay open.
  const isHeld = scope.cancelled === null && [...outcomes.values()].some(isOpen);
  if (stopped !== null && !isHeld) await settleAll(round.expire(stopped, held));
  return resultOf(options, outcomes, causes, scope.cancelled);
}

function callOf({ place, round }: RoundOptions, id: string): string {
  return `${place.turn}/${round}/${id}`;
}

async function startNode(
  options: RoundOptions,
  node: PlanNode,
  outcomes: ReadonlyMap<string, Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  const { core, place, steps } = options;
  const step = steps[node.id];
  if (step === undefined) throw new Error(`the plan has no step ${node.id}`);
  let input: unknown;
  try {
    const given = step.input;
    input = typeof given === "function" ? (given as (got: Got) => unknown)(gotFor(node, outcomes)) : given;
  } catch (error) {
    const seen = classify({ surface: "node", error, observedAt: core.clock.now() });
    const cause = fault("InputInvalid", {
      message: `the input of step ${node.id} could not be made`,
      context: { ran: false },
      cause: seen,
    });
    const settled: Settled = { node: node.id, status: endUnrun(node), fault: cause, because: "" };
    return handedOut(await endWithoutInput(options, settled), error, core.recorder.redactor);
  }
  return core.call(place, { call: callOf(options, node.id), tool: step.tool, input }, step);
}

/** If the write fails, the outcome is undecided and nothing follows from it: see `isUndecided`. */
async function endWithoutInput(options: RoundOptions, settled: Settled): Promise<Outcome<unknown>> {
  const outcome = outcomeOfSettled(options, settled);
  try {
    await recordSettled(options, [settled]);
    return outcome;
  } catch (error) {
    const seen = classify({ surface: "store", error, observedAt: options.core.clock.now() });
    return { status: "failed", fault: seen, decision: null, call: outcome.call, attempts: 0 };
  }
}

function gotFor({ needs }: PlanNode, outcomes: ReadonlyMap<string, Outcome<unknown>>): Got {
  return Object.fromEntries(
    needs.map((need) => {
      const outcome = outcomes.get(need);
      return [need, outcome !== undefined && hasValue(outcome) ? outcome.value : undefined];
    }),
  );
}

function outcomeOfSettled(options: RoundOptions, { node, status, fault: seen }: Settled): Outcome<unknown> {
  const common = { fault: seen, call: callOf(options, node), attempts: 0 };
  if (status !== "defaulted") return { ...common, status, decision: null };
  const step = options.steps[node];
  const value = step !== undefined && "default" in step ? step.default : step?.tool.fallbackValue?.value;
  return { ...common, status, value };
}

/** Writes a cascade in one append, however long. Entries of an earlier process are not written again. */
async function recordSettled({ core, place, round, known }: RoundOptions, settled: readonly Settled[]): Promise<void> {
  const fresh = settled.filter(({ node }) => !known.has(`${round}/${node}`));
  if (fresh.length > 0) {
    const events = fresh.map((each) => ({ type: "node-settled", turn: place.turn, round, ...each }) as const);
    await core.recorder.record(events, [], core.clock.now());
  }
}

function outOfTime({ place: { deadlineCode, turn } }: RoundOptions): Fault {
  return fault(deadlineCode, { message: `the time of turn ${turn} was up before this step could start` });
}

/** A store that fails also stops everything, but that is not a cancellation. */
export function endedBy(stopped: Fault): "cancelled" | "failed" {
  return traitsOf(stopped.code).cancels ? "cancelled" : "failed";
}

function resultOf(
  { plan, place: { deadlineCode } }: RoundOptions,
  outcomes: ReadonlyMap<string, Outcome<unknown>>,
  causes: ReadonlyMap<string, string>,
  cancelled: Fault | null,
): RoundResult {
  const missing: Missing[] = [];
  const ends: StepEnd[] = [];
  // In the order of the plan, whatever ended first.
  const ordered: [string, Outcome<unknown>][] = [];
  let isOpenEnded = false;
  let isBroken = false;
  for (const { id, label, needs } of plan.nodes.values()) {
    const outcome = outcomes.get(id);
    if (outcome === undefined) {
      const need = needs.find((name) => {
        const end = outcomes.get(name);
        return end === undefined || !hasValue(end);
      });
      ends.push({ label, outcome: null, because: plan.nodes.get(need ?? "")?.label ?? "" });
      continue;
    }
    const because = plan.nodes.get(causes.get(id) ?? "")?.label ?? "";
    ends.push({ label, outcome, because });
    ordered.push([id, outcome]);
    if (hasValue(outcome)) continue;
    const { status, fault: seen } = outcome;
    missing.push({ node: id, label, status, fault: seen, because });
    isOpenEnded ||= isOpen(outcome);
    isBroken ||= status === "failed" && seen.code !== deadlineCode;
  }
  const status =
    cancelled !== null
      ? endedBy(cancelled)
      : isOpenEnded
        ? "waiting"
        : isBroken
          ? "failed"
          : missing.length > 0
            ? "partial"
            : "done";
  return { status, outcomes: Object.fromEntries(ordered), missing, ends, fault: cancelled };
}
