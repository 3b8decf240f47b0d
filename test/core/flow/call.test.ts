// One call as a machine: what each event makes of its state.

import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/core/decide/decision.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { advanceCall, type CallEvent, type CallState, startCall, turnOfCall } from "../../../src/core/flow/call.ts";
import type { Answer, Question } from "../../../src/core/flow/interaction.ts";
import { RECOURSES } from "../../../src/core/policy/policy.ts";

const START = {
  type: "call-started",
  call: "t1/1",
  turn: "t1",
  tool: "west",
  digest: "d",
  input: null,
  deadlineAt: 9,
} as const;
const FRESH = startCall(START);
const BUSY = fault("Overloaded", { message: "busy" });
const STORY = { row: { layer: "matrix", at: "x" }, considered: [], left: [], passedOver: [], preferred: null } as const;
const NOW = 100;

const decisionOf = (decision: object): Decision => ({ ...STORY, ...decision }) as unknown as Decision;

function failed(decision: object, tool = "west", attempt = 1): CallEvent {
  const ended = { durationMs: 5, cost: null, breaker: "closed" } as const;
  return { type: "call-failed", call: "t1/1", tool, attempt, fault: BUSY, decision: decisionOf(decision), ...ended };
}

function after(...events: readonly CallEvent[]): CallState {
  return events.reduce((state, event) => advanceCall(state, event, NOW), FRESH);
}

/** The parts of the state that changed. */
function changes(before: CallState, state: CallState): Partial<CallState> {
  const names = Object.keys(state) as (keyof CallState)[];
  return Object.fromEntries(names.filter((name) => before[name] !== state[name]).map((name) => [name, state[name]]));
}

const ADMITTED: CallEvent = { type: "call-admitted", call: "t1/1", tool: "west", attempt: 1 };
const HEDGED: CallEvent = { ...ADMITTED, tool: "east", hedge: { beside: "west", silentMs: 9 } };
const RUNNING = after(ADMITTED);

