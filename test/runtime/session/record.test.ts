// A session's record of itself: the trace of decisions, and metrics per tool that equal those folded from its journal.

import { describe, expect, it } from "vitest";
import { countEntries, metricsOf, type TraceRecord } from "../../../src/core/index.ts";
import { type Faultline, type Session, step, tool, type ToolMetrics } from "../../../src/index.ts";
import { entriesOf, fails, type Life, life, never, thrown } from "./life.ts";

async function begun(): Promise<Life & { readonly session: Session }> {
  const made = life();
  return { ...made, session: await made.clock.runUntil(made.fl.session("s", { mode: "headless" })) };
}

/** Fails this many times, then works. */
function flaky(failures: number): ReturnType<typeof tool<object, string>> {
  let runs = 0;
  return tool<object, string>({
    id: "flight_search",
    idempotent: true,
    run: () => {
      if (++runs <= failures) throw thrown("NetworkTimeout", "Connection timeout");
      return "found";
    },
  });
}

type ToolError = Extract<TraceRecord, { event_type: "ToolError" }>;

function errorsOf(trace: readonly TraceRecord[]): readonly ToolError[] {
  return trace.filter((record): record is ToolError => record.event_type === "ToolError");
}

describe("the trace", () => {
  it("has every field of the specification's example for each decision about an error", async () => {
    const { session, clock } = await begun();
    await clock.runUntil(session.turn({ a: step(flaky(2), {}) }));
    const errors = errorsOf(await session.trace());
    expect(errors.map(({ retry_count, decision }) => [retry_count, decision])).toEqual([
      [0, "retry"],
      [1, "retry"],
    ]);
    const [, second] = errors;
    expect(second).toMatchObject({
      event_type: "ToolError",
      tool_id: "flight_search",
      error: "Connection timeout",
      classification: "transient",
      circuit_breaker_state: "closed",
      retry_count: 1,
      decision: "retry",
    });
    expect(second?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
    expect(second?.because.join(" ")).toContain("attempt 3 of 3");
  });

  it("shows the consequences: what was skipped, defaulted and abandoned, and how the turn ended", async () => {
    const { session, clock } = await begun();
    const bad = tool<object, string>({ id: "hotels", run: fails("NotFound", "no such city") });
    const good = tool<object, string>({ id: "good", run: () => "fine" });
    await clock.runUntil(
      session.turn({
        hotels: step(bad, {}),
        taxi: step(good, {}, { needs: ["hotels"], optional: true }),
        map: step(good, {}, { needs: ["hotels"], default: "none" }),
        bill: step(good, {}, { needs: ["hotels"] }),
      }),
    );
    const trace = await session.trace();
    expect(trace.map(({ event_type }) => event_type)).toEqual([
      "ToolError",
      "CascadeSkip",
      "CascadeDefault",
      "CascadeFail",
      "TurnEnded",
    ]);
    expect(trace[0]).toMatchObject({ classification: "permanent", decision: "surface", turn_id: "t1" });
    expect(trace[1]).toMatchObject({ node: "taxi", needs: "hotels", code: "NotFound" });
    expect(trace.at(-1)).toMatchObject({ status: "failed", turn_id: "t1" });
  });

  it("records timeouts of a tool and of the turn", async () => {
    const { session, clock } = await begun();
    const slow = tool<object, string>({ id: "slow", timeoutMs: 1_000, retry: "none", run: () => never<string>() });
    const slower = tool<object, string>({ id: "slower", timeoutMs: 1_000_000, run: () => never<string>() });
    await clock.runUntil(session.turn({ a: step(slow, {}), b: step(slower, {}) }, { timeoutMs: 5_000 }));
    const errors = errorsOf(await session.trace());
    expect(errors.map(({ tool_id, code }) => [tool_id, code])).toEqual([
      ["slow", "ExecutionTimeout"],
      ["slower", "TurnTimeout"],
    ]);
  });

  it("of one turn has only that turn's records", async () => {
    const { session, clock } = await begun();
    const bad = tool<object, string>({ id: "bad", run: fails("NotFound") });
    await clock.runUntil(session.turn({ a: step(bad, {}) }, { id: "first" }));
    await clock.runUntil(session.protect(bad, {}));
    await clock.runUntil(session.turn({ a: step(bad, {}) }, { id: "second" }));
    expect((await session.trace()).map(({ turn_id }) => turn_id)).toEqual(["first", "first", null, "second", "second"]);
    expect((await session.trace("second")).map(({ turn_id }) => turn_id)).toEqual(["second", "second"]);
  });
});

const folded = async ({ journal }: Life, session: string): Promise<Readonly<Record<string, ToolMetrics>>> =>
  Object.fromEntries(
    Array.from(countEntries(await entriesOf(journal, session)), ([id, counters]) => [id, metricsOf(counters)]),
  );

const used = (fl: Faultline): Readonly<Record<string, ToolMetrics>> =>
  Object.fromEntries(Object.entries(fl.metrics()).filter(([, { call_count }]) => call_count > 0));

describe("metrics per tool", () => {
  it("counted by the runtime equal those folded from the journal, for every kind of call", async () => {
    const made = await begun();
    const { session, clock, fl } = made;
    const spare = tool<object, string>({ id: "spare", run: () => "spare" });
    const broken = tool<object, string>({ id: "broken", alternatives: [spare], run: fails("NotFound") });
    const slow = tool<object, string>({
      id: "slow",
      timeoutMs: 1_000,
      retry: "none",
      cost: { estimate: () => 50 },
      run: () => new Promise((resolve) => void clock.after(2_000, () => resolve("late"))),
    });
    const hang = tool<object, string>({ id: "hang", cost: { estimate: () => null }, run: () => never<string>() });
    const denied = tool<object, string>({ id: "denied", run: fails("AccessDenied") });
    const tripping = tool<object, string>({
      id: "tripping",
      retry: "none",
      breaker: { failures: 2 },
      run: fails("ResourceBusy"),
    });
    await clock.runUntil(session.turn({ a: step(flaky(2), {}), b: step(broken, {}), c: step(slow, {}) }));
    for (let call = 0; call < 4; call++) await clock.runUntil(session.protect(tripping, {}));
    const waiting = await clock.runUntil(session.turn({ a: step(denied, {}) }));
    await fl.answer(waiting.questions[0]?.id ?? "", { status: "accepted", value: false });
    await clock.runUntil(session.turn({ a: step(denied, {}) }));
    const cancelled = session.turn({ a: step(hang, {}) }, { id: "cancelled" });
    await clock.advance(3_000);
    await clock.runUntil(session.cancel());
    await clock.runUntil(cancelled);
    const metrics = used(fl);
    expect(metrics).toEqual(await folded(made, "s"));
    expect(metrics).toMatchObject({
      flight_search: {
        call_count: 1,
        error_count: 2,
        transient_error_count: 2,
        retry_count: 2,
        retry_success_rate: 0.5,
      },
      broken: { call_count: 1, error_count: 1, permanent_error_count: 1, success_count: 0 },
      spare: { call_count: 1, success_count: 1 },
      slow: { timeout_count: 1, late_count: 1, cost_microcents: 50 },
      hang: { cancelled_count: 1, error_count: 0, unpriced_count: 1 },
      denied: { error_count: 1 },
      tripping: { call_count: 4, error_count: 4, circuit_breaker_opens: 1 },
    });
  });
});
