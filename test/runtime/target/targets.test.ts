// What a runtime remembers of its targets: manual changes, in the journal, in the trace, and up to a bounded number.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BreakerState, countEntries, DEFAULT_POLICY, metricsOf } from "../../../src/core/index.ts";
import { SharedRetryBudget, Targets } from "../../../src/runtime/target/targets.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { type Faultline, type JournalEvent, step, type Tool, tool } from "../../../src/index.ts";
import { tempFolder, type TempFolder } from "../../journal/temp-folder.ts";
import {
  broken,
  failure,
  held,
  liveOnDisk,
  type More,
  scripted,
  START_AT,
  type World,
  world,
} from "../../support/world.ts";

const ONCE: More = { retry: "none" };

const stateOf = (fl: Faultline, target: string): BreakerState | undefined =>
  fl.targets().find((report) => report.target === target)?.breaker;

async function breakIt(fl: Faultline, down: Tool<string, string>): Promise<void> {
  for (let made = 0; made < 5; made++) await fl.protect(down, "x");
}

describe("a target changed by hand", () => {
  it("is disabled until it is enabled again, however long that takes", async () => {
    const { fl, clock } = world();
    const fine = scripted("fine", []);
    await fl.isolate("fine", "maintenance");
    await clock.advance(24 * 3_600_000);
    const refused = await fl.protect(fine.tool, "x");
    expect(refused).toMatchObject({ status: "surfaced", fault: { code: "CircuitOpen" } });
    expect(refused).not.toHaveProperty("fault.resetAt");
    await fl.release("fine");
    expect(await fl.protect(fine.tool, "x")).toMatchObject({ status: "done" });
    expect(fine.runs).toHaveLength(1);
  });

  it("is not waited for by a session, because it is unknown when it comes back", async () => {
    const { fl, clock } = world();
    const fine = scripted("fine", []);
    await fl.isolate("fine", "maintenance");
    const session = await clock.runUntil(fl.session("s"));
    const { outcomes } = await clock.runUntil(session.turn({ a: step(fine.tool, "x") }));
    expect(outcomes["a"]).toMatchObject({ status: "surfaced", fault: { code: "CircuitOpen" } });
  });

  it("with an open breaker is closed again", async () => {
    const { fl } = world();
    const down = scripted(
      "down",
      Array.from({ length: 5 }, () => failure("ToolUnavailable")),
      ONCE,
    );
    await breakIt(fl, down.tool);
    expect(stateOf(fl, "down")).toBe("open");
    await fl.release("down");
    expect(stateOf(fl, "down")).toBe("closed");
    expect(await fl.protect(down.tool, "x")).toMatchObject({ status: "done" });
  });

  it("may be disabled and enabled before its first use, and then follows its tool's settings", async () => {
    const { fl, clock } = world();
    await fl.isolate("narrow", "not yet");
    await fl.release("narrow");
    const narrow = held("narrow", clock, { maxConcurrent: 1, maxQueued: 1, ...ONCE, breaker: { failures: 1 } });
    const calls = ["a", "b", "c"].map((input) => fl.protect(narrow.tool, input));
    await clock.advance(0);
    expect(narrow.runs.map(({ input }) => input)).toEqual(["a"]);
    expect(await calls[2]).toMatchObject({ fault: { code: "QueueFull" } });
    narrow.run(0).fail(failure("ToolUnavailable"));
    expect(await calls[1]).toMatchObject({ fault: { code: "CircuitOpen" } });
  });
});

describe("a breaker in a journal on disk", () => {
  let folder: TempFolder;
  beforeEach(() => void (folder = tempFolder()));
  afterEach(() => folder.remove());

  const live = (now: number, body: (here: World) => Promise<void>): Promise<void> =>
    liveOnDisk(folder.file("journal.db"), now, {}, body);

  it("that is open refuses at once after a restart, and lets a probe through when its time is up", async () => {
    await live(START_AT, ({ fl }) => breakIt(fl, broken("down", "ToolUnavailable", ONCE).tool));
    const well = scripted("down", []);
    await live(START_AT + 10_000, async ({ fl }) => {
      expect(await fl.protect(well.tool, "x")).toMatchObject({
        status: "surfaced",
        attempts: 0,
        fault: { code: "CircuitOpen", resetAt: START_AT + 30_000 },
      });
    });
    await live(START_AT + 30_000, async ({ fl, clock }) => {
      expect(await clock.runUntil(fl.protect(well.tool, "x"))).toMatchObject({ status: "done" });
      expect(stateOf(fl, "down")).toBe("half-open");
    });
    expect(well.runs).toHaveLength(1);
  });

  it("keeps its count of failures, and a disabled target stays disabled", async () => {
    const down = broken("down", "ToolUnavailable", ONCE);
    await live(START_AT, async ({ fl }) => {
      for (let made = 0; made < 4; made++) await fl.protect(down.tool, "x");
      await fl.isolate("fine", "maintenance");
    });
    await live(START_AT + 1, async ({ fl }) => {
      await fl.protect(down.tool, "x");
      expect(stateOf(fl, "down")).toBe("open");
      expect(await fl.protect(scripted("fine", []).tool, "x")).toMatchObject({ fault: { code: "CircuitOpen" } });
    });
  });
});

