// Calls through the public API: what a program sees, and what is recorded.

import { describe, expect, it } from "vitest";
import {
  type AnyTool,
  createFaultline,
  fault,
  FaultError,
  type FaultlineOptions,
  type JournalEvent,
  partial,
  tool,
} from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

function world(options: FaultlineOptions = {}): {
  fl: ReturnType<typeof createFaultline>;
  clock: FakeClock;
  events: () => readonly JournalEvent[];
} {
  const clock = createFakeClock(1_000_000);
  const fl = createFaultline({ clock, chance: createSeededChance(1), ...options });
  return { fl, clock, events: () => fl.recent().map(({ event }) => event) };
}

/** Fails as scripted, one entry per attempt, then answers. */
function scripted(
  id: string,
  failures: readonly Error[],
  more: Partial<Parameters<typeof tool<string, string>>[0]> = {},
): { tool: AnyTool & ReturnType<typeof tool<string, string>>; runs: number[] } {
  const runs: number[] = [];
  const made = tool<string, string>({
    id,
    idempotent: true,
    run: (input, { attempt }) => {
      runs.push(attempt);
      const failure = failures[runs.length - 1];
      if (failure !== undefined) throw failure;
      return `${id}:${input}`;
    },
    ...more,
  });
  return { tool: made, runs };
}

const busy = (): FaultError => new FaultError(fault("ResourceBusy", { message: "locked" }));
const terminal = (): FaultError => new FaultError(fault("NotFound", { message: "no such flight" }));

describe("a successful call", () => {
  it("returns its value and records nothing outside a session", async () => {
    const { fl, events } = world();
    const { tool: echo } = scripted("echo", []);
    expect(await fl.protect(echo, "hi")).toMatchObject({
      status: "done",
      value: "echo:hi",
      from: "echo",
      attempts: 1,
      errors: [],
    });
    expect(events()).toEqual([]);
    expect(fl.metrics()["echo"]).toMatchObject({ call_count: 1, success_count: 1, error_count: 0 });
  });

  it.each<[string, unknown, unknown]>([
    ["null", null, null],
    ["undefined", undefined, undefined],
    ["a text", "", ""],
    ["an object", { a: 1 }, { a: 1 }],
    ["an object whose then is no function", { then: 1 }, { then: 1 }],
    ["a promise", Promise.resolve(7), 7],
    ["a promise of another library", { then: (done: (value: number) => void) => done(8) }, 8],
  ])("returns what the tool gave: %s", async (_what, given, value) => {
    const { fl } = world();
    const gives = tool<object, unknown>({ id: "gives", run: () => given });
    expect(await fl.protect(gives, {})).toMatchObject({ status: "done", value, attempts: 1 });
  });

  it("may be partial, with the failures beside the value", async () => {
    const { fl } = world();
    const pages = tool<string, string[]>({
      id: "pages",
      run: () => partial(["a"], [{ item: "b", fault: fault("ExecutionTimeout") }]),
    });
    expect(await fl.protect(pages, "")).toMatchObject({
      status: "done",
      value: ["a"],
      errors: [{ item: "b", fault: { code: "ExecutionTimeout" } }],
    });
  });
});

describe("a call that fails for a while", () => {
  it("is retried after the waits in the specification, and the events show the waits", async () => {
    const { fl, clock, events } = world();
    const { tool: flaky, runs } = scripted("flaky", [busy(), busy(), busy(), busy()]);
    const began = clock.now();
    const outcome = await clock.runUntil(fl.protect(flaky, "x"));
    expect(outcome).toMatchObject({ status: "done", attempts: 5 });
    expect(runs).toEqual([1, 2, 3, 4, 5]);
    const delays = events().flatMap((event) =>
      event.type === "call-failed" && event.decision.recourse === "retry" ? [event.decision.delayMs] : [],
    );
    expect(delays).toHaveLength(4);
    for (const [index, base] of [100, 200, 400, 800].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(base * 0.9);
      expect(delays[index]).toBeLessThanOrEqual(base * 1.1);
    }
    expect(clock.now() - began).toBe(delays.reduce((sum, delay) => sum + delay, 0));
    expect(fl.metrics()["flaky"]).toMatchObject({
      error_count: 4,
      transient_error_count: 4,
      retry_count: 4,
      retry_success_rate: 0.25,
    });
  });

  it("fails after the number of attempts that its own retry allows", async () => {
    const { fl, clock } = world();
    const { tool: flaky, runs } = scripted("flaky", [busy(), busy(), busy()], { retry: { maxAttempts: 2 } });
    expect(await clock.runUntil(fl.protect(flaky, "x"))).toMatchObject({
      status: "surfaced",
      fault: { code: "ResourceBusy", context: { tool: "flaky", attempt: 2 } },
    });
    expect(runs).toEqual([1, 2]);
  });

  it("is not retried if the work may have happened and is not idempotent", async () => {
    const { fl, clock } = world();
    const hang = tool<string, string>({ id: "book", timeoutMs: 50, run: () => new Promise(() => undefined) });
    const outcome = await clock.runUntil(fl.protect(hang, "x"));
    expect(outcome).toMatchObject({ status: "surfaced", attempts: 1, fault: { code: "ExecutionTimeout" } });
    expect(outcome.status === "surfaced" && outcome.decision?.considered[0]).toEqual({
      recourse: "retry",
      refused: "may-have-happened",
    });
  });
});

