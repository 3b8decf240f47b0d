// Setting the wall clock changes no duration: what a process waits for, or allows, takes as long as it would have taken.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createFaultline,
  createMemoryJournal,
  type FaultlineOptions,
  type Outcome,
  step,
  tool,
} from "../../src/index.ts";
import { Moment, steadyNow, systemClock } from "../../src/host/clock.ts";
import { startWatchdog } from "../../src/agent/process/watchdog.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { failure, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;
const START_AT = 1_700_000_000_000;
type Here = Pick<World, "fl" | "clock">;

/** A time from which the wall clock can be set back. */
function world(options: FaultlineOptions = {}): Here {
  const clock = createFakeClock(START_AT);
  return { clock, fl: createFaultline({ clock, chance: createSeededChance(1), ...options }) };
}

const SET_BY = [-24 * HOUR_MS, -HOUR_MS, -50, 50, HOUR_MS, 24 * HOUR_MS];

describe("the system's clock, when the wall clock is set", () => {
  const realNow = Date.now.bind(Date);
  let setByMs = 0;
  beforeEach(() => {
    setByMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + setByMs);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    systemClock.now();
  });

  it.each(SET_BY)("follows it at once, and measures as before (%s ms)", (byMs) => {
    const [before, steadyBefore] = [systemClock.now(), steadyNow(systemClock)];
    const moment = new Moment(systemClock, before + 300);
    setByMs = byMs;
    const [after, steadyAfter] = [systemClock.now(), steadyNow(systemClock)];
    expect(Math.abs(after - Date.now())).toBeLessThan(1_000);
    const passedMs = steadyAfter - steadyBefore;
    // Real time passes here: the shift is left out of it, whatever it was.
    expect(passedMs).toBeGreaterThanOrEqual(-5);
    expect(passedMs).toBeLessThan(Math.abs(byMs) === 50 ? 10_000 : HOUR_MS / 2);
    expect(Math.abs(moment.at - (before + 300 + byMs))).toBeLessThan(Math.abs(byMs) === 50 ? 60 : 1_000);
  });

  it.each([-HOUR_MS, -24 * HOUR_MS])("ends a tool at its time limit (%s ms)", async (byMs) => {
    const here = world({ clock: systemClock });
    const slow = tool<string, string>({
      id: "slow",
      timeoutMs: 60,
      run: () => {
        setByMs = byMs;
        return new Promise<string>(() => undefined);
      },
    });
    const outcome = await here.fl.protect(slow, "x");
    expect(outcome).toMatchObject({ fault: { code: "ExecutionTimeout" } });
  });

  it("lets a healthy tool finish (set forward, or the machine slept)", async () => {
    const here = world({ clock: systemClock });
    const healthy = tool<string, string>({
      id: "healthy",
      timeoutMs: 20_000,
      run: async () => {
        setByMs = 24 * HOUR_MS;
        await new Promise<void>((resolve) => void systemClock.after(120, resolve));
        return "well";
      },
    });
    expect(await here.fl.protect(healthy, "x", { deadlineMs: 30_000 })).toMatchObject({
      status: "done",
      value: "well",
    });
  });
});

