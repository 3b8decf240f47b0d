// The state of a run, the paths it took, and small queries on both.

import type { Fault } from "../fault/fault.ts";
import { type Fan, type Instruction, isOpen, type NodePlace, type Route, type Visit } from "./visit.ts";
import type { PathEnd, RunEvent, RunLimits } from "./run-event.ts";

/** Where a run stands. */
export type RunStatus = "running" | "paused" | "completed" | "failed" | "cancelled";

/** Folded in place, like the session it belongs to. Plain data: a snapshot is a copy. */
export interface RunState {
  readonly workflow: string;
  readonly version: string;
  digest: string;
  readonly file: string | null;
  limits: RunLimits;
  readonly predecessor: string | null;
  /** The span it was started in; left out when there was none. */
  readonly traceparent?: string;
  successor: string | null;
  status: RunStatus;
  outcome: string;
  /** What ended it, and where. */
  fault: Fault | null;
  failedNode: string;
  /** The target that a node asked last, or that answered last; left out by older programs. */
  target?: string | null;
  startedAt: number;
  endedAt: number;
  /** In the order in which they were entered; ready visits in the order in which they will run. */
  visits: Visit[];
  fans: Record<string, Fan>;
  /** Paths that have ended. */
  ends: PathEnd[];
  /** Keys of actions that were taken. */
  actions: string[];
  /** A person wants it to end. */
  cancelledBy: string | null;
  /** The visit whose failure ends the run: no visit starts any more, and the end is written when all have stopped. */
  failing: { readonly node: string; readonly execution: number; readonly outcome: string } | null;
}

