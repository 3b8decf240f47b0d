// A wait that a server asked one caller for holds back all callers of that target and no others.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { fault, FaultError, type Outcome, step, type Tool, tool } from "../../../src/index.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { failure, type More, scripted, START_AT, world } from "../../support/world.ts";
import { samples } from "../../support/grid.ts";

const WAIT_MS = 5_000;
const limited = (retryAfterMs = WAIT_MS): FaultError => failure("RateLimited", { retryAfterMs });

interface Timed {
  readonly tool: Tool<string, string>;
  /** When each attempt started, by input. */
  readonly starts: { readonly input: string; readonly at: number }[];
}

/** Throws what the script says for its n-th attempt, and remembers when attempts started. */
function timed(id: string, clock: FakeClock, failures: readonly unknown[], more: More = {}): Timed {
  const starts: Timed["starts"] = [];
  const made = tool<string, string>({
    ...more,
    id,
    run: (input) => {
      starts.push({ input, at: clock.now() - START_AT });
      const thrown = failures[starts.length - 1];
      if (thrown instanceof Error) throw thrown;
      return input;
    },
  });
  return { tool: made, starts };
}

describe("a wait requested from one caller", () => {
  it("is respected to the millisecond by that caller", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited(1_234)]);
    expect(await clock.runUntil(fl.protect(api.tool, "told"))).toMatchObject({ status: "done", attempts: 2 });
    expect(api.starts.map(({ at }) => at)).toEqual([0, 1_234]);
  });

  it("holds back all other callers of that target: they start after it, slightly spread out, and never before", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited()]);
    const calls = [fl.protect(api.tool, "told")];
    for (let caller = 0; caller < 20; caller++) {
      await clock.advance(100);
      calls.push(fl.protect(api.tool, `other ${caller}`));
    }
    await clock.runUntil(Promise.all(calls));
    const others = api.starts.filter(({ input }) => input !== "told").map(({ at }) => at);
    expect(others).toHaveLength(20);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(WAIT_MS);
    // At most a tenth of the remaining wait.
    expect(Math.max(...others)).toBeLessThanOrEqual(WAIT_MS * 1.1);
    expect(new Set(others).size).toBeGreaterThan(10);
  });

  it("spreads the others over at most a second, however long it was", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited(300_000)]);
    const told = fl.protect(api.tool, "told");
    await clock.advance(0);
    const others = Array.from({ length: 30 }, (_, caller) => fl.protect(api.tool, `other ${caller}`));
    await clock.runUntil(Promise.all([told, ...others]));
    const last = Math.max(...api.starts.map(({ at }) => at));
    expect(last).toBeGreaterThan(300_100);
    expect(last).toBeLessThanOrEqual(301_000);
  });

  it("applies to other tools of the target, and to no other target", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited()]);
    const sibling = timed("sibling", clock, [], { target: "api" });
    const stranger = timed("stranger", clock, [], { provider: "api" });
    const told = fl.protect(api.tool, "told");
    await clock.advance(0);
    await clock.runUntil(Promise.all([told, fl.protect(sibling.tool, "x"), fl.protect(stranger.tool, "x")]));
    expect(sibling.starts[0]?.at).toBeGreaterThanOrEqual(WAIT_MS);
    expect(stranger.starts[0]?.at).toBe(0);
  });

  it("may be a point in time, is shown while it lasts, and is recorded once", async () => {
    const { fl, clock, events } = world();
    const until = START_AT + WAIT_MS;
    const api = timed("api", clock, [new FaultError(fault("Overloaded", { resetAt: until }))]);
    const told = fl.protect(api.tool, "told");
    const other = fl.protect(api.tool, "other");
    expect(fl.targets()).toMatchObject([{ target: "api", breaker: "closed", pausedUntil: until }]);
    await clock.runUntil(Promise.all([told, other]));
    expect(fl.targets()).toMatchObject([{ target: "api", breaker: "closed", pausedUntil: null }]);
    const paused = events().filter(({ type }) => type === "target-paused");
    expect(paused).toMatchObject([{ type: "target-paused", target: "api", until }]);
  });

  it("is extended by a longer one and not shortened by a shorter one", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited(1_000), limited(4_000), limited(2_000)]);
    const first = fl.protect(api.tool, "1000");
    await clock.advance(1_000);
    const late = fl.protect(api.tool, "late");
    await clock.runUntil(Promise.all([first, late]));
    // The second attempt was told 4 s at 1 s; the next caller waits for that.
    expect(api.starts.slice(0, 2)).toEqual([
      { input: "1000", at: 0 },
      { input: "1000", at: 1_000 },
    ]);
    expect(api.starts[2]?.at).toBe(5_000);
    expect(api.starts[3]?.at).toBeGreaterThanOrEqual(7_000);
  });

  it("lets no attempt start while it lasts, in any order of calls and requested waits", async () => {
    const schedule = fc.array(
      fc.record({ gapMs: fc.integer({ min: 0, max: 3_000 }), waits: fc.array(fc.integer({ min: 1, max: 9_000 })) }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(schedule, async (callers) => {
        const { fl, clock } = world();
        const told: { at: number; until: number }[] = [];
        const starts: number[] = [];
        const waitsOf = new Map(callers.map(({ waits }, caller) => [String(caller), waits.slice(0, 4)]));
        const api = tool<string, string>({
          id: "api",
          run: (caller, { attempt }) => {
            starts.push(clock.now());
            const waitMs = waitsOf.get(caller)?.[attempt - 1];
            if (waitMs === undefined) return "done";
            told.push({ at: clock.now(), until: clock.now() + waitMs });
            throw limited(waitMs);
          },
        });
        const calls: Promise<Outcome<string>>[] = [];
        for (const [caller, { gapMs }] of callers.entries()) {
          calls.push(fl.protect(api, String(caller)));
          await clock.advance(gapMs);
        }
        await clock.runUntil(Promise.all(calls));
        for (const at of starts) expect(told.filter((pause) => pause.at < at && at < pause.until)).toEqual([]);
      }),
      { numRuns: samples(40, 100) },
    );
  });
});

