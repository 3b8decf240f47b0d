// A run folded from its events, and what it can do next: pure. The live run, the resumed one, the list on a screen and the
// simulation see the same state. Holds these:
// R1  A visit is in one place: ready, running, paused, or over; a path has one visit that is not over.
// R2  The run is over once, and after `run-ended` nothing but `run-superseded` changes it.
// R3  The event that ends a node says where its path goes: folding needs no workflow definition.
// R4  A join is entered once, when every path of its fan-out has arrived.
// R5  No more visits run at a time than the limit says. Paused visits take no slot, and wait for one when they resume.

import type { RunEvent } from "./run-event.ts";
import {
  again,
  begin,
  copyVisits,
  instruct,
  isEnded,
  keyOf,
  leave,
  openVisitOf,
  openVisits,
  restart,
  type RunState,
  stopsOthers,
} from "./run-state.ts";
import type { Fan, Visit } from "./visit.ts";

export function startRun(event: Extract<RunEvent, { type: "run-started" }>, at: number): RunState {
  const { workflow, version, digest, file, limits, predecessor, inherited, start, instruction, traceparent } = event;
  const state: RunState = {
    workflow,
    version,
    digest,
    file,
    limits,
    predecessor,
    ...(traceparent === undefined ? {} : { traceparent }),
    successor: null,
    status: "running",
    outcome: "",
    fault: null,
    failedNode: "",
    startedAt: at,
    endedAt: 0,
    visits: inherited === null ? [] : inherited.visits.map((visit) => ({ ...visit })),
    fans: inherited === null ? {} : copyOf(inherited.fans),
    ends: [...(inherited?.ends ?? [])],
    actions: [],
    cancelledBy: null,
    failing: null,
  };
  begin(state, start, at, instruction);
  return state;
}

function copyOf(fans: Readonly<Record<string, Fan>>): Record<string, Fan> {
  return Object.fromEntries(Object.entries(fans).map(([name, fan]) => [name, { ...fan }]));
}

/** A copy to fold further events into. It copies only what folding changes: visits that are over are shared. */
export function copyRun(state: RunState): RunState {
  return {
    ...state,
    visits: copyVisits(state.visits),
    fans: copyOf(state.fans),
    ends: [...state.ends],
    actions: [...state.actions],
  };
}

/** A call of a node asks `tool`, or `tool` has answered it. Tools that are not targets of the node's agent change nothing. */
export function noteTarget(state: RunState, visit: Visit, tool: string): void {
  if (visit.targets?.includes(tool) !== true) return;
  visit.target = tool;
  state.target = tool;
}

/** Folds one event of the run into its state. */
export function foldRun(state: RunState, event: RunEvent, at: number): void {
  if (event.type === "run-superseded") {
    state.successor = event.successor;
    return;
  }
  if (isEnded(state)) return;
  const fold = FOLDS[event.type] as ((state: RunState, event: RunEvent, at: number) => void) | undefined;
  fold?.(state, event, at);
}

type Folds = {
  readonly [Type in RunEvent["type"]]?: (state: RunState, event: Extract<RunEvent, { type: Type }>, at: number) => void;
};

