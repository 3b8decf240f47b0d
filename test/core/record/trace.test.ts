// The turn trace: the specification's own record, and everything around it.

import { describe, expect, it } from "vitest";
import {
  decide,
  DEFAULT_POLICY,
  fault,
  situation,
  type Decision,
  type Fault,
  type FaultCode,
  type Situation,
} from "../../../src/core/index.ts";
import type { Entry, JournalEvent } from "../../../src/core/record/event.ts";
import { traceOf } from "../../../src/core/record/trace.ts";

const AT = Date.UTC(2025, 10, 5, 10, 30, 45);
const TOOL = "flight_search";

function entriesOf(...events: readonly JournalEvent[]): readonly Entry[] {
  return events.map((event, index) => ({ session: "ses_1", seq: index + 1, at: AT + index * 1000, event }));
}

function decided(met: Fault, details: Partial<Omit<Situation, "fault">> = {}): Decision {
  return decide(situation(met, { idempotent: true, ...details }), DEFAULT_POLICY);
}

const started = (call = "call_1", turn = "turn_1", tool = TOOL): JournalEvent => ({
  type: "call-started",
  call,
  turn,
  tool,
  digest: "d",
  input: null,
  deadlineAt: null,
});
const admitted = (attempt: number, call = "call_1"): JournalEvent => ({
  type: "call-admitted",
  call,
  tool: TOOL,
  attempt,
});
const failed = (met: Fault, attempt: number, decision = decided(met, { attempt }), call = "call_1"): JournalEvent => ({
  type: "call-failed",
  call,
  tool: TOOL,
  attempt,
  fault: met,
  decision,
  breaker: "closed",
  durationMs: 30_000,
  cost: { microcents: 12, basis: "reported" },
});
const TIMEOUT = fault("ExecutionTimeout", { message: "Connection timeout" });

describe("a failed attempt", () => {
  it("is recorded as the specification shows it", () => {
    const met = TIMEOUT;
    const [record] = traceOf([{ session: "s", seq: 9, at: AT, event: failed(met, 3) }]);
    expect(record).toMatchObject({
      event_type: "ToolError",
      tool_id: "flight_search",
      error: "Connection timeout",
      classification: "transient",
      circuit_breaker_state: "closed",
      retry_count: 2,
      decision: "retry",
      timestamp: "2025-11-05T10:30:45Z",
    });
  });

  it("says where it was, what it was, why that was decided and what comes next", () => {
    const [record] = traceOf(entriesOf(started(), admitted(1), failed(TIMEOUT, 1)));
    expect(record).toEqual({
      event_type: "ToolError",
      timestamp: "2025-11-05T10:30:47Z",
      session_id: "ses_1",
      seq: 3,
      turn_id: "turn_1",
      call_id: "call_1",
      tool_id: TOOL,
      error: "Connection timeout",
      class: "ToolTransient",
      code: "ExecutionTimeout",
      classification: "transient",
      circuit_breaker_state: "closed",
      retry_count: 0,
      decision: "retry",
      attempt: 1,
      attempted: true,
      rule: "raised",
      policy_row: "matrix ToolTransient",
      because: ["Try again in 100 ms (attempt 2 of 5)."],
      delay_ms: 100,
      next_at: "2025-11-05T10:30:47.100Z",
      duration_ms: 30_000,
      cost: { microcents: 12, basis: "reported" },
    });
  });

  it("says why not, in the language asked for", () => {
    const denied = fault("InputInvalid", { message: "Invalid airport code: XYZ" });
    const entries = entriesOf(started(), failed(denied, 1));
    expect(traceOf(entries)[0]).toMatchObject({
      classification: "permanent",
      decision: "surface",
      delay_ms: null,
      next_at: null,
      because: [
        "Tell the model, and let it react.",
        "not retried: the policy has no retry for it",
        "not defaulted: not possible here",
        "not skipped: not possible here",
      ],
    });
    expect(traceOf(entries, { locale: "zh-CN" })[0]).toMatchObject({
      because: expect.arrayContaining(["告知模型，由其自行应对。"]) as unknown,
    });
  });

  it("that is parked says when it continues, even for a date outside the calendar", () => {
    const met = fault("QuotaExhausted", { resetAt: AT + 60_000 });
    const offers = new Set(["park"] as const);
    expect(traceOf(entriesOf(started(), failed(met, 1, decided(met, { offers }))))[0]).toMatchObject({
      decision: "park",
      next_at: "2025-11-05T10:31:45Z",
    });
    const never = fault("QuotaExhausted", { resetAt: 1e20 });
    expect(traceOf(entriesOf(started(), failed(never, 1, decided(never, { offers }))))[0]).toMatchObject({
      next_at: "+275760-09-13T00:00:00Z",
    });
  });

  it("that was a cancellation is not an error", () => {
    expect(traceOf(entriesOf(started(), failed(fault("ToolCancelled"), 1)))).toMatchObject([
      { event_type: "ToolCancelled", code: "ToolCancelled" },
    ]);
  });

  it("of a newer program's code is kept as it is, and counts as permanent", () => {
    const newer = { ...fault("NotFound"), code: "Haunted" as FaultCode };
    const decision = decided(fault("NotFound"));
    expect(traceOf(entriesOf(started(), failed(newer, 1, decision)))).toMatchObject([
      { code: "Haunted", classification: "permanent" },
    ]);
  });
});