describe.each(SET_BY)("a runtime whose wall clock is set by %s ms", (byMs) => {
  const steadyOf = ({ clock }: Here): number => steadyNow(clock) - START_AT;
  const hangs = (timeoutMs: number): ReturnType<typeof tool<string, string>> =>
    tool<string, string>({ id: "hangs", timeoutMs, run: () => new Promise<string>(() => undefined) });

  async function setAfter<T>(here: Here, ms: number, work: Promise<T>): Promise<T> {
    await here.clock.advance(ms);
    here.clock.set(byMs);
    return here.clock.runUntil(work);
  }

  it("ends an attempt at its time limit, and tells how long it took", async () => {
    const here = world();
    const outcome = await setAfter(here, 100, here.fl.protect(hangs(300), "x"));
    expect(outcome).toMatchObject({ fault: { code: "ExecutionTimeout" } });
    const failed = here.fl.recent().filter(({ event }) => event.type === "call-failed");
    expect(failed).toMatchObject([{ event: { durationMs: 300 } }]);
  });

  it("ends a call at its deadline", async () => {
    const here = world();
    const outcome = await setAfter(here, 100, here.fl.protect(hangs(60_000), "x", { deadlineMs: 400 }));
    expect(outcome).toMatchObject({ fault: { code: "RunTimeout" } });
    expect(steadyOf(here)).toBe(400);
  });

  it("ends a turn at its deadline, and what it writes has the time of the wall", async () => {
    const journal = createMemoryJournal();
    const here = world({ journal });
    const session = await here.clock.runUntil(here.fl.session("s"));
    const turn = session.turn({ a: step(hangs(60_000), "x") }, { id: "one", timeoutMs: 500 });
    const result = await setAfter(here, 100, turn);
    expect(result.status).not.toBe("done");
    expect(steadyOf(here)).toBeGreaterThanOrEqual(500);
    expect(steadyOf(here)).toBeLessThan(600);
    const entries = [];
    for await (const entry of journal.read("s")) entries.push(entry);
    expect(entries.at(-1)?.at).toBe(here.clock.now());
  });

  it("waits as long as was decided, and retries through an outage", async () => {
    const here = world();
    const times: number[] = [];
    const sick = tool<string, string>({
      id: "sick",
      idempotent: true,
      run: () => {
        times.push(steadyOf(here));
        if (times.length < 3) throw failure("Provider5xx");
        return "well";
      },
    });
    const calls = Promise.all(Array.from({ length: 5 }, () => here.fl.protect(sick, "x")));
    const outcomes: readonly Outcome<string>[] = await setAfter(here, 10, calls);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "done"));
    expect(times.at(-1)).toBeLessThan(10_000);
  });

  it("keeps a pause that the other side asked for", async () => {
    const here = world();
    const times: number[] = [];
    const limited = tool<string, string>({
      id: "limited",
      idempotent: true,
      run: () => {
        times.push(steadyOf(here));
        if (times.length === 1) throw failure("RateLimited", { retryAfterMs: 4_000 });
        return "well";
      },
    });
    const first = here.fl.protect(limited, "x");
    await here.clock.advance(1_000);
    here.clock.set(byMs);
    const both = await here.clock.runUntil(Promise.all([first, here.fl.protect(limited, "y")]));
    expect(both.map(({ status }) => status)).toEqual(["done", "done"]);
    for (const at of times.slice(1)) {
      expect(at).toBeGreaterThanOrEqual(4_000);
      expect(at).toBeLessThan(10_000);
    }
  });

  it("keeps a breaker open for its time, and no longer", async () => {
    const here = world();
    let isDown = true;
    const broken = tool<string, string>({
      id: "broken",
      run: () => {
        if (isDown) throw failure("ToolUnavailable");
        return "well";
      },
    });
    for (let made = 0; made < 5; made++) await here.clock.runUntil(here.fl.protect(broken, "x"));
    expect(here.fl.targets()).toMatchObject([{ breaker: "open" }]);
    isDown = false;
    here.clock.set(byMs);
    const refused = await here.clock.runUntil(here.fl.protect(broken, "x"));
    expect(refused).toMatchObject({ fault: { code: "CircuitOpen" } });
    const leftMs = ("fault" in refused ? (refused.fault.resetAt ?? Infinity) : Infinity) - here.clock.now();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    await here.clock.advance(leftMs);
    expect(await here.clock.runUntil(here.fl.protect(broken, "x"))).toMatchObject({ status: "done" });
  });

  it("stops a process that is silent when its time is up, and not before", async () => {
    const clock = createFakeClock(START_AT);
    const told: string[] = [];
    const dog = startWatchdog({
      ...{ startupMs: 1_000, idleMs: 500, totalMs: 10_000, clock },
      isToolRunning: () => false,
      onLimit: (limit) => void told.push(limit),
    });
    dog.sawOutput();
    await clock.advance(100);
    clock.set(byMs);
    await clock.advance(399);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["idle"]);
  });
});
