// A cancelled call ends at once, whatever it is doing. It starts nothing later, counts as no failure and leaves nothing behind.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { FaultError, type Outcome, tool } from "../../../src/index.ts";
import { scopeOfSignal } from "../../../src/runtime/scope.ts";
import { broken, failure, held, scripted, silent, START_AT, type World, world } from "../../support/world.ts";
import { samples } from "../../support/grid.ts";

interface Case {
  readonly runs: readonly unknown[];
  readonly call: Promise<Outcome<string>>;
}

/** Each entry brings a call into a different phase. */
const PLACES: Readonly<Record<string, (here: World, signal: AbortSignal) => Case>> = {
  "in an attempt": ({ fl, clock }, signal) => {
    const slow = held("slow", clock);
    return { runs: slow.runs, call: fl.protect(slow.tool, "x", { signal }) };
  },
  "between two attempts": ({ fl }, signal) => {
    const down = broken("down");
    return { runs: down.runs, call: fl.protect(down.tool, "x", { signal }) };
  },
  "in the queue": ({ fl, clock }, signal) => {
    const narrow = held("narrow", clock, { maxConcurrent: 1, idempotent: false });
    void fl.protect(narrow.tool, "first");
    return { runs: narrow.runs, call: fl.protect(narrow.tool, "second", { signal }) };
  },
  "in a pause of its target": ({ fl }, signal) => {
    const limited = scripted("limited", [failure("RateLimited", { retryAfterMs: 600_001 })], { retry: "none" });
    void fl.protect(limited.tool, "told");
    const patient = scripted("patient", [], { target: "limited", retry: { maxWaitMs: 1e9, maxTotalWaitMs: 1e9 } });
    return { runs: patient.runs, call: fl.protect(patient.tool, "x", { signal }) };
  },
  "while a person is asked": ({ fl }, signal) => {
    fl.attach(silent());
    const locked = broken("locked", "AuthFailed");
    return { runs: locked.runs, call: fl.protect(locked.tool, "x", { signal }) };
  },
};