describe("a decision without an attempt", () => {
  const decidedEvent = (met: Fault, tool = TOOL): JournalEvent => ({
    type: "call-decided",
    call: "call_1",
    tool,
    fault: met,
    decision: decided(met),
    breaker: "open",
  });

  it("has the attempts made before, and the breaker's state", () => {
    const opened: JournalEvent = { type: "breaker-changed", target: TOOL, tool: TOOL, from: "closed", to: "open" };
    const records = traceOf(
      entriesOf(started(), admitted(2), failed(TIMEOUT, 2), opened, decidedEvent(fault("CircuitOpen"))),
    );
    expect(records.at(-1)).toMatchObject({
      event_type: "ToolError",
      attempt: 2,
      retry_count: 1,
      attempted: false,
      duration_ms: null,
      cost: null,
      circuit_breaker_state: "open",
    });
  });

  it("of another tool that takes over begins at no attempt", () => {
    const records = traceOf(entriesOf(started(), admitted(3), decidedEvent(fault("InputInvalid"), "flight_search_b")));
    expect(records).toMatchObject([{ tool_id: "flight_search_b", attempt: 0 }]);
  });
});

describe("what happens around it", () => {
  const price = { microcents: 1, basis: "reported" } as const;
  const question = {
    id: "q1",
    call: "call_1",
    turn: "turn_1",
    session: "ses_1",
    code: null,
    payload: { kind: "Auth.Password", prompt: "Password?" },
    askedAt: AT,
    expiresAt: AT + 120_000,
  } as const;

  it.each<[string, JournalEvent, object]>([
    [
      "ToolSucceeded",
      {
        type: "call-succeeded",
        call: "call_1",
        tool: TOOL,
        attempt: 3,
        durationMs: 7,
        cost: price,
        errors: [{ item: 1, fault: TIMEOUT }],
        output: 1,
      },
      { tool_id: TOOL, turn_id: "turn_1", attempt: 3, retry_count: 2, duration_ms: 7, cost: price, item_errors: 1 },
    ],
    [
      "ToolCancelled",
      {
        type: "call-cancelled",
        call: "call_1",
        tool: TOOL,
        fault: fault("TurnCancelled", { message: "by the user" }),
        cost: null,
      },
      { tool_id: TOOL, turn_id: "turn_1", error: "by the user" },
    ],
    [
      "LateResult",
      {
        type: "call-late",
        call: "call_1",
        tool: TOOL,
        attempt: 1,
        ok: false,
        fault: TIMEOUT,
        durationMs: 9,
        cost: null,
        booked: null,
      },
      { ok: false, error: "Connection timeout", attempt: 1, duration_ms: 9 },
    ],
    [
      "CascadeSkip",
      settled("skipped", "hotel"),
      { node: "car", needs: "hotel", turn_id: "turn_1", code: "ExecutionTimeout" },
    ],
    ["CascadeDefault", settled("defaulted", "hotel"), { needs: "hotel" }],
    ["CascadeFail", settled("failed", "hotel"), { needs: "hotel" }],
    ["NodeSkipped", settled("skipped", ""), { needs: null }],
    ["NodeDefaulted", settled("defaulted", ""), { needs: null }],
    ["NodeFailed", settled("failed", ""), { needs: null }],
    [
      "QuestionAsked",
      { type: "question-asked", call: "call_1", question },
      {
        question_id: "q1",
        kind: "Auth.Password",
        prompt: "Password?",
        expires_at: "2025-11-05T10:32:45Z",
        tool_id: TOOL,
      },
    ],
    [
      "QuestionAnswered",
      {
        type: "question-answered",
        call: "call_1",
        id: "q1",
        answer: { status: "accepted", value: "hunter2" },
        by: "cli",
      },
      { question_id: "q1", answer: "accepted", by: "cli" },
    ],
    [
      "BreakerChanged",
      { type: "breaker-changed", target: TOOL, tool: TOOL, from: "half-open", to: "closed" },
      { tool_id: TOOL, call_id: null, turn_id: null, from: "half-open", to: "closed" },
    ],
    [
      "TargetPaused",
      { type: "target-paused", target: "eu", until: AT + 1000, call: "call_1" },
      { target: "eu", until: "2025-11-05T10:30:46Z" },
    ],
    ["BudgetWarned", { type: "budget-warned", spentMicrocents: 8, maxCostMicrocents: 10 }, { spent_microcents: 8 }],
    [
      "BudgetExceeded",
      {
        type: "budget-exceeded",
        call: "call_1",
        spentMicrocents: 8,
        reservedMicrocents: 1,
        estimateMicrocents: 2,
        maxCostMicrocents: 10,
      },
      { turn_id: "turn_1", reserved_microcents: 1, estimate_microcents: 2, max_cost_microcents: 10 },
    ],
    [
      "FaultSuppressed",
      { type: "fault-suppressed", reason: "only a hint", fault: TIMEOUT },
      { reason: "only a hint", code: "ExecutionTimeout" },
    ],
    [
      "TurnEnded",
      { type: "turn-ended", turn: "turn_1", status: "partial", fault: null },
      { turn_id: "turn_1", status: "partial", error: null },
    ],
  ])("is recorded as %s", (event_type, event, fields) => {
    const records = traceOf(entriesOf(started(), event));
    expect(records).toMatchObject([
      { event_type, session_id: "ses_1", seq: 2, timestamp: "2025-11-05T10:30:46Z", ...fields },
    ]);
    expect(JSON.stringify(records)).not.toContain("hunter2");
  });

  function settled(status: "defaulted" | "skipped" | "failed", because: string): JournalEvent {
    return { type: "node-settled", turn: "turn_1", round: 1, node: "car", status, fault: TIMEOUT, because };
  }

  it("skips events that are not decisions, and types of a newer version", () => {
    const events = [
      { type: "turn-started", turn: "turn_1", deadlineAt: null },
      { type: "__defineGetter__" },
      { type: "future-thing" },
    ] as unknown as readonly JournalEvent[];
    expect(traceOf(entriesOf(started(), admitted(1), ...events))).toEqual([]);
  });
});