describe("recourses for a fault", () => {
  it("use other tools, each once, then the default", async () => {
    const { fl, events } = world();
    const second = scripted("second", [terminal()]);
    const third = scripted("third", [terminal()]);
    const { tool: first } = scripted("first", [terminal()], {
      alternatives: [second.tool, third.tool],
      default: "none",
    });
    expect(await fl.protect(first, "x")).toMatchObject({ status: "defaulted", value: "none", attempts: 3 });
    const recourses = events().flatMap((event) => (event.type === "call-failed" ? [event.decision.recourse] : []));
    expect(recourses).toEqual(["alternative", "alternative", "default"]);
  });

  it("return the value of the alternative that works", async () => {
    const { fl } = world();
    const second = scripted("second", []);
    const { tool: first } = scripted("first", [terminal()], { alternatives: [second.tool] });
    expect(await fl.protect(first, "x")).toMatchObject({ status: "done", value: "second:x", from: "second" });
  });

  it("continue without an optional call, and with the part that had arrived", async () => {
    const { fl } = world();
    const { tool: gone } = scripted("gone", [terminal()]);
    expect(await fl.protect(gone, "x", { optional: true })).toMatchObject({
      status: "skipped",
      fault: { code: "NotFound" },
    });
    const half = tool<string, number[]>({
      id: "half",
      run: (_input, context) => {
        context.partial([1, 2]);
        throw terminal();
      },
    });
    expect(await fl.protect(half, "x")).toMatchObject({
      status: "partial",
      value: [1, 2],
      fault: { code: "NotFound" },
    });
  });

  it("name an alternative that is not registered", async () => {
    const { fl } = world();
    const { tool: first } = scripted("first", [], { alternatives: ["nobody"] });
    expect(await fl.protect(first, "x")).toMatchObject({
      status: "failed",
      fault: { code: "ConfigSchemaViolation", context: { expected: "nobody" } },
    });
  });
});

describe("time", () => {
  it("aborts and abandons a tool that takes too long, and records its late answer", async () => {
    const { fl, clock, events } = world();
    let aborted: unknown = null;
    let answer: (value: string) => void = () => undefined;
    const slow = tool<string, string>({
      id: "slow",
      timeoutMs: 1_000,
      run: (_input, { signal }) =>
        new Promise((resolve) => {
          answer = resolve;
          signal.addEventListener("abort", () => (aborted = signal.reason as unknown));
        }),
    });
    const outcome = await clock.runUntil(fl.protect(slow, "x"));
    expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "ExecutionTimeout" } });
    expect(aborted).toMatchObject({ name: "TimeoutError" });
    answer("too late");
    await clock.advance(0);
    expect(events().at(-1)).toMatchObject({ type: "call-late", ok: true, attempt: 1 });
    expect(fl.metrics()["slow"]).toMatchObject({ timeout_count: 1, late_count: 1 });
  });

  it("ends a wait at once when the caller leaves, starts nothing after that, and counts no failure", async () => {
    const { fl, clock, events } = world();
    const { tool: flaky, runs } = scripted("flaky", [busy(), busy()]);
    const controller = new AbortController();
    const running = fl.protect(flaky, "x", { signal: controller.signal });
    await clock.advance(0);
    const before = clock.now();
    controller.abort();
    expect(await running).toMatchObject({ status: "cancelled", fault: { code: "ToolCancelled" } });
    expect(clock.now()).toBe(before);
    await clock.runAll();
    expect(runs).toEqual([1]);
    expect(events().at(-1)).toMatchObject({ type: "call-cancelled" });
    expect(fl.metrics()["flaky"]).toMatchObject({ error_count: 1, cancelled_count: 1 });
  });

  it("never waits longer than the call's deadline", async () => {
    const { fl, clock } = world();
    const { tool: limited } = scripted("limited", [new FaultError(fault("RateLimited", { retryAfterMs: 5_000 }))]);
    const began = clock.now();
    const outcome = await clock.runUntil(fl.protect(limited, "x", { deadlineMs: 1_000 }));
    expect(outcome.status).toBe("surfaced");
    expect(clock.now()).toBe(began);
  });
});
