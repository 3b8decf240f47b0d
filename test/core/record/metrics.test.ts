// Counting per tool: by event, and over a whole journal.

import { describe, expect, it } from "vitest";
import {
  decide,
  DEFAULT_POLICY,
  fault,
  FAULT_CODES,
  situation,
  traitsOf,
  VOCABULARY,
  type Decision,
  type Fault,
  type FaultCode,
} from "../../../src/core/index.ts";
import type { CallEvent } from "../../../src/core/flow/call.ts";
import type { Cost } from "../../../src/core/flow/money.ts";
import type { JournalEvent } from "../../../src/core/record/event.ts";
import {
  countEntries,
  countEvent,
  createCounters,
  metricsOf,
  type ToolCounters,
  type ToolMetrics,
} from "../../../src/core/record/metrics.ts";

const TOOL = "flight_search";
const FAIL: Decision = decide(situation(fault("ShapeInvalid")), DEFAULT_POLICY);

const started = (call: string, tool = TOOL): CallEvent => ({
  type: "call-started",
  call,
  turn: "t",
  tool,
  digest: "",
  input: null,
  deadlineAt: null,
});
const admitted = (call: string, attempt: number): CallEvent => ({ type: "call-admitted", call, tool: TOOL, attempt });
const failed = (call: string, attempt: number, met: Fault, decision = FAIL, cost: Cost | null = null): CallEvent => ({
  type: "call-failed",
  call,
  tool: TOOL,
  attempt,
  fault: met,
  decision,
  breaker: "closed",
  durationMs: 5,
  cost,
});
const succeeded = (call: string, attempt: number, cost: Cost | null = null): CallEvent => ({
  type: "call-succeeded",
  call,
  tool: TOOL,
  attempt,
  durationMs: 5,
  cost,
  errors: [],
  output: null,
});
const cancelled = (call: string, tool = TOOL): CallEvent => ({
  type: "call-cancelled",
  call,
  tool,
  fault: fault("ToolCancelled"),
  cost: null,
});

function counted(events: readonly JournalEvent[], tool = TOOL): ToolMetrics {
  return metricsOf(countEntries(events.map((event) => ({ event }))).get(tool) ?? createCounters());
}

