// Why a call may not begin, guard by guard: the fault says what holds it back, until when, and that nothing ran.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { tool, type Tool } from "../../../src/index.ts";
import { broken, failure, held, scripted, START_AT, world } from "../../support/world.ts";

const WAIT_MS = 40_000;
const policy = { ...DEFAULT_POLICY, breaker: { ...DEFAULT_POLICY.breaker, failures: 1, openMs: 30_000 } };

describe("a target that asked callers to wait", () => {
  it.each([
    { deadlineMs: WAIT_MS - 1, isRefused: true },
    { deadlineMs: WAIT_MS, isRefused: true },
    { deadlineMs: WAIT_MS + 2_000, isRefused: false },
  ])("refuses a call with $deadlineMs ms left: $isRefused", async ({ deadlineMs, isRefused }) => {
    const { fl, clock } = world();
    const limited = scripted("api", [failure("Overloaded", { retryAfterMs: WAIT_MS })], { idempotent: true });
    const first = fl.protect(limited.tool, "x");
    await clock.advance(0);
    const outcome = await clock.runUntil(fl.protect(limited.tool, "y", { deadlineMs }));
    await clock.runUntil(first);
    if (!isRefused) return expect(outcome).toMatchObject({ status: "done" });
    const seen = { code: "Overloaded", resetAt: START_AT + WAIT_MS, context: { paused: true, ran: false } };
    return expect(outcome).toMatchObject({ attempts: 0, fault: seen });
  });
});

describe("a queue", () => {
  it("that is full refuses the call, and names its limit", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock, { maxConcurrent: 1, maxQueued: 1 });
    const [first, second] = [fl.protect(slow.tool, "a"), fl.protect(slow.tool, "b")];
    await clock.advance(0);
    const refused = await clock.runUntil(fl.protect(slow.tool, "c", { deadlineMs: 10 }));
    expect(refused).toMatchObject({
      attempts: 0,
      fault: {
        code: "QueueFull",
        message: "1 calls already wait for slow; raise maxConcurrent or maxQueued",
        context: { target: "slow", limit: 1 },
      },
    });
    await clock.runUntil(Promise.all([first, second]));
  });

  it("in which a call waits until its time is up says that nothing ran", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock, { maxConcurrent: 1, maxQueued: 5 });
    const first = fl.protect(slow.tool, "a");
    await clock.advance(0);
    const late = await clock.runUntil(fl.protect(slow.tool, "b", { deadlineMs: 10 }));
    const message = "the time was up before slow could start";
    expect(late).toMatchObject({ attempts: 0, fault: { message, context: { ran: false } } });
    await clock.runUntil(first);
    expect(fl.targets()).toMatchObject([{ queued: 0, running: 0 }]);
  });
});