describe("a call", () => {
  it("starts before its first attempt, with nothing used up", () => {
    expect(FRESH).toEqual({
      ...{ call: "t1/1", turn: "t1", digest: "d", deadlineAt: 9, tool: "west", tried: ["west"] },
      ...{ attempt: 0, attempts: 0, refusals: 0, waitedMs: 0, taken: [], denied: [], questions: 0 },
      ...{ inputReplaced: false, approved: false, repairDue: false, fault: null, decision: null },
      step: { at: "admit", notBefore: 0 },
    });
    expect(turnOfCall("t1/1/x")).toBe("t1");
  });

  it("is in its attempt once it is admitted, and counts a second one beside it", () => {
    expect(changes(FRESH, RUNNING)).toEqual({ attempt: 1, attempts: 1, step: { at: "run", since: NOW } });
    expect(changes(RUNNING, advanceCall(RUNNING, HEDGED, 200))).toEqual({ attempts: 2 });
  });

  it("clears refusals, approval and repair when it is admitted", () => {
    const waiting: CallState = { ...FRESH, refusals: 3, approved: true, repairDue: true };
    expect(advanceCall(waiting, ADMITTED, NOW)).toMatchObject({ refusals: 0, approved: false, repairDue: false });
  });

  it.each<[string, object, Partial<CallState>]>([
    ["retry", { recourse: "retry", delayMs: 40 }, { waitedMs: 40, step: { at: "admit", notBefore: NOW + 40 } }],
    [
      "fallback",
      { recourse: "fallback", target: "east" },
      { tool: "east", tried: ["west", "east"], attempt: 0, taken: ["fallback"], step: { at: "admit", notBefore: NOW } },
    ],
    [
      "alternative",
      { recourse: "alternative", tool: "search" },
      {
        tool: "search",
        tried: ["west", "search"],
        attempt: 0,
        taken: ["alternative"],
        step: { at: "admit", notBefore: NOW },
      },
    ],
    [
      "compact",
      { recourse: "compact" },
      { taken: ["compact"], repairDue: true, step: { at: "admit", notBefore: NOW } },
    ],
    [
      "regenerate",
      { recourse: "regenerate" },
      { taken: ["regenerate"], repairDue: true, step: { at: "admit", notBefore: NOW } },
    ],
    [
      "refresh-credential",
      { recourse: "refresh-credential" },
      { taken: ["refresh-credential"], repairDue: true, step: { at: "admit", notBefore: NOW } },
    ],
    ["park", { recourse: "park", wakeAt: 700 }, { taken: ["park"], step: { at: "park", wakeAt: 700 } }],
    [
      "park, to wake with another target",
      { recourse: "park", wakeAt: 700, target: "east" },
      { taken: ["park"], step: { at: "park", wakeAt: 700 }, tool: "east", tried: ["west", "east"], attempt: 0 },
    ],
    ["ask", { recourse: "ask" }, { taken: ["ask"], step: { at: "ask", question: null } }],
    ["default", { recourse: "default" }, { step: { at: "end", end: { status: "defaulted", fault: BUSY } } }],
    [
      "partial",
      { recourse: "partial" },
      { step: { at: "end", end: { status: "partial", fault: BUSY, from: "west" } } },
    ],
    ["skip", { recourse: "skip" }, { step: { at: "end", end: { status: "skipped", fault: BUSY } } }],
    ["surface", { recourse: "surface" }, { step: { at: "end", end: { status: "surfaced", fault: BUSY } } }],
    ["fail", { recourse: "fail" }, { step: { at: "end", end: { status: "failed", fault: BUSY } } }],
  ])("that failed does what was decided: %s", (_what, decision, expected) => {
    const next = advanceCall(RUNNING, failed(decision), NOW);
    expect(changes(RUNNING, next)).toEqual({ fault: BUSY, decision: decisionOf(decision), ...expected });
  });

  it("adds up its waits", () => {
    expect(
      after(ADMITTED, failed({ recourse: "retry", delayMs: 40 }), failed({ recourse: "retry", delayMs: 2 })),
    ).toMatchObject({
      waitedMs: 42,
    });
  });

  it("takes the failure of a second attempt that was in charge for its own", () => {
    const retry = { recourse: "retry", delayMs: 1 };
    expect(after(ADMITTED, HEDGED, failed(retry, "east", 2))).toMatchObject({
      tool: "east",
      tried: ["west", "east"],
      attempt: 2,
    });
    expect(after(ADMITTED, failed(retry, "west", 2))).toMatchObject({ tool: "west", tried: ["west"], attempt: 1 });
  });

  it("counts refusals by guards, and takes another call's attempt for its own retry", () => {
    const decided = { type: "call-decided", call: "t1/1", tool: "west", fault: BUSY, breaker: "open" } as const;
    const decision = decisionOf({ recourse: "retry", delayMs: 1 });
    const refused = after({ ...decided, decision }, { ...decided, decision });
    expect(refused).toMatchObject({ refusals: 2, attempt: 0, waitedMs: 2 });
    expect(advanceCall(refused, { ...decided, decision, attempt: 3 }, NOW)).toMatchObject({ refusals: 0, attempt: 3 });
  });

  it("is no longer due for repair once its request was changed, and remembers if the changed one is kept", () => {
    const adapted = { type: "call-adapted", call: "t1/1", tool: "west", changes: [] } as const;
    const due: CallState = { ...RUNNING, repairDue: true };
    expect(changes(due, advanceCall(due, { ...adapted, kept: false }, NOW))).toEqual({ repairDue: false });
    const kept = advanceCall(due, { ...adapted, kept: true }, NOW);
    expect(changes(due, kept)).toEqual({ repairDue: false, inputReplaced: true });
    expect(advanceCall(kept, { ...adapted, kept: false }, NOW).inputReplaced).toBe(true);
  });

  it("stays as it ended, whatever comes later", () => {
    const succeeded: CallEvent = {
      ...{ type: "call-succeeded", call: "t1/1", tool: "east", attempt: 1, durationMs: 5, cost: null, errors: [] },
      output: null,
    };
    const done = after(ADMITTED, succeeded);
    expect(changes(RUNNING, done)).toEqual({ step: { at: "end", end: { status: "done", from: "east", errors: [] } } });
    const cancelled: CallEvent = { type: "call-cancelled", call: "t1/1", tool: "west", fault: BUSY, cost: null };
    expect(changes(RUNNING, after(ADMITTED, cancelled))).toEqual({
      step: { at: "end", end: { status: "cancelled", fault: BUSY } },
    });
    for (const event of [START, ADMITTED, failed({ recourse: "fail" }), cancelled]) {
      expect(advanceCall(done, event, NOW)).toBe(done);
    }
  });
});

