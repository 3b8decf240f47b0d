// What became of each attempt of each visit of a run, read off its entries one by one. The files about failed stages are made from
// it. Each entry is read once: what is written about an attempt costs the same however long the run is.

import type { Fault } from "../../core/fault/fault.ts";
import { matrixOutcome } from "../../core/fault/vocabulary.ts";
import { type NodePlace, placeOf, type Route } from "../../core/flow/visit.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import { copyRun, foldRun, startRun } from "../../core/flow/run.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import { knownCode } from "../../core/record/fault-index.ts";

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
  /** null for an attempt that has not failed. */
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
  /** Those that have changed since files were last written. */
  readonly changed: readonly StageRecord[];
  readonly inRound: (round: number) => readonly StageRecord[];
  /** null when the entries are not those of a run. */
  readonly state: RunState | null;
}

export class StageMemory {
  readonly #roleOf: (node: string) => StageRole;
  readonly #rounds = new Map<number, Map<string, StageRecord>>();
  readonly #changed = new Map<string, StageRecord>();
  /** Over, and their files are written: nothing about them changes any more, and their entries are not held. */
  readonly #closed = new Set<string>();
  readonly #turns = new Map<string, string>();
  #state: RunState | null = null;
  #seq = 0;

  constructor(roleOf: (node: string) => StageRole) {
    this.#roleOf = roleOf;
  }

  /** The number of the last entry it has read. */
  get seq(): number {
    return this.#seq;
  }

  add(entry: StageEntry & { readonly seq: number }): void {
    if (entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    const { event, at } = entry;
    if (this.#state !== null) foldRun(this.#state, event as RunEvent, at);
    else if (event.type === "run-started") this.#state = startRun(event, at);
    if (event.type === "call-started") this.#turns.set(event.call, event.turn);
    const place = placeIn(event, this.#turns);
    if (place === null || this.#closed.has(nameOf(place))) return;
    const stage = this.#roundOf(place).get(nameOf(place)) ?? newStage(place);
    this.#put(stage);
    this.#changed.set(nameOf(place), stage);
    take(stage, place, entry, this.#roleOf(place.node));
  }

  /** As it stands after events that are about to be written; what it has read stays as it is. */
  after(coming: readonly { readonly at: number; readonly event: JournalEvent }[]): StageRecords {
    const state = this.#state === null ? null : copyRun(this.#state);
    const copies = new Map<string, StageRecord>();
    for (const { at, event } of coming) {
      if (state !== null) foldRun(state, event as RunEvent, at);
      const place = placeIn(event, this.#turns);
      if (place === null || this.#closed.has(nameOf(place))) continue;
      const name = nameOf(place);
      const stage = copies.get(name) ?? copyStage(this.#roundOf(place).get(name) ?? newStage(place));
      copies.set(name, stage);
      take(stage, place, { seq: null, at, event }, this.#roleOf(place.node));
    }
    const changed = new Map([...this.#changed, ...copies]);
    const inRound = (round: number): readonly StageRecord[] => {
      const stages = new Map(this.#rounds.get(round));
      for (const [name, stage] of changed) if (stage.execution === round) stages.set(name, stage);
      return [...stages.values()];
    };
    return { changed: [...changed.values()], inRound, state };
  }

  /** The files about these are on disk. */
  wrote({ changed }: StageRecords): void {
    for (const stage of changed) {
      const name = nameOf(stage);
      const known = this.#changed.get(name);
      if (known === undefined) continue;
      this.#changed.delete(name);
      if (known.state === "running" || known.state === "waiting") continue;
      this.#closed.add(name);
      this.#put({ ...known, entries: [] });
    }
  }

  #roundOf({ execution }: Pick<NodePlace, "execution">): Map<string, StageRecord> {
    const known = this.#rounds.get(execution) ?? new Map<string, StageRecord>();
    this.#rounds.set(execution, known);
    return known;
  }

  #put(stage: StageRecord): void {
    this.#roundOf(stage).set(nameOf(stage), stage);
  }
}

function take(stage: StageRecord, { attempt }: NodePlace, entry: StageEntry, role: StageRole): void {
  stage.entries.push(entry);
  if (attempt > 0) note(stage, attemptOf(stage, attempt, entry.at), entry, role);
}

function copyStage(stage: StageRecord): StageRecord {
  const attempts = stage.attempts.map((attempt) => ({ ...attempt, calls: new Set(attempt.calls) }));
  return { ...stage, attempts, entries: [...stage.entries] };
}

function nameOf({ node, execution }: Pick<NodePlace, "node" | "execution">): string {
  return `${node}#${execution}`;
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

function newStage({ node, execution }: NodePlace): StageRecord {
  return { node, execution, attempts: [], state: "running", then: { do: "wait", nextAt: null, to: [] }, entries: [] };
}

function attemptOf(stage: StageRecord, attempt: number, at: number): AttemptRecord {
  const known = stage.attempts.findLast((one) => one.attempt === attempt);
  if (known !== undefined) return known;
  const fresh: AttemptRecord = {
    attempt,
    startedAt: at,
    endedAt: 0,
    fault: null,
    outcome: null,
    calls: new Set<string>(),
    callAttempts: 0,
    spentMicrocents: 0,
    failedCall: "",
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