describe("a change of a breaker", () => {
  it("appears in the session's trace and in the tool's metrics", async () => {
    const { fl, clock } = world();
    const down = scripted(
      "down",
      Array.from({ length: 5 }, () => failure("ToolUnavailable")),
      ONCE,
    );
    const session = await clock.runUntil(fl.session("s"));
    for (let made = 0; made < 5; made++) await clock.runUntil(session.protect(down.tool, "x"));
    await clock.advance(30_000);
    for (let made = 0; made < 2; made++) await clock.runUntil(session.protect(down.tool, "x"));
    const trace = await clock.runUntil(session.trace());
    expect(trace.filter(({ event_type }) => event_type === "BreakerChanged")).toMatchObject([
      { tool_id: "down", from: "closed", to: "open" },
      { tool_id: "down", from: "open", to: "half-open" },
      { tool_id: "down", from: "half-open", to: "closed" },
    ]);
    expect(fl.metrics()["down"]).toMatchObject({ circuit_breaker_opens: 1, call_count: 7, error_count: 5 });
    const counted = countEntries(await clock.runUntil(session.entries())).get("down");
    expect(counted && metricsOf(counted)).toEqual(fl.metrics()["down"]);
  });

  it("is also recorded outside sessions, before the call that caused it is answered", async () => {
    const { fl, events } = world();
    await breakIt(fl, broken("down", "ToolUnavailable", ONCE).tool);
    const types = events().map(({ type }: JournalEvent) => type);
    expect(types.filter((type) => type === "breaker-changed")).toHaveLength(1);
    expect(types.slice(-2)).toEqual(["breaker-changed", "call-failed"]);
  });
});

describe("targets beyond the remembered number", () => {
  const MAX = 20;

  /** Tools that are used once and never again. */
  async function crowd({ fl, clock }: World, size: number, run: () => string): Promise<void> {
    for (let made = 0; made < size; made++) {
      await fl.protect(tool<string, string>({ id: `one-off ${made}`, ...ONCE, run }), "x");
      await clock.advance(1);
    }
  }

  it("are forgotten, except those that are broken, disabled, paused or busy", async () => {
    const here = world({ maxTargets: MAX });
    const { fl, clock } = here;
    await breakIt(fl, broken("down", "ToolUnavailable", ONCE).tool);
    await fl.isolate("out", "maintenance");
    const limited = scripted("paused", [failure("RateLimited", { retryAfterMs: 600_000 })]);
    const paused = fl.protect(limited.tool, "x");
    const slow = held("busy", clock, { maxConcurrent: 1 });
    const busy = fl.protect(slow.tool, "first");
    await crowd(here, 3_000, () => "done");
    expect(fl.targets().length).toBeLessThanOrEqual(MAX);
    const kept = ["down", "out", "paused", "busy"];
    expect(fl.targets().filter(({ target }) => kept.includes(target))).toMatchObject([
      { target: "down", breaker: "open", pausedUntil: null },
      { target: "out", breaker: "isolated", pausedUntil: null },
      { target: "paused", breaker: "closed", pausedUntil: START_AT + 600_000 },
      { target: "busy", breaker: "closed", pausedUntil: null },
    ]);
    const second = fl.protect(slow.tool, "second");
    await clock.advance(0);
    expect(slow.runs.map(({ input }) => input)).toEqual(["first"]);
    slow.run(0).answer("");
    await clock.advance(0);
    slow.run(1).answer("");
    await clock.runUntil(Promise.all([paused, busy, second]));
  });

  it("are forgotten although each has failed, and a broken one is not", async () => {
    const here = world({ maxTargets: MAX });
    await breakIt(here.fl, broken("down", "ToolUnavailable", ONCE).tool);
    await crowd(here, 500, () => {
      throw failure("ToolUnavailable");
    });
    expect(here.fl.targets().length).toBeLessThanOrEqual(MAX);
    expect(stateOf(here.fl, "down")).toBe("open");
  });

  it("never have two states at once: old and new tools of one target share it again after it was forgotten", async () => {
    const here = world({ maxTargets: MAX });
    const { fl, clock } = here;
    const make = (id: string): ReturnType<typeof held> => held(id, clock, { target: "shared", maxConcurrent: 1 });
    const old = make("old");
    for (const tools of [[old], [old, make("newcomer")], [make("another"), old]]) {
      const before = old.runs.length;
      const calls = tools.map((each) => fl.protect(each.tool, "x"));
      for (const [index, each] of tools.entries()) {
        await clock.advance(0);
        const started = tools.map(({ tool: { id }, runs }) => runs.length - (id === "old" ? before : 0));
        expect(started).toEqual(tools.map((_, at) => (at <= index ? 1 : 0)));
        each.run(-1).answer("");
      }
      await Promise.all(calls);
      await crowd(here, 3 * MAX, () => "done");
      expect(stateOf(fl, "shared")).toBeUndefined();
    }
  });
});