describe("a breaker that is not closed", () => {
  it("says what opened it and when, and when it lets a call through", async () => {
    const { fl, clock } = world({ policy });
    const down = broken("down", "Overloaded", { retry: "none" });
    await clock.runUntil(fl.protect(down.tool, "x"));
    await clock.advance(5_000);
    const refused = await clock.runUntil(fl.protect(down.tool, "y", { deadlineMs: 1 }));
    expect(refused).toMatchObject({
      fault: {
        code: "CircuitOpen",
        message: expect.stringMatching(
          /^the circuit of down opened 5(?:\.0)? s ago after Overloaded \(.*\); it lets one call through in 25(?:\.0)? s$/,
        ) as string,
        context: { target: "down", cause: "Overloaded", openedAt: START_AT },
        resetAt: START_AT + 30_000,
      },
    });
  });

  it("says that a call probes it now", async () => {
    const { fl, clock } = world({ policy });
    let runs = 0;
    const gate = Promise.withResolvers<string>();
    const down = tool<string, string>({
      id: "down",
      retry: "none",
      run: () => (++runs === 1 ? Promise.reject(failure("Overloaded")) : gate.promise),
    });
    await clock.runUntil(fl.protect(down, "x"));
    await clock.advance(30_000);
    const probe = fl.protect(down, "probe");
    await clock.advance(0);
    const refused = await clock.runUntil(fl.protect(down, "y", { deadlineMs: 1 }));
    expect(refused).toMatchObject({ fault: { code: "CircuitOpen", context: { target: "down", cause: "Overloaded" } } });
    expect("fault" in refused && refused.fault.message).toMatch(
      /^the circuit of down opened after Overloaded \(.*\); one call is probing it now, and the others wait for the result$/,
    );
    gate.resolve("fine");
    expect(await clock.runUntil(probe)).toMatchObject({ status: "done" });
  });

  it("gets its probe back from a call that its budget refuses", async () => {
    const { fl, clock } = world({ policy, budget: { maxUsd: 10 / 1e8, onExceed: "fail" } });
    let isDown = true;
    const shaky = (id: string, estimate: number): Tool<string, string> =>
      tool<string, string>({
        ...{ id, target: "shaky", retry: "none", cost: { estimate: () => estimate } },
        run: () => {
          if (isDown) throw failure("Overloaded");
          return "fine";
        },
      });
    await clock.runUntil(fl.protect(shaky("cheap", 1), "x"));
    isDown = false;
    await clock.advance(30_000);
    const dear = await clock.runUntil(fl.protect(shaky("dear", 11), "x"));
    expect(dear).toMatchObject({ status: "failed", fault: { code: "BudgetExceeded" } });
    expect(await clock.runUntil(fl.protect(shaky("cheap", 1), "x"))).toMatchObject({ status: "done" });
  });

  it("of a target that was taken out of service says why, and names no time", async () => {
    const { fl, clock } = world();
    await clock.runUntil(fl.isolate("fine", "an audit"));
    const refused = await clock.runUntil(fl.protect(scripted("fine", []).tool, "x"));
    const message = "fine was taken out of service (an audit); it takes calls again when an operator releases it";
    expect(refused).toMatchObject({ fault: { code: "CircuitOpen", message, context: { target: "fine" } } });
    expect(refused).not.toHaveProperty("fault.resetAt");
  });
});

describe("a budget", () => {
  const budget = { maxUsd: 10 / 1e8, onExceed: "fail" } as const;

  it.each([
    { estimate: 10, isRefused: false },
    { estimate: 11, isRefused: true },
  ])("of 10 microcents refuses an attempt that may cost $estimate: $isRefused", async ({ estimate, isRefused }) => {
    const { fl, clock } = world({ budget });
    let runs = 0;
    const paid = tool<string, string>({ id: "paid", cost: { estimate: () => estimate }, run: () => String(++runs) });
    const outcome = await clock.runUntil(fl.protect(paid, "x"));
    expect([outcome.status, runs]).toEqual(isRefused ? ["failed", 0] : ["done", 1]);
    const context = { limit: 10, spent: 0, estimate };
    if (isRefused) expect(outcome).toMatchObject({ fault: { code: "BudgetExceeded", context } });
  });

  it.each([
    { soFar: [4, 10], isStopped: false },
    { soFar: [4, 11], isStopped: true },
  ])("of 10 microcents stops an attempt that has cost $soFar so far: $isStopped", async ({ soFar, isStopped }) => {
    const { fl, clock } = world({ budget });
    const paid = tool<string, string>({
      id: "paid",
      run: (input, { costSoFar }) => {
        for (const microcents of soFar) costSoFar(microcents);
        return input;
      },
    });
    const outcome = await clock.runUntil(fl.protect(paid, "x"));
    expect(outcome.status).toBe(isStopped ? "failed" : "done");
    const context = { limit: 10, spent: 0, estimate: 11, ran: true };
    if (isStopped) expect(outcome).toMatchObject({ fault: { code: "BudgetExceeded", context } });
  });

  it("keeps what an attempt has reserved until it ends, however little it has cost so far", async () => {
    const { fl, clock } = world({ budget });
    const first = held("first", clock, { cost: { estimate: () => 8 } });
    const one = fl.protect(first.tool, "x");
    await clock.advance(0);
    first.run(0).context.costSoFar(1);
    const more = tool<string, string>({ id: "more", cost: { estimate: () => 3 }, run: (input) => input });
    expect((await fl.protect(more, "x")).status).toBe("failed");
    first.run(0).answer("");
    await one;
    expect((await fl.protect(more, "x")).status).toBe("done");
  });
});
