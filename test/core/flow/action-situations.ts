// Runs in the states an operator may find them in, folded from events as the engine would write them.

import { fault, type FaultCode } from "../../../src/core/index.ts";
import type { ActionSituation } from "../../../src/core/flow/action.ts";
import type { Question, QuestionPayload } from "../../../src/core/flow/interaction.ts";
import type { NodeKind, PauseReason } from "../../../src/core/flow/visit.ts";
import type { RunEvent, RunLimits } from "../../../src/core/flow/run-event.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import { foldRun, startRun } from "../../../src/core/flow/run.ts";

const LIMITS: RunLimits = { maxParallel: 4, maxNodes: 100, timeoutMs: 60_000, maxCostMicrocents: 500 };

const STARTED: Extract<RunEvent, { type: "run-started" }> = {
  type: "run-started",
  workflow: "review-loop",
  version: "1",
  digest: "d",
  file: null,
  inputs: {},
  start: ["coder"],
  limits: LIMITS,
  predecessor: null,
  inherited: null,
  instruction: null,
};

export function folded(...events: readonly RunEvent[]): RunState {
  const state = startRun(STARTED, 1);
  events.forEach((event, index) => foldRun(state, event, index + 2));
  return state;
}

export const FIRST = { execution: 1, attempt: 1 } as const;
export const CODER_DONE: readonly RunEvent[] = [
  { type: "node-started", node: "coder", ...FIRST, kind: "agent" },
  { type: "node-completed", node: "coder", ...FIRST, route: { kind: "to", nodes: ["reviewer"] }, output: null },
];

export function started(kind: NodeKind = "agent", attempt = 1): RunEvent {
  return { type: "node-started", node: "reviewer", execution: 1, attempt, kind };
}

/** The coder is done, and the reviewer has failed for good. */
export function failedWith(code: FaultCode, kind: NodeKind = "agent"): RunState {
  const seen = fault(code, { message: "it failed" });
  const failed = { node: "reviewer", ...FIRST, fault: seen, outcome: "internal_error" } as const;
  return folded(
    ...CODER_DONE,
    started(kind),
    { type: "node-failed", ...failed, resolution: "abort-workflow", route: null },
    { type: "run-ended", status: "failed", outcome: "internal_error", node: "reviewer", fault: seen },
  );
}

/** The reviewer waits for its second attempt. */
export function retryingAfter(code: FaultCode): RunState {
  const seen = fault(code);
  const story = {
    row: { layer: "stage", at: "reviewer" },
    considered: [],
    left: [],
    passedOver: [],
    preferred: null,
  } as const;
  const decision = { ...story, recourse: "retry", delayMs: 9, serverWait: false, attempt: 2, maxAttempts: 3 } as const;
  return folded(...CODER_DONE, started(), {
    ...{ type: "node-retrying", node: "reviewer", ...FIRST, of: 3, fault: seen, decision, delayMs: 9, nextAt: 99 },
  });
}

export function pausedFor(
  why: PauseReason,
  code: FaultCode | null,
  questions: readonly Question[] = [],
  wakeAt: number | null = null,
): RunState {
  const seen = code === null ? null : fault(code);
  return folded(
    ...CODER_DONE,
    started(why === "gate" ? "human_gate" : "agent"),
    { type: "node-paused", node: "reviewer", ...FIRST, why, fault: seen, questions, wakeAt },
    { type: "run-paused", why, wakeAt },
  );
}

export function question(id: string, payload: QuestionPayload): Question {
  return {
    id,
    call: "ask:gate",
    turn: "reviewer#1.1",
    session: "run_1",
    code: null,
    payload,
    askedAt: 1,
    expiresAt: 9,
  };
}

export const SELECT: QuestionPayload = {
  kind: "Select",
  prompt: "What now?",
  options: [
    { id: "confirm", label: "Confirm" },
    { id: "continue", label: "Go on talking" },
  ],
};

export function situation(state: RunState, more: Partial<ActionSituation> = {}): ActionSituation {
  return { run: "run_1", state, targets: [], sendBackTo: null, hasPartialOutput: false, lastSeq: 10, ...more };
}