it.each([
  { well: [], drops: "a", why: "the one that was used least recently, if all have failed" },
  { well: ["b"], drops: "b", why: "the only one that works, though others were used before it" },
  { well: ["b", "c"], drops: "b", why: "of those that work the one that was used least recently" },
])("of three idle targets drops $why", async ({ well, drops }) => {
  const { fl, clock } = world({ maxTargets: 3 });
  for (const id of ["a", "b", "c", "d"]) {
    const called = scripted(id, [well.includes(id) ? undefined : failure("ToolUnavailable")], { retry: "none" });
    await clock.runUntil(fl.protect(called.tool, "x"));
    await clock.advance(1);
  }
  const left = fl.targets().map(({ target }) => target);
  expect(["a", "b", "c", "d"].filter((id) => !left.includes(id))).toEqual([drops]);
});

describe("retry budgets of more providers than may be known", () => {
  it.each([
    { spent: ["p1", "p2"], drops: "p1", why: "the oldest, if all have been used" },
    { spent: ["p1"], drops: "p2", why: "a full one, because a new one starts full, too" },
    { spent: [], drops: "p1", why: "the oldest full one" },
  ])("drop $why", ({ spent, drops }) => {
    const nothing = (): void => undefined;
    const targets = new Targets({
      defaults: { rule: DEFAULT_POLICY.breaker, maxConcurrent: 1, maxQueued: 1, maxPerMinute: Infinity },
      ...{ retryBudget: DEFAULT_POLICY.retryBudget, maxTargets: 2, clock: createFakeClock(START_AT) },
      ...{ changed: nothing, paused: nothing, spent: nothing, evicted: nothing },
    });
    const budgets = ["p1", "p2"].map((name) => targets.retryBudget(name));
    for (const budget of budgets) if (spent.includes(budget.provider)) budget.spend(START_AT);
    targets.retryBudget("p3");
    expect(budgets.filter(({ evicted }) => evicted).map(({ provider }) => provider)).toEqual([drops]);
  });
});

describe("the retry budget of a provider", () => {
  const RULE = { capacity: 2, perCall: 0.5, perSecond: 0.1 };
  const made = (): { budget: SharedRetryBudget; clock: ReturnType<typeof createFakeClock>; told: () => number } => {
    const clock = createFakeClock(START_AT);
    let told = 0;
    return { budget: new SharedRetryBudget("p", RULE, clock, () => void told++), clock, told: () => told };
  };

  it("begins full, with nothing that other processes do not know", () => {
    const { budget, told } = made();
    expect([budget.isFull, budget.budget.tokens, told()]).toEqual([true, 2, 0]);
    expect(budget.takeUnshared()).toEqual({ earned: 0, spent: 0 });
  });

  it("is spent by retries and earned by calls, up to its capacity, and remembers both until they are shared", () => {
    const { budget, told } = made();
    budget.earn(START_AT);
    for (let retry = 0; retry < 2; retry++) budget.spend(START_AT);
    expect([budget.budget.tokens, budget.canSpend(START_AT), budget.isFull, told()]).toEqual([0, false, false, 2]);
    for (let call = 0; call < 2; call++) budget.earn(START_AT);
    expect([budget.budget.tokens, budget.canSpend(START_AT)]).toEqual([1, true]);
    expect(budget.takeUnshared()).toEqual({ earned: 2, spent: 2 });
    expect(budget.takeUnshared()).toEqual({ earned: 0, spent: 0 });
    budget.putBack({ earned: 2, spent: 2 });
    budget.spend(START_AT);
    expect(budget.takeUnshared()).toEqual({ earned: 2, spent: 3 });
  });

  it("takes over what others have left of it, less what they do not know yet", () => {
    const { budget } = made();
    budget.spend(START_AT);
    budget.learn({ tokens: 1.5, at: START_AT });
    expect(budget.budget).toEqual({ tokens: 0.5, at: START_AT });
  });

  it("fills with time that passes, not when the wall clock is set", async () => {
    const { budget, clock } = made();
    for (let retry = 0; retry < 2; retry++) budget.spend(clock.now());
    clock.set(3_600_000);
    expect(budget.canSpend(clock.now())).toBe(false);
    await clock.advance(9_999);
    expect(budget.canSpend(clock.now())).toBe(false);
    await clock.advance(1);
    expect(budget.canSpend(clock.now())).toBe(true);
    budget.learn({ tokens: 0, at: clock.now() });
    expect(budget.budget.at).toBe(clock.now() - 3_600_000);
  });
});