describe("a wait that is too long", () => {
  const LONG_MS = 11 * 60_000;

  it("is not waited for: callers use another tool or the default, or inform the model at once", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited(LONG_MS)]);
    const told = await fl.protect(api.tool, "told");
    expect(told).toMatchObject({ status: "surfaced", fault: { code: "RateLimited", retryAfterMs: LONG_MS } });
    const second = scripted("second", []);
    const elsewhere = timed("elsewhere", clock, [], { target: "api", alternatives: [second.tool] });
    const defaulted = timed("defaulted", clock, [], { target: "api", default: "none" });
    await clock.advance(10_000);
    expect(await fl.protect(elsewhere.tool, "x")).toMatchObject({ status: "done", from: "second" });
    expect(await fl.protect(defaulted.tool, "x")).toMatchObject({ status: "defaulted", value: "none" });
    const surfaced = await fl.protect(api.tool, "x");
    expect(surfaced).toMatchObject({
      status: "surfaced",
      attempts: 0,
      fault: { code: "RateLimited", resetAt: START_AT + LONG_MS, context: { paused: true, ran: false } },
    });
    expect(surfaced.status === "surfaced" && surfaced.decision?.considered[0]).toEqual({
      recourse: "retry",
      refused: "wait-too-long",
    });
    expect([api, elsewhere, defaulted].map(({ starts }) => starts.length)).toEqual([1, 0, 0]);
  });

  it("parks a session's call until it is over", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited(LONG_MS)]);
    await fl.protect(api.tool, "told");
    const session = await clock.runUntil(fl.session("s"));
    const plan = { a: step(api.tool, "x") };
    const { outcomes } = await clock.runUntil(session.turn(plan, { id: "one" }));
    expect(outcomes["a"]).toMatchObject({ status: "parked", wakeAt: START_AT + LONG_MS });
    await clock.advance(LONG_MS);
    const again = await clock.runUntil(session.turn(plan, { id: "one" }));
    expect(again.outcomes["a"]).toMatchObject({ status: "done" });
  });

  it("is waited for again once the rest is short enough", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited(LONG_MS)]);
    await fl.protect(api.tool, "told");
    await clock.advance(2 * 60_000);
    expect(await clock.runUntil(fl.protect(api.tool, "x"))).toMatchObject({ status: "done" });
    expect(api.starts[1]?.at).toBeGreaterThanOrEqual(LONG_MS);
  });
});