describe("the trace of one turn", () => {
  const changed: JournalEvent = { type: "breaker-changed", target: TOOL, tool: TOOL, from: "closed", to: "open" };
  const entries = entriesOf(
    changed,
    { type: "turn-started", turn: "turn_1", deadlineAt: null },
    started(),
    failed(TIMEOUT, 1),
    started("call_2", "turn_2"),
    failed(TIMEOUT, 1, decided(TIMEOUT), "call_2"),
    started("call_3", ""),
    failed(TIMEOUT, 1, decided(TIMEOUT), "call_3"),
    changed,
    { type: "turn-ended", turn: "turn_1", status: "failed", fault: TIMEOUT },
    changed,
  );

  it("has its own calls, and what happened to shared things while it was open", () => {
    expect(traceOf(entries, { turn: "turn_1" }).map(({ event_type, seq }) => [event_type, seq])).toEqual([
      ["ToolError", 4],
      ["BreakerChanged", 9],
      ["TurnEnded", 10],
    ]);
    expect(traceOf(entries)).toHaveLength(7);
  });

  it("keeps calls of two sessions apart that have the same id", () => {
    const other = { session: "ses_2", seq: 1, at: AT, event: started("call_1", "turn_9") };
    const records = traceOf([
      ...entriesOf(started()),
      other,
      { session: "ses_1", seq: 2, at: AT, event: failed(TIMEOUT, 1) },
    ]);
    expect(records).toMatchObject([{ session_id: "ses_1", turn_id: "turn_1" }]);
  });
});
