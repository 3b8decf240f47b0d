// Makes entries of runs that could have happened: each is chosen among those the folded state allows. Every fault carries what
// must never be shown.

import { fault, FAULT_CODES, type Fault } from "../../../src/core/index.ts";
import type { CallEvent } from "../../../src/core/flow/call.ts";
import { turnOf, type Visit } from "../../../src/core/flow/visit.ts";
import type { RunEvent } from "../../../src/core/flow/run-event.ts";
import { isEnded } from "../../../src/core/flow/run-state.ts";
import type { Entry, JournalEvent } from "../../../src/core/record/event.ts";
import { emptySession, foldEntry } from "../../../src/core/record/replay.ts";

export const RUN = "run_1";
/** Used wherever a provider, a tool or a file might have provided text. */
export const PLANTED = "planted-Zq81";

export function leakyFault(choice: number): Fault {
  const code = FAULT_CODES[choice % FAULT_CODES.length] ?? "Uncaught";
  const evidence = { rule: "raised", source: "text", nearly: [], excerpt: `body: ${PLANTED}` } as const;
  const cause = fault("Uncaught", { message: `/home/${PLANTED}/x.ts`, evidence });
  const context = { path: `/srv/${PLANTED}`, stderr: PLANTED };
  return fault(code, { message: `it said ${PLANTED}`, context, cause, evidence, retryAfterMs: 5 });
}

const STARTED: JournalEvent = {
  ...{
    type: "run-started",
    workflow: "w",
    version: "1",
    digest: "d",
    file: `/x/${PLANTED}.yaml`,
    inputs: { task: "t" },
  },
  ...{ start: ["a", "b"], predecessor: null, inherited: null, instruction: null },
  limits: { maxParallel: 2, maxNodes: 9, timeoutMs: 40, maxCostMicrocents: 100 },
};

const STORY = { row: { layer: "matrix", at: "1" }, considered: [], left: [], passedOver: [], preferred: null } as const;
const RETRY = { ...STORY, recourse: "retry", delayMs: 1, serverWait: false, attempt: 2, maxAttempts: 3 } as const;

/** One entry for each choice, until the run is over and a little longer. */
export function historyOf(choices: readonly number[]): readonly Entry[] {
  const state = emptySession(RUN);
  const entries: Entry[] = [];
  const write = (event: JournalEvent): void => {
    const entry = { session: RUN, seq: entries.length + 1, at: entries.length * 3, event };
    entries.push(entry);
    foldEntry(state, entry);
  };
  write(STARTED);
  choices.forEach((choice, index) => {
    const { run } = state;
    if (run === null) return;
    // One number decides several things that must not hang together.
    const detail = Math.floor(choice / 1009);
    if (isEnded(run)) return AFTER_THE_END[choice % AFTER_THE_END.length]?.forEach(write);
    const live = run.visits.filter((visit) => ["ready", "running", "paused"].includes(visit.state));
    const visit = live[detail % Math.max(1, live.length)];
    const own = visit === undefined ? [[ended(detail)]] : [...nextOf(visit, detail, index), ...ofTheRun(detail, index)];
    own[choice % own.length]?.forEach(write);
  });
  return entries;
}

/** What comes after the end must change nothing. */
const AFTER_THE_END: readonly (readonly JournalEvent[])[] = [
  [{ type: "run-superseded", successor: "run_2" }],
  [{ type: "session-ended", status: "failed", fault: leakyFault(3) }],
  [{ type: "run-ended", status: "failed", outcome: "again", node: "", fault: leakyFault(4) }],
  [{ type: "session-resumed", interrupted: [] }],
  [{ type: "budget-warned", spentMicrocents: 9, maxCostMicrocents: 10 }],
];

function ended(choice: number): RunEvent {
  const status = (["completed", "failed", "cancelled"] as const)[choice % 3] ?? "failed";
  const why = status === "completed" ? null : leakyFault(choice);
  return { type: "run-ended", status, outcome: "over", node: status === "failed" ? "a" : "", fault: why };
}

function ofTheRun(choice: number, index: number): readonly (readonly JournalEvent[])[] {
  return [
    [{ type: "session-resumed", interrupted: ["a#1.1"] }],
    [{ type: "run-paused", why: "retry", wakeAt: 99 }],
    [{ type: "budget-warned", spentMicrocents: 80, maxCostMicrocents: 100 }],
    [
      {
        type: "run-instructed",
        action: "retry-now",
        node: "a",
        execution: 1,
        key: `k${index}`,
        by: "ops",
        params: { text: PLANTED },
      },
    ],
    ...(choice % 5 === 0 ? [[ended(choice)]] : []),
  ];
}

function nextOf(visit: Visit, choice: number, index: number): readonly (readonly JournalEvent[])[] {
  const place = { node: visit.node, execution: visit.execution, attempt: visit.attempt };
  const why = leakyFault(choice);
  if (visit.state === "ready") return [[{ type: "node-started", ...place, kind: "agent" }]];
  if (visit.state === "paused") {
    const answer = { status: "accepted", value: PLANTED } as const;
    return [[{ type: "node-resumed", ...place, why: visit.pause?.why ?? "parked", answer, by: "ops" }]];
  }
  const to = { kind: "to", nodes: [visit.node === "a" ? "b" : "a"] } as const;
  const failed = { ...place, fault: why, outcome: "internal_error", resolution: "abort-workflow" } as const;
  const pause = { ...place, fault: why, questions: [], wakeAt: 50 } as const;
  return [
    [{ type: "stage-entered", ...place, phase: "act" }],
    callOf(turnOf(place), choice, index),
    [{ type: "node-retrying", ...place, of: 3, fault: why, decision: RETRY, delayMs: 1, nextAt: 60 }],
    [{ type: "node-deferred", ...place, of: 3, fault: why, nextAt: 60 }],
    [{ type: "node-paused", ...pause, why: (["gate", "question", "parked", "budget"] as const)[choice % 4] ?? "gate" }],
    [{ type: "node-completed", ...place, route: choice % 2 === 0 ? to : { kind: "end", outcome: "ok" }, output: 1 }],
    [{ type: "node-failed", ...failed, route: choice % 2 === 0 ? to : null }],
    [{ type: "node-skipped", ...place, reason: "resolution", fault: why, route: null }],
  ];
}

/** A call that failed once, waited or went elsewhere, and then came through. */
function callOf(turn: string, choice: number, index: number): readonly CallEvent[] {
  const call = `call_${index}`;
  const ran = { call, tool: "t", attempt: 1, durationMs: 1 } as const;
  const cost = choice % 3 === 0 ? null : ({ microcents: choice % 7, basis: "reported" } as const);
  const decision = choice % 2 === 0 ? RETRY : ({ ...STORY, recourse: "fallback", target: "u" } as const);
  return [
    { type: "call-started", call, turn, tool: "t", digest: "d", input: { x: PLANTED }, deadlineAt: null },
    { type: "call-admitted", call, tool: "t", attempt: 1 },
    { type: "call-failed", ...ran, fault: leakyFault(choice), decision, breaker: "closed", cost },
    { type: "call-admitted", call, tool: "t", attempt: 2 },
    {
      type: "call-succeeded",
      ...ran,
      attempt: 2,
      cost: { microcents: null, basis: "unpriced" },
      errors: [],
      output: PLANTED,
    },
  ];
}