describe("a cancelled call", () => {
  it.each(Object.entries(PLACES))("%s ends at once, starts nothing later and leaves no timer", async (_name, start) => {
    const here = world();
    const controller = new AbortController();
    const { call, runs } = start(here, controller.signal);
    await here.clock.advance(10);
    const started = runs.length;
    controller.abort();
    expect(await call).toMatchObject({ status: "cancelled", fault: { code: "ToolCancelled" }, decision: null });
    expect(here.clock.now()).toBe(START_AT + 10);
    expect(scopeOfSignal(controller.signal).size).toBe(0);
    await here.clock.runAll();
    expect(runs).toHaveLength(started);
    expect(here.clock.pending).toBe(0);
  });

  it("that waited for its turn at a tool with `maxPerMinute` gives the turn back: the next call gets it", async () => {
    const { fl, clock } = world();
    const startedAt: number[] = [];
    const paced = tool({ id: "paced", maxPerMinute: 6, run: () => startedAt.push(clock.now() - START_AT) });
    await clock.runUntil(fl.protect(paced, "first"));
    const controller = new AbortController();
    const waiting = fl.protect(paced, "second", { signal: controller.signal });
    await clock.advance(1_000);
    controller.abort();
    expect(await waiting).toMatchObject({ status: "cancelled", attempts: 0 });
    await clock.runUntil(fl.protect(paced, "third"));
    expect(startedAt).toEqual([0, 10_000]);
  });

  it("ends while a schema validates its input forever, and leaves no timer", async () => {
    const { fl, clock } = world();
    const input = z.string().refine(() => new Promise<boolean>(() => undefined));
    const strict = tool({ id: "strict", input, run: () => "never" });
    const controller = new AbortController();
    const call = fl.protect(strict, "x", { signal: controller.signal });
    await clock.advance(10);
    controller.abort();
    expect(await call).toMatchObject({ status: "cancelled", attempts: 0 });
    expect([clock.now(), clock.pending]).toEqual([START_AT + 10, 0]);
  });

  it("never runs its tool if it was cancelled before it started, and is recorded as cancelled, not as an error", async () => {
    const { fl, events } = world();
    const fine = scripted("fine", []);
    const signal = AbortSignal.abort();
    expect(await fl.protect(fine.tool, "x", { signal })).toMatchObject({ status: "cancelled", attempts: 0 });
    expect(fine.runs).toEqual([]);
    expect(events().map(({ type }) => type)).toEqual(["call-started", "call-cancelled"]);
    expect(fl.metrics()["fine"]).toMatchObject({ call_count: 1, cancelled_count: 1, error_count: 0 });
  });

  it.each([
    ["a text", "user pressed stop", "user pressed stop"],
    ["an error", new Error("window closed"), "window closed"],
    ["nothing", undefined, "cancelled by the caller"],
  ])("keeps the reason its caller gave, here %s", async (_kind, reason, message) => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const controller = new AbortController();
    const call = fl.protect(slow.tool, "x", { signal: controller.signal });
    controller.abort(reason);
    expect(await call).toMatchObject({ fault: { message } });
  });

  it("passes its tool a fault as the abort reason, even if the tool reads its signal later", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const controller = new AbortController();
    const watching = fl.protect(slow.tool, "watches", { signal: controller.signal });
    const blind = fl.protect(slow.tool, "blind", { signal: controller.signal });
    let told: unknown = null;
    const { signal } = slow.run(0).context;
    signal.addEventListener("abort", () => void (told = signal.reason));
    controller.abort();
    await Promise.all([watching, blind]);
    expect(told).toBeInstanceOf(FaultError);
    expect(told).toMatchObject({ fault: { code: "ToolCancelled" } });
    expect(slow.run(1).context.signal.aborted).toBe(true);
  });

  it("records its tool's late answer and does not return it", async () => {
    const { fl, clock, events } = world();
    const slow = held("slow", clock);
    const controller = new AbortController();
    const call = fl.protect(slow.tool, "x", { signal: controller.signal });
    controller.abort();
    slow.run(0).answer("too late");
    expect(await call).toMatchObject({ status: "cancelled" });
    await clock.advance(0);
    expect(events().at(-1)).toMatchObject({ type: "call-late", ok: true });
    expect(fl.metrics()["slow"]).toMatchObject({ success_count: 0, cancelled_count: 1, late_count: 1 });
  });

  it("ends in every phase, and no attempt starts after it", async () => {
    const script = fc.array(fc.constantFrom("ok", "ToolUnavailable", "NotFound", "RateLimited"), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(script, fc.nat(4_000), fc.nat(400), async (answers, cancelAt, workMs) => {
        const { fl, clock } = world();
        const starts: number[] = [];
        const moody = tool<string, string>({
          id: "moody",
          idempotent: true,
          run: (_input, { attempt }) =>
            new Promise((resolve, reject) => {
              starts.push(clock.now());
              const answer = answers[attempt - 1] ?? "ok";
              clock.after(workMs, () => (answer === "ok" ? resolve(answer) : reject(failure(answer))));
            }),
        });
        const controller = new AbortController();
        const call = fl.protect(moody, "x", { signal: controller.signal });
        let endedAt = Infinity;
        void call.then(() => (endedAt = clock.now()));
        await clock.advance(cancelAt);
        controller.abort();
        const isOver = endedAt < Infinity;
        const outcome = await clock.runUntil(call);
        await clock.runAll();
        if (!isOver) expect([outcome.status, endedAt]).toEqual(["cancelled", START_AT + cancelAt]);
        else expect(outcome.status).not.toBe("cancelled");
        expect(starts.filter((at) => at > START_AT + cancelAt)).toEqual([]);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: samples(100, 300) },
    );
  });
});

