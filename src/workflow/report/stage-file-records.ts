// What became of each attempt of each visit of a run, read off its entries: pure. The files about failed stages are made from it.

import type { Fault } from "../../core/fault/fault.ts";
import { matrixOutcome } from "../../core/fault/vocabulary.ts";
import { type NodePlace, placeOf, type Route } from "../../core/flow/node.ts";
import { foldRun, type RunState, startRun } from "../../core/flow/run.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import { knownCode } from "../../core/record/known-code.ts";

/** An entry, or an event that is about to be written and has no number yet. */
export interface StageEntry {
  readonly seq: number | null;
  readonly at: number;
  readonly event: JournalEvent;
}

export type StageRole = "reviewer" | "tester" | null;

export interface AttemptRecord {
  readonly attempt: number;
  startedAt: number;
  /** 0 while it is not over. */
  endedAt: number;
  /** null for one that did not fail, or not yet. */
  fault: Fault | null;
  outcome: string | null;
  /** Calls and how often they were tried. */
  readonly calls: Set<string>;
  callAttempts: number;
  spentMicrocents: number;
  /** The last call that failed in it. */
  failedCall: string;
}

/** What the run does about the failure by itself. */
export interface StageThen {
  readonly do: "retry" | "defer" | "go-on" | "stop" | "wait";
  readonly nextAt: number | null;
  readonly to: readonly string[];
}

export interface StageRecord {
  readonly node: string;
  readonly execution: number;
  readonly attempts: AttemptRecord[];
  state: "running" | "waiting" | "completed" | "failed" | "skipped";
  then: StageThen;
  /** Everything that happened in it, in order. */
  readonly entries: StageEntry[];
}

export interface StageRecords {
  readonly stages: readonly StageRecord[];
  /** null when the entries are not those of a run. */
  readonly state: RunState | null;
}

export function stageRecords(entries: Iterable<StageEntry>, roleOf: (node: string) => StageRole): StageRecords {
  const stages = new Map<string, StageRecord>();
  const turns = new Map<string, string>();
  let state: RunState | null = null;
  for (const entry of entries) {
    const { event, at } = entry;
    if (state !== null) foldRun(state, event as RunEvent, at);
    else if (event.type === "run-started") state = startRun(event, at);
    if (event.type === "call-started") turns.set(event.call, event.turn);
    const place = placeIn(event, turns);
    if (place === null) continue;
    const stage = stageOf(stages, place);
    stage.entries.push(entry);
    if (place.attempt > 0) note(stage, attemptOf(stage, place.attempt, at), entry, roleOf(place.node));
  }
  return { stages: [...stages.values()], state };
}

/** Attempt 0: of the visit as a whole. */
function placeIn(event: JournalEvent, turns: ReadonlyMap<string, string>): NodePlace | null {
  // A step of a plan has a node too, and belongs to its turn.
  if ("turn" in event) return placeOf(event.turn);
  if ("node" in event && "execution" in event) {
    return { node: event.node, execution: event.execution, attempt: "attempt" in event ? event.attempt : 0 };
  }
  if (event.type === "question-asked") return placeOf(event.question.turn);
  return "call" in event ? placeOf(turns.get(event.call) ?? "") : null;
}

function stageOf(stages: Map<string, StageRecord>, { node, execution }: NodePlace): StageRecord {
  const key = `${node}#${execution}`;
  const known = stages.get(key);
  if (known !== undefined) return known;
  const then = { do: "wait", nextAt: null, to: [] } as const;
  const fresh: StageRecord = { node, execution, attempts: [], state: "running", then, entries: [] };
  stages.set(key, fresh);
  return fresh;
}

function attemptOf(stage: StageRecord, attempt: number, at: number): AttemptRecord {
  const known = stage.attempts.find((one) => one.attempt === attempt);
  if (known !== undefined) return known;
  const fresh: AttemptRecord = {
    ...{ attempt, startedAt: at, endedAt: 0, fault: null, outcome: null },
    ...{ calls: new Set<string>(), callAttempts: 0, spentMicrocents: 0, failedCall: "" },
  };
  stage.attempts.push(fresh);
  return fresh;
}

function note(stage: StageRecord, attempt: AttemptRecord, { event, at }: StageEntry, role: StageRole): void {
  if ("cost" in event && event.type !== "call-late") attempt.spentMicrocents += event.cost?.microcents ?? 0;
  switch (event.type) {
    case "node-started":
      stage.state = "running";
      return;
    case "call-admitted":
      attempt.calls.add(event.call);
      attempt.callAttempts += 1;
      return;
    case "call-failed":
      attempt.failedCall = event.call;
      return;
    case "node-retrying":
    case "node-deferred":
      stage.state = "waiting";
      stage.then = { do: event.type === "node-retrying" ? "retry" : "defer", nextAt: event.nextAt, to: [stage.node] };
      return fail(attempt, event.fault, matrixOutcome(knownCode(event.fault), role ?? "coder"), at);
    case "node-paused":
      stage.state = "waiting";
      stage.then = { do: "wait", nextAt: event.wakeAt, to: [stage.node] };
      // What it waits for may still come; that it had to wait stays true.
      attempt.fault = event.fault;
      attempt.outcome = event.fault === null ? null : matrixOutcome(knownCode(event.fault), role ?? "coder");
      return;
    case "node-resumed":
      stage.state = "running";
      return;
    case "node-completed":
      stage.state = "completed";
      stage.then = thenOf(event.route);
      attempt.endedAt = at;
      return;
    case "node-failed":
      stage.state = "failed";
      stage.then = thenOf(event.route);
      return fail(attempt, event.fault, event.outcome, at);
    case "node-skipped":
      stage.state = "skipped";
      stage.then = thenOf(event.route);
      attempt.endedAt = at;
      if (event.fault !== null && event.reason === "resolution") {
        fail(attempt, event.fault, matrixOutcome(knownCode(event.fault), role ?? "coder"), at);
      }
      return;
    default:
      return;
  }
}

function fail(attempt: AttemptRecord, fault: Fault, outcome: string, at: number): void {
  attempt.fault = fault;
  attempt.outcome = outcome;
  attempt.endedAt = at;
}

function thenOf(route: Route | null): StageThen {
  const to = route === null || route.kind === "end" ? [] : route.nodes;
  return { do: to.length === 0 ? "stop" : "go-on", nextAt: null, to };
}

/** Attempts that failed, or had to wait because of a fault. */
export function failedAttempts({ attempts }: StageRecord): readonly AttemptRecord[] {
  return attempts.filter(({ fault }) => fault !== null);
}
