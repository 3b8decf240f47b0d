// The state of a run as a watcher sees it, folded from its event stream: the state of each node visit, and the failures the run
// survived. The same events always give the same picture.

import { type FaultCode, isFaultCode, type Spending, traitsOf } from "../../core/index.ts";
import type { SkipReason } from "../../core/flow/node.ts";
import type { RunStatus } from "../../core/flow/run.ts";
import type { RunStreamEvent, RunStreamType } from "../../core/record/run-stream.ts";
import type { StreamQuestion } from "../../core/record/run-stream-event.ts";

export type SeenState = "running" | "retrying" | "waiting" | "asking" | "completed" | "failed" | "skipped";

/** A call that is retried, as opposed to a new attempt of the node. */
export interface SeenCall {
  readonly target: string;
  readonly reason: FaultCode | "paused" | "paced";
  readonly attempt: number;
  readonly of: number | null;
}

export interface SeenVisit {
  readonly node: string;
  readonly execution: number;
  state: SeenState;
  attempt: number;
  /** 0 while unknown. */
  of: number;
  /** When its wait ends; null when it does not wait. */
  nextAt: number | null;
  call: SeenCall | null;
  /** The last failure. */
  code: FaultCode | null;
  questions: readonly StreamQuestion[];
  skipped: SkipReason | null;
  goesTo: readonly string[];
  /** Retried attempts of its calls. */
  callRetries: number;
  callAttempts: number;
  spentMicrocents: number;
  readonly startedAt: number;
  endedAt: number | null;
}

/** Failures that did not end the run. */
export interface Survived {
  readonly retries: number;
  readonly switches: number;
  readonly waits: number;
  readonly regenerations: number;
}

const NOTHING: Survived = { retries: 0, switches: 0, waits: 0, regenerations: 0 };

export class RunPicture {
  workflow = "";
  status: RunStatus = "running";
  startedAt: number | null = null;
  endedAt: number | null = null;
  predecessor: string | null = null;
  spending: Spending = { microcents: 0, estimatedMicrocents: 0, unpricedAttempts: 0 };
  survived: Survived = NOTHING;
  readonly visits: SeenVisit[] = [];

  feed(event: RunStreamEvent): void {
    const fold = FOLDS[event.type] as ((picture: RunPicture, event: RunStreamEvent) => void) | undefined;
    fold?.(this, event);
  }

  visitOf({ node, execution }: Pick<RunStreamEvent, "node" | "execution">): SeenVisit | undefined {
    return this.visits.findLast((visit) => visit.node === node && visit.execution === execution);
  }

  count(what: keyof Survived): void {
    this.survived = { ...this.survived, [what]: this.survived[what] + 1 };
  }
}

type Folds = {
  readonly [Type in RunStreamType]?: (picture: RunPicture, event: Extract<RunStreamEvent, { type: Type }>) => void;
};