describe("one signal for many calls", () => {
  it("has one listener for any number of calls, cancels them all, and leaves no listener registered", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const fine = scripted("fine", []);
    const controller = new AbortController();
    const { signal } = controller;
    const listening = vi.spyOn(signal, "addEventListener");
    for (let made = 0; made < 10_000; made++) await fl.protect(fine.tool, "x", { signal });
    expect(scopeOfSignal(signal).size).toBe(0);
    const running = Array.from({ length: 10_000 }, () => fl.protect(slow.tool, "x", { signal }));
    expect(scopeOfSignal(signal).size).toBe(10_000);
    controller.abort();
    expect((await Promise.all(running)).every(({ status }) => status === "cancelled")).toBe(true);
    expect(scopeOfSignal(signal).size).toBe(0);
    expect(listening).toHaveBeenCalledTimes(1);
  });
});

describe("a tool that registers an abort callback", () => {
  it("gets the reason on cancellation or timeout, and at once if that has already happened", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock, { timeoutMs: 1_000, retry: "none" });
    const reasons: unknown[] = [];
    const controller = new AbortController();
    const calls = [fl.protect(slow.tool, "x", { signal: controller.signal }), fl.protect(slow.tool, "y")];
    for (const { context } of slow.runs) context.whenGivenUp((reason) => void reasons.push(reason));
    controller.abort();
    await clock.runUntil(Promise.all(calls));
    for (const { context } of slow.runs) context.whenGivenUp((reason) => void reasons.push(reason));
    const cancelled = { fault: { code: "ToolCancelled" } };
    expect(reasons).toMatchObject([cancelled, { name: "TimeoutError" }, cancelled, { name: "TimeoutError" }]);
  });

  it("is not called once it has answered", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const controller = new AbortController();
    const tell = vi.fn();
    const call = fl.protect(slow.tool, "x", { signal: controller.signal });
    slow.run(0).context.whenGivenUp(tell);
    slow.run(0).answer("fine");
    expect(await call).toMatchObject({ status: "done" });
    controller.abort();
    slow.run(0).context.whenGivenUp(tell);
    expect(tell).not.toHaveBeenCalled();
  });
});

describe("a tool that reports that its caller has left", () => {
  it("ends the whole call as cancelled, even between two attempts, and counts as no failure", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const running = fl.protect(slow.tool, "x");
    slow.run(0).context.cancel();
    expect(await running).toMatchObject({ status: "cancelled", fault: { code: "ToolCancelled" } });
    const waiting = fl.protect(slow.tool, "y");
    const { context, fail } = slow.run(1);
    fail(new Error("connect ECONNREFUSED 127.0.0.1:80"));
    await clock.advance(0);
    context.cancel();
    expect(await clock.runUntil(waiting)).toMatchObject({ status: "cancelled" });
    expect(slow.runs).toHaveLength(2);
    expect(fl.targets().every(({ breaker }) => breaker === "closed")).toBe(true);
  });
});

describe("an attempt's alarm", () => {
  it("fires once, not before its time, and the last one set counts", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const call = fl.protect(slow.tool, "x");
    const rung: string[] = [];
    const { context, answer } = slow.run(0);
    context.alarm(100, () => rung.push("first"));
    context.alarm(200, () => rung.push("second"));
    await clock.advance(199);
    expect(rung).toEqual([]);
    await clock.advance(10);
    expect(rung).toEqual(["second"]);
    await clock.advance(1_000);
    answer("fine");
    expect(await call).toMatchObject({ status: "done" });
    expect(rung).toEqual(["second"]);
  });

  it("does not fire after the attempt has ended", async () => {
    const { fl, clock } = world();
    const slow = held("slow", clock);
    const ring = vi.fn();
    const call = fl.protect(slow.tool, "x");
    slow.run(0).context.alarm(100, ring);
    slow.run(0).answer("fine");
    await call;
    slow.run(0).context.alarm(100, ring);
    await clock.advance(1_000);
    expect(ring).not.toHaveBeenCalled();
  });
});
