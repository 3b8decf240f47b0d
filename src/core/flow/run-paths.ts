// The paths of a run: how they enter nodes, leave them, fan out, meet again, and what an operator changes about them.

import type { Fault } from "../fault/fault.ts";
import type { Instruction, NodePlace, Route } from "./node.ts";
import type { RunEvent } from "./run-event.ts";
import { executionsOf, keyOf, openVisitOf, raisedLimits, type RunState, visitOf } from "./run-state.ts";
import type { Visit } from "./visit.ts";

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