describe("an answer", () => {
  const asked = (
    kind: Question["payload"]["kind"] | null,
    state = after(ADMITTED, failed({ recourse: "ask" })),
  ): CallState => {
    const question = { id: "q", payload: { kind } } as unknown as Question;
    return kind === null ? state : advanceCall(state, { type: "question-asked", call: "t1/1", question }, NOW);
  };
  const answered = (state: CallState, answer: Answer): CallState =>
    advanceCall(state, { type: "question-answered", call: "t1/1", id: "q", answer, by: "ada" }, NOW);
  const GO = { approved: true, step: { at: "admit", notBefore: NOW } } as const;
  const NO = { denied: ["retry", "ask"], step: { at: "decide" } } as const;
  const yes = (value: unknown): Answer => ({ status: "accepted", value });

  it("is expected once a question is written", () => {
    const state = after(ADMITTED, failed({ recourse: "ask" }));
    expect(changes(state, asked("Approve", state))).toEqual({
      questions: 1,
      step: { at: "ask", question: { id: "q", payload: { kind: "Approve" } } },
    });
  });

  it.each<[Question["payload"]["kind"], string, Answer, Partial<CallState>]>([
    ["Approve", "yes", yes(true), GO],
    ["Approve", "no", yes(false), NO],
    ["Approve", "nothing in time", { status: "timeout" }, NO],
    ["Ask", "an input", yes("blue"), { ...GO, inputReplaced: true }],
    ["Ask", "an input that is false", yes(false), { ...GO, inputReplaced: true }],
    ["Ask", "an input that looks like a choice", yes("use:east"), { ...GO, inputReplaced: true }],
    ["Select", "retry", yes("retry"), GO],
    ["Select", "skip", yes("skip"), { step: { at: "end", end: { status: "skipped", fault: BUSY } } }],
    [
      "Select",
      "fail",
      yes("fail"),
      { denied: ["retry", ...RECOURSES.filter((recourse) => recourse !== "fail")], step: { at: "decide" } },
    ],
    ["Select", "nothing in time, at fail", { status: "timeout", value: "fail" } as unknown as Answer, NO],
    ["Select", "another target", yes("use:east"), { ...GO, tool: "east", tried: ["west", "east"], attempt: 0 }],
    ["Select", "something that is not a text", yes(7), GO],
    ["Approve", "the word fail", yes("fail"), GO],
    ["Approve", "the word skip", yes("skip"), GO],
  ])("to %s: %s", (kind, _what, answer, expected) => {
    const before = asked(kind);
    expect(changes(before, answered(before, answer))).toEqual(expected);
  });

  it("changes nothing while no question is written, or no fault is known", () => {
    const unwritten = asked(null);
    expect(answered(unwritten, yes(true))).toBe(unwritten);
    expect(answered(RUNNING, yes(true))).toBe(RUNNING);
    const early = asked("Approve", FRESH);
    expect(answered(early, yes(true))).toBe(early);
  });
});