describe("metrics of a tool", () => {
  it("have the names of the specification, and start at nothing", () => {
    expect(metricsOf(createCounters())).toEqual({
      call_count: 0,
      success_count: 0,
      error_count: 0,
      transient_error_count: 0,
      permanent_error_count: 0,
      timeout_count: 0,
      cancelled_count: 0,
      late_count: 0,
      retry_count: 0,
      retry_success_rate: null,
      circuit_breaker_opens: 0,
      cost_microcents: 0,
      unpriced_count: 0,
    });
  });

  it("count calls, their errors and their retries", () => {
    const events = [
      started("a"),
      admitted("a", 1),
      failed("a", 1, fault("ExecutionTimeout")),
      admitted("a", 2),
      failed("a", 2, fault("ResourceBusy")),
      admitted("a", 3),
      succeeded("a", 3),
      started("b"),
      admitted("b", 1),
      failed("b", 1, fault("InputInvalid")),
      started("c"),
      admitted("c", 1),
      failed("c", 1, fault("ToolUnavailable")),
      admitted("c", 2),
      succeeded("c", 2),
      started("d"),
      admitted("d", 1),
      failed("d", 1, fault("ToolUnavailable")),
      admitted("d", 2),
      failed("d", 2, fault("ToolUnavailable")),
    ];
    expect(counted(events)).toMatchObject({
      call_count: 4,
      success_count: 2,
      error_count: 6,
      transient_error_count: 5,
      permanent_error_count: 1,
      timeout_count: 1,
      retry_count: 4,
      retry_success_rate: 0.5,
    });
  });

  it("count no guard's refusal and no time limit as a permanent error", () => {
    const codes = FAULT_CODES.filter((code) => traitsOf(code).class === "Guard" || traitsOf(code).cause === "timeout");
    expect(codes).toEqual(expect.arrayContaining(["CircuitOpen", "QueueFull", "TurnTimeout", "RunTimeout"]));
    const counts = codes.map((code) => counted([started("a"), failed("a", 1, fault(code))]).permanent_error_count);
    expect(counts).toEqual(codes.map(() => 0));
  });

  it.each(FAULT_CODES)("put %s where the specification's vocabulary puts it", (code) => {
    const { si } = VOCABULARY[code];
    const { cancels, cause } = traitsOf(code);
    expect(counted([started("a"), failed("a", 1, fault(code))])).toMatchObject({
      error_count: cancels ? 0 : 1,
      transient_error_count: si === "transient" ? 1 : 0,
      permanent_error_count: si === "permanent" ? 1 : 0,
      cancelled_count: cancels ? 1 : 0,
      timeout_count: cause === "timeout" ? 1 : 0,
    });
  });

  it("count a cancelled call under the tool that was in charge, and not as an error", () => {
    const toOther: Decision = { ...FAIL, recourse: "alternative", tool: "flight_search_b" };
    const events = [
      started("a"),
      failed("a", 1, fault("NotFound"), toOther),
      cancelled("a", "flight_search_b"),
      started("b"),
      cancelled("b"),
    ];
    expect(counted(events)).toMatchObject({ call_count: 2, error_count: 1, cancelled_count: 1 });
    expect(counted(events, "flight_search_b")).toMatchObject({ call_count: 1, error_count: 0, cancelled_count: 1 });
  });

  it("count what was refused before an attempt, but not a second time after a person's no", () => {
    const refused = fault("CircuitOpen");
    const first = decide(situation(refused), DEFAULT_POLICY);
    const again = decide(situation(refused, { denied: ["retry", "ask"] }), DEFAULT_POLICY);
    const decided = (decision: Decision): CallEvent => ({
      type: "call-decided",
      call: "a",
      tool: TOOL,
      fault: refused,
      decision,
      breaker: "open",
    });
    expect(counted([started("a"), decided(first), decided(again)])).toMatchObject({ call_count: 1, error_count: 1 });
  });

  it("add up every attempt's cost, late ones too, and mark those without a price", () => {
    const price = (microcents: number): Cost => ({ microcents, basis: "reported" });
    const late: CallEvent = {
      type: "call-late",
      call: "a",
      tool: TOOL,
      attempt: 1,
      ok: false,
      fault: fault("ExecutionFailed"),
      durationMs: 9,
      cost: price(107),
      booked: price(100),
    };
    const events = [
      started("a"),
      failed("a", 1, fault("ExecutionTimeout"), FAIL, price(100)),
      succeeded("a", 2, price(20)),
      succeeded("b", 1, { microcents: null, basis: "unpriced" }),
      late,
    ];
    expect(counted(events)).toMatchObject({ cost_microcents: 127, unpriced_count: 1, late_count: 1, error_count: 1 });
  });

  it("count a circuit that opens, by the tool whose call opened it", () => {
    const changed = (tool: string, from: "closed" | "half-open" | "open", to: "open" | "half-open"): JournalEvent => ({
      type: "breaker-changed",
      target: "eu-west",
      tool,
      from,
      to,
    });
    const events = [
      changed(TOOL, "closed", "open"),
      changed(TOOL, "open", "half-open"),
      changed(TOOL, "half-open", "open"),
      changed(TOOL, "open", "open"),
      changed("us-east", "closed", "open"),
    ];
    expect(counted(events).circuit_breaker_opens).toBe(2);
    expect(counted(events, "us-east").circuit_breaker_opens).toBe(1);
  });

  it("pass over what a newer program wrote", () => {
    const unknownType = { type: "__defineGetter__" } as unknown as JournalEvent;
    const unknownCode = failed("a", 1, { ...fault("NotFound"), code: "Haunted" as FaultCode });
    expect(counted([unknownType, unknownCode])).toMatchObject({ error_count: 1, permanent_error_count: 1 });
  });

  it("are the same counted event by event, as the live path does", () => {
    const map = new Map<string, ToolCounters>();
    const events = [started("a"), failed("a", 1, fault("ResourceBusy")), cancelled("a")];
    for (const event of events) countEvent(map, event);
    expect(metricsOf(map.get(TOOL) ?? createCounters())).toEqual(counted(events));
  });
});