const FOLDS: Folds = {
  "workflow-changed": (state, { to }) => {
    state.digest = to;
    // Nodes begun under the old definition restart: the new definition may make other calls.
    for (const visit of openVisits(state)) if (visit.state !== "ready") restart(visit);
  },
  "node-started": (state, event, at) => {
    const visit = openVisitOf(state, event);
    if (visit === undefined) return;
    state.status = "running";
    visit.kind = event.kind;
    visit.targets = event.targets ?? [];
    visit.attempt = event.attempt;
    visit.state = "running";
    visit.phase = null;
    if (visit.startedAt === 0) visit.startedAt = at;
  },
  "stage-entered": (state, event) => {
    const visit = openVisitOf(state, event);
    if (visit !== undefined) visit.phase = event.phase;
  },
  "node-retrying": (state, event) => {
    const visit = openVisitOf(state, event);
    if (visit !== undefined) again(visit, event, event.nextAt);
  },
  "node-deferred": (state, event) => {
    const visit = openVisitOf(state, event);
    if (visit === undefined) return;
    again(visit, event, event.nextAt);
    state.visits = [...state.visits.filter((other) => other !== visit), visit];
  },
  "node-paused": (state, event) => {
    const visit = openVisitOf(state, event);
    if (visit === undefined) return;
    const { why, questions, wakeAt } = event;
    visit.state = "paused";
    visit.pause = { why, questions, wakeAt };
    visit.fault = event.fault ?? visit.fault;
  },
  "node-resumed": (state, event) => {
    const visit = openVisitOf(state, event);
    if (visit === undefined) return;
    state.status = "running";
    visit.state = "running";
    visit.pause = null;
  },
  "node-completed": (state, event, at) => leave(state, event, { state: "completed", fault: null, skipped: null }, at),
  "node-failed": (state, event, at) => {
    const visit = openVisitOf(state, event);
    const isFailing = event.route === null && visit !== undefined && stopsOthers(state, visit);
    leave(state, event, { state: "failed", fault: event.fault, skipped: null }, at);
    const { node, execution, outcome } = event;
    if (isFailing) state.failing ??= { node, execution, outcome };
  },
  "node-skipped": (state, event, at) =>
    leave(state, event, { state: "skipped", fault: event.fault, skipped: event.reason }, at),
  "run-instructed": (state, event, at) => instruct(state, event, at),
  "run-paused": (state) => {
    state.status = "paused";
  },
  "run-ended": (state, event, at) => {
    state.status = event.status;
    state.outcome = event.outcome;
    state.fault = event.fault;
    state.failedNode = event.node;
    state.endedAt = at;
    for (const visit of openVisits(state)) close(visit, at);
  },
};

/** The run has ended, so the visit ends with it. */
function close(visit: Visit, at: number): void {
  visit.state = "cancelled";
  visit.pause = null;
  visit.phase = null;
  visit.endedAt = at;
}

export interface RunNeeds {
  /** To be started, in this order. */
  readonly start: readonly Visit[];
  /** Started by an earlier process, or due after a pause; to be continued. */
  readonly resume: readonly Visit[];
  /** Paused: an answer may have arrived. */
  readonly paused: readonly Visit[];
  /** How many of the visits that were answered may resume now. */
  readonly places: number;
  /** When the first of those that wait for a time is due; null when none does. */
  readonly wakeAt: number | null;
  /** Nothing is left to do. */
  readonly isOver: boolean;
}

/** What a run can do now. `busy` are the visits that are already being worked on. */
export function needsOf(state: RunState, now: number, busy: ReadonlySet<string>): RunNeeds {
  const live = openVisits(state);
  const running = live.filter((visit) => visit.state === "running");
  const paused = live.filter((visit) => visit.state === "paused");
  const isDue = ({ pause }: Visit): boolean => pause?.wakeAt !== null && (pause?.wakeAt ?? Infinity) <= now;
  const isIdle = (visit: Visit): boolean => !busy.has(keyOf(visit));
  const ready = live.filter((visit) => visit.state === "ready");
  // A visit that is about to run already has a slot.
  const taken = live.filter((visit) => visit.state === "running" || !isIdle(visit)).length;
  const free = Math.max(0, state.limits.maxParallel - taken);
  const due = paused.filter((visit) => isDue(visit) && isIdle(visit)).slice(0, free);
  const places = free - due.length;
  const start = ready.filter((visit) => visit.notBefore <= now && isIdle(visit)).slice(0, places);
  const times = [
    ...ready.flatMap(({ notBefore }) => (notBefore > now ? [notBefore] : [])),
    ...paused.flatMap(({ pause }) => [pause?.wakeAt ?? now]).filter((at) => at > now),
  ];
  return {
    start,
    resume: [...running.filter(isIdle), ...due],
    paused: paused.filter((visit) => !isDue(visit) && isIdle(visit)),
    places,
    wakeAt: times.length === 0 ? null : Math.min(...times),
    isOver: live.length === 0,
  };
}

/** The visits that a failed one stops: those beside it in a fan-out with `failFast`. */
export function siblingsOf(state: RunState, failed: Visit): readonly Visit[] {
  const within = new Set<string>();
  for (let name = failed.fan; name !== ""; name = state.fans[name]?.outer ?? "") {
    if (state.fans[name]?.failFast === true) within.add(name);
  }
  if (within.size === 0) return [];
  return openVisits(state).filter((visit) => visit !== failed && isWithin(state, visit.fan, within));
}

function isWithin(state: RunState, fan: string, fans: ReadonlySet<string>): boolean {
  for (let name = fan; name !== ""; name = state.fans[name]?.outer ?? "") if (fans.has(name)) return true;
  return false;
}