describe("a pause", () => {
  it.each([
    { maxWaitMs: WAIT_MS, leftMs: WAIT_MS, isWaited: true },
    { maxWaitMs: WAIT_MS, leftMs: WAIT_MS + 1, isWaited: false },
    { maxWaitMs: null, leftMs: 1, isWaited: false },
  ])("of $leftMs ms is waited for if a retry may wait $maxWaitMs ms: $isWaited", async (row) => {
    const { maxWaitMs, leftMs, isWaited } = row;
    const rows = DEFAULT_POLICY.rows.map((each) => ({
      ...each,
      retry: each.retry === null || maxWaitMs === null ? null : { ...each.retry, maxWaitMs },
    }));
    const { fl, clock } = world({ policy: { ...DEFAULT_POLICY, rows } });
    const api = timed("api", clock, [limited(leftMs)]);
    const told = fl.protect(api.tool, "told");
    await clock.advance(0);
    const other = await clock.runUntil(fl.protect(api.tool, "other"));
    expect(other).toMatchObject(isWaited ? { status: "done" } : { attempts: 0, fault: { context: { paused: true } } });
    await clock.runUntil(told);
  });
});

describe("a call that waits for a pause to end", () => {
  it("leaves at once when it is cancelled, and starts nothing later", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited()]);
    const told = fl.protect(api.tool, "told");
    const controller = new AbortController();
    const other = fl.protect(api.tool, "other", { signal: controller.signal });
    await clock.advance(1_000);
    controller.abort();
    expect(await other).toMatchObject({ status: "cancelled", attempts: 0 });
    expect(clock.now()).toBe(START_AT + 1_000);
    await clock.runUntil(told);
    await clock.runAll();
    expect(api.starts.map(({ input }) => input)).toEqual(["told", "told"]);
  });

  it("does not start to wait if its deadline comes first", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited()]);
    const told = fl.protect(api.tool, "told");
    const other = await fl.protect(api.tool, "other", { deadlineMs: WAIT_MS });
    expect(clock.now()).toBe(START_AT);
    expect(other).toMatchObject({ status: "surfaced", attempts: 0, fault: { code: "RateLimited" } });
    expect(other.status === "surfaced" && other.decision?.considered[0]).toEqual({
      recourse: "retry",
      refused: "deadline",
    });
    await clock.runUntil(told);
  });

  it("starts before its deadline or never", async () => {
    const { fl, clock } = world();
    const api = timed("api", clock, [limited()]);
    const told = fl.protect(api.tool, "told");
    const others = Array.from({ length: 50 }, (_, caller) =>
      fl.protect(api.tool, `other ${caller}`, { deadlineMs: WAIT_MS + 200 }),
    );
    const outcomes = await clock.runUntil(Promise.all(others));
    await clock.runUntil(told);
    const done = outcomes.filter(({ status }) => status === "done");
    const late = outcomes.filter((outcome) => outcome.status === "surfaced" && outcome.fault.code === "RunTimeout");
    expect(done.length).toBeGreaterThan(0);
    expect(late.length).toBeGreaterThan(0);
    expect(done.length + late.length).toBe(50);
    const started = api.starts.filter(({ input }) => input !== "told");
    expect(started).toHaveLength(done.length);
    expect(Math.max(...started.map(({ at }) => at))).toBeLessThan(WAIT_MS + 200);
  });
});