const FOLDS: Folds = {
  "run.started": (picture, { at, data }) => {
    picture.workflow = data.workflow;
    picture.startedAt = at;
    picture.predecessor = data.predecessor;
    if (data.action === "regenerate-once") picture.count("regenerations");
  },
  "node.started": (picture, event) => {
    const { node, execution, attempt, at } = event;
    picture.status = "running";
    const visit = picture.visitOf(event);
    if (visit === undefined) picture.visits.push(newVisit(node, execution, attempt, at));
    else Object.assign(visit, { attempt, state: "running", nextAt: null, call: null, questions: [] });
  },
  "node.retrying": (picture, event) => {
    const { nextAttempt, of, nextAt, failure, callAttempts } = event.data;
    picture.count(isOutput(failure.code) ? "regenerations" : "retries");
    const visit = picture.visitOf(event);
    if (visit === undefined) return;
    visit.callAttempts += callAttempts;
    Object.assign(visit, { state: "retrying", attempt: nextAttempt, of, nextAt, call: null, code: failure.code });
  },
  "node.paused": (picture, event) => {
    const { why, wakeAt, questions, failure } = event.data;
    if (why === "parked") picture.count("waits");
    const code = failure?.code ?? null;
    pause(picture.visitOf(event), questions.length > 0 ? "asking" : "waiting", wakeAt, questions, code);
  },
  "gate.paused": (picture, event) => {
    const { questions, wakeAt } = event.data;
    pause(picture.visitOf(event), "asking", wakeAt, questions, null);
  },
  "budget.paused": (picture, event) => pause(picture.visitOf(event), "asking", null, event.data.questions, null),
  "node.resumed": (picture, event) => goOn(picture, event),
  "gate.resumed": (picture, event) => goOn(picture, event),
  "node.completed": (picture, event) => leave(picture, event, "completed"),
  "node.failed": (picture, event) => {
    const visit = picture.visitOf(event);
    if (visit !== undefined) visit.code = event.data.failure.code;
    leave(picture, event, "failed");
  },
  "node.skipped": (picture, event) => {
    const visit = picture.visitOf(event);
    if (visit === undefined) return;
    visit.skipped = event.data.reason;
    visit.code = event.data.failure?.code ?? null;
    settle(visit, "skipped", event.at);
  },
  "call.retrying": (picture, event) => {
    const { target, callAttempt, of, reason, nextAt } = event.data;
    // Pacing is deliberate, and a postponed call is reported when its node pauses.
    const isRetry = isFaultCode(reason) && of !== null;
    if (isRetry) picture.count("retries");
    const visit = picture.visitOf(event);
    if (visit === undefined) return;
    if (isRetry) visit.callRetries += 1;
    visit.call = { target, reason, attempt: callAttempt, of };
    visit.nextAt = nextAt;
  },
  "call.switched": (picture) => picture.count("switches"),
  "call.regenerating": (picture) => picture.count("regenerations"),
  "cost.updated": (picture, event) => {
    const visit = picture.visitOf(event);
    if (visit !== undefined) visit.spentMicrocents += event.data.microcents - picture.spending.microcents;
    picture.spending = event.data;
  },
  "run.paused": (picture) => {
    picture.status = "paused";
  },
  "run.resumed": (picture) => {
    picture.status = "running";
  },
  "run.instructed": (picture, { data }) => {
    if (data.action === "regenerate-once") picture.count("regenerations");
  },
  "run.completed": (picture, { at }) => end(picture, "completed", at),
  "run.failed": (picture, { at }) => end(picture, "failed", at),
  "run.cancelled": (picture, { at }) => end(picture, "cancelled", at),
};

function newVisit(node: string, execution: number, attempt: number, at: number): SeenVisit {
  return {
    ...{ node, execution, attempt, of: 0, state: "running", nextAt: null, call: null, code: null, questions: [] },
    ...{ skipped: null, goesTo: [], callRetries: 0, callAttempts: 0, spentMicrocents: 0, startedAt: at, endedAt: null },
  };
}

/** The model's answer was invalid; asking it again does not count as a retry. */
function isOutput(code: FaultCode): boolean {
  return isFaultCode(code) && traitsOf(code).scope === "output";
}

function pause(
  visit: SeenVisit | undefined,
  state: SeenState,
  nextAt: number | null,
  questions: readonly StreamQuestion[],
  code: FaultCode | null,
): void {
  if (visit === undefined) return;
  Object.assign(visit, { state, nextAt, questions, call: null, code: code ?? visit.code });
}

function goOn(picture: RunPicture, event: RunStreamEvent): void {
  picture.status = "running";
  const visit = picture.visitOf(event);
  if (visit !== undefined) Object.assign(visit, { state: "running", nextAt: null, questions: [] });
}

function leave(
  picture: RunPicture,
  event: Extract<RunStreamEvent, { type: "node.completed" | "node.failed" }>,
  state: "completed" | "failed",
): void {
  const visit = picture.visitOf(event);
  if (visit === undefined) return;
  visit.callAttempts += event.data.callAttempts;
  visit.goesTo = event.data.next;
  settle(visit, state, event.at);
}

function settle(visit: SeenVisit, state: SeenState, at: number): void {
  Object.assign(visit, { state, nextAt: null, call: null, questions: [], endedAt: at });
}

function end(picture: RunPicture, status: RunStatus, at: number): void {
  picture.status = status;
  picture.endedAt = at;
  // Visits that started but never ended were stopped with the run.
  for (const visit of picture.visits) if (visit.endedAt === null) settle(visit, "skipped", at);
}