export function isEnded({ status }: Pick<RunState, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function visitOf(state: RunState, { node, execution }: Omit<NodePlace, "attempt">): Visit | undefined {
  return state.visits.findLast((visit) => visit.node === node && visit.execution === execution);
}

/** The visit an event changes; undefined when it is over, because then nothing changes it. */
export function openVisitOf(state: RunState, place: Omit<NodePlace, "attempt">): Visit | undefined {
  const visit = visitOf(state, place);
  return visit !== undefined && isOpen(visit) ? visit : undefined;
}

/**
 * A cache about a list of visits: a long run asks for its open visits at every step, and must not scan the finished ones each time.
 */
interface Known {
  /** How many visits at the beginning of the list are over … */
  settled: number;
  /** … and how many of these the run has begun itself. */
  begun: number;
  /** How many visits are counted in `executions`. */
  counted: number;
  readonly executions: Map<string, number>;
  /** Where a copy looks for what was counted before it was made. */
  readonly origin: { readonly known: Known; readonly counted: number } | null;
}

const KNOWN = new WeakMap<readonly Visit[], Known>();

function knownOf(visits: readonly Visit[]): Known {
  const known = KNOWN.get(visits) ?? { settled: 0, begun: 0, counted: 0, executions: new Map(), origin: null };
  KNOWN.set(visits, known);
  for (let next = visits[known.settled]; next !== undefined && !isOpen(next); next = visits[known.settled]) {
    known.settled += 1;
    if (!next.inherited && next.startedAt > 0) known.begun += 1;
  }
  return known;
}

/** How many visits at the beginning of the list are over. They stay where they are: visits move only while they are open. */
export function settledCount(visits: readonly Visit[]): number {
  return knownOf(visits).settled;
}

/** Those that are not over, in their order. */
export function openVisits({ visits }: Pick<RunState, "visits">): Visit[] {
  return visits.slice(knownOf(visits).settled).filter(isOpen);
}

/** How many visits this run has begun itself: those that have a start, and those that are about to. */
export function begunCount({ visits }: Pick<RunState, "visits">, isAboutTo: (visit: Visit) => boolean): number {
  const { settled, begun } = knownOf(visits);
  const isBegun = (visit: Visit): boolean => !visit.inherited && (visit.startedAt > 0 || isAboutTo(visit));
  return begun + visits.slice(settled).filter(isBegun).length;
}

/** The list with copies of the visits that may still change. */
export function copyVisits(visits: readonly Visit[]): Visit[] {
  const known = knownOf(visits);
  count(known, visits);
  const copy = visits.slice();
  for (let index = known.settled; index < copy.length; index++) {
    const visit = copy[index];
    if (visit !== undefined && isOpen(visit)) copy[index] = { ...visit };
  }
  const { settled, begun, counted } = known;
  const root = known.origin === null ? { known, counted } : null;
  KNOWN.set(copy, { settled, begun, counted: root === null ? 0 : counted, executions: new Map(), origin: root });
  return copy;
}

function count(known: Known, visits: readonly Visit[]): void {
  for (let visit = visits[known.counted]; visit !== undefined; visit = visits[known.counted]) {
    const before = known.executions.get(visit.node) ?? known.origin?.known.executions.get(visit.node) ?? 0;
    known.executions.set(visit.node, Math.max(before, visit.execution));
    known.counted += 1;
  }
}

/** How often the node has been entered so far. */
export function executionsOf({ visits }: Pick<RunState, "visits">, node: string): number {
  const known = knownOf(visits);
  const { origin } = known;
  // The original list has grown since the copy was made, so its counts no longer apply to the copy.
  if (origin !== null && origin.known.counted !== origin.counted) {
    KNOWN.delete(visits);
    return executionsOf({ visits }, node);
  }
  count(known, visits);
  return known.executions.get(node) ?? origin?.known.executions.get(node) ?? 0;
}

export function keyOf({ node, execution }: Pick<Visit, "node" | "execution">): string {
  return `${node}#${execution}`;
}

/** The run's limits with an operator's changes. Limits of a node are ignored here: see `operator/instructions.ts`. */
export function raisedLimits(limits: RunLimits, params: Readonly<Record<string, unknown>>): RunLimits {
  const { maxParallel, maxNodes, timeoutMs, maxCostMicrocents } = {
    ...limits,
    ...(params["limits"] as Partial<RunLimits> | undefined),
  };
  return { maxParallel, maxNodes, timeoutMs, maxCostMicrocents };
}

// The paths of a run: how they enter nodes, leave them, fan out, meet again, and what an operator changes about them.

type Path = readonly string[];

function newVisit(node: string, execution: number, fan: string, path: Path, at: number): Visit {
  return {
    node,
    execution,
    kind: null,
    attempt: 1,
    of: 0,
    state: "ready",
    phase: null,
    notBefore: at,
    pause: null,
    fan,
    path,
    skipped: null,
    fault: null,
    instruction: null,
    startedAt: 0,
    endedAt: 0,
    callAttempts: 0,
    spentMicrocents: 0,
    inherited: false,
  };
}

/** The nodes a run begins with. */
export function begin(state: RunState, nodes: readonly string[], at: number, instruction: Instruction | null): void {
  for (const [index, node] of nodes.entries())
    enter(state, node, "", branchOf([], "start#0", index, nodes), at, instruction);
}

function enter(
  state: RunState,
  node: string,
  fan: string,
  path: Path,
  at: number,
  instruction: Instruction | null,
): void {
  state.visits.push({ ...newVisit(node, executionsOf(state, node) + 1, fan, path, at), instruction });
}

/** A path with a single next node has not split. */
function branchOf(path: Path, fork: string, index: number, nodes: readonly string[]): Path {
  return nodes.length === 1 ? path : [...path, `${fork}.${index}`];
}

export function again(
  visit: Visit,
  { attempt, of, fault }: NodePlace & { of: number; fault: Fault },
  nextAt: number,
): void {
  visit.state = "ready";
  visit.attempt = attempt + 1;
  visit.of = of;
  visit.fault = fault;
  visit.notBefore = nextAt;
  visit.phase = null;
  visit.pause = null;
}

export function leave(
  state: RunState,
  { route, ...place }: NodePlace & { readonly route: Route | null },
  ending: Pick<Visit, "state" | "fault" | "skipped">,
  at: number,
): void {
  const visit = openVisitOf(state, place);
  if (visit === undefined) return;
  Object.assign(visit, ending);
  visit.pause = null;
  visit.phase = null;
  visit.instruction = null;
  visit.endedAt = at;
  // In a fan-out with `failFast` a failed path does not arrive at the join: the run is about to end.
  const isStopped = route === null && (ending.state === "failed" || ending.skipped === "sibling-failed");
  if (!(isStopped && state.fans[visit.fan]?.failFast === true)) follow(state, visit, route, at);
}

/** Whether the run ends when this visit fails and has no next node: it has no siblings, or its failure stops them. */
export function stopsOthers({ fans }: Pick<RunState, "fans">, { fan }: Pick<Visit, "fan">): boolean {
  return fans[fan]?.failFast ?? true;
}

function follow(state: RunState, visit: Visit, route: Route | null, at: number): void {
  const { node, fan, path = [] } = visit;
  if (route === null) return arrive(state, fan, at);
  const name = keyOf(visit);
  switch (route.kind) {
    case "end":
      state.ends.push({ node, outcome: route.outcome });
      return arrive(state, fan, at);
    case "fan": {
      // There is nothing to wait for.
      if (route.nodes.length === 0) return step(state, route.join, fan, path, at);
      const { join, failFast } = route;
      state.fans[name] = { join, failFast, outer: fan, open: route.nodes.length, path };
      for (const [index, to] of route.nodes.entries())
        step(state, to, name, branchOf(path, name, index, route.nodes), at);
      return;
    }
    case "to": {
      if (route.nodes.length === 0) return arrive(state, fan, at);
      const home = state.fans[fan];
      if (home !== undefined) home.open += route.nodes.length - 1;
      for (const [index, to] of route.nodes.entries())
        step(state, to, fan, branchOf(path, name, index, route.nodes), at);
    }
  }
}

/** A path that reaches the join of its fan-out has arrived; elsewhere it continues. */
function step(state: RunState, to: string, fan: string, path: Path, at: number): void {
  if (state.fans[fan]?.join === to) arrive(state, fan, at);
  else enter(state, to, fan, path, at, null);
}

function arrive(state: RunState, name: string, at: number): void {
  const fan = state.fans[name];
  if (fan === undefined) return;
  fan.open -= 1;
  if (fan.open > 0) return;
  state.fans = Object.fromEntries(Object.entries(state.fans).filter(([other]) => other !== name));
  // Two fan-outs, one within the other, may have one join: it is that of the outer one then.
  step(state, fan.join, fan.outer, fan.path ?? [], at);
}

/** An action on a visit that waits gives it one more attempt, at once. */
export function instruct(state: RunState, event: Extract<RunEvent, { type: "run-instructed" }>, at: number): void {
  const { action, node, execution, key, params, by } = event;
  state.actions.push(key);
  state.limits = raisedLimits(state.limits, params);
  if (params["cancel"] === true) state.cancelledBy = by;
  const visit = visitOf(state, { node, execution });
  if (visit === undefined || (visit.state !== "paused" && visit.state !== "ready")) return;
  state.status = "running";
  visit.instruction = { action, params, by };
  visit.notBefore = at;
  if (visit.state === "paused") restart(visit);
}

export function restart(visit: Visit): void {
  visit.attempt += 1;
  visit.state = "ready";
  visit.phase = null;
  visit.pause = null;
}
