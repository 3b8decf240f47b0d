// The promises W1–W3 of the watchdog, and E1–E4 of the ending where no real process can show them.

import { describe, expect, it } from "vitest";
import { createEnding } from "../../../src/agent/process/ending.ts";
import { startWatchdog, type Watchdog } from "../../../src/agent/process/watchdog.ts";
import type { Clock } from "../../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";

function watch(over: { startupMs?: number; idleMs?: number; totalMs?: number; isToolRunning?: () => boolean } = {}): {
  readonly clock: FakeClock;
  readonly told: string[];
  readonly dog: Watchdog;
} {
  const clock = createFakeClock();
  const told: string[] = [];
  const dog = startWatchdog({
    startupMs: 100,
    idleMs: 50,
    totalMs: 1000,
    isToolRunning: () => false,
    ...over,
    clock,
    onLimit: (limit) => void told.push(limit),
  });
  return { clock, told, dog };
}

describe("a watchdog", () => {
  it("tells of a start without a byte", async () => {
    const { clock, told } = watch();
    await clock.advance(99);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["startup"]);
    expect(clock.pending).toBe(0);
  });

  it("knows no idleness before the first byte, and no start after it", async () => {
    const { clock, told, dog } = watch();
    await clock.advance(90);
    dog.sawOutput();
    await clock.advance(49);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["idle"]);
  });

  it("counts idleness from the last byte", async () => {
    const { clock, told, dog } = watch();
    for (let i = 0; i < 10; i++) {
      dog.sawOutput();
      await clock.advance(40);
    }
    expect(told).toEqual([]);
    await clock.advance(10);
    expect(told).toEqual(["idle"]);
  });

  it("sees no idleness while a tool runs, and counts from when it was last seen running", async () => {
    const tool = { isRunning: true };
    const { clock, told, dog } = watch({ isToolRunning: () => tool.isRunning });
    dog.sawOutput();
    await clock.advance(500);
    tool.isRunning = false;
    await clock.advance(49);
    expect(told).toEqual([]);
    await clock.advance(51);
    expect(told).toEqual(["idle"]);
  });

  it("waits for the last millisecond of idleness", async () => {
    const { clock, told, dog } = watch();
    dog.sawOutput();
    await clock.advance(1);
    dog.sawOutput();
    await clock.advance(49);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["idle"]);
  });

  it("reports the total time limit, whatever the process does", async () => {
    const { clock, told, dog } = watch({ isToolRunning: () => true });
    dog.sawOutput();
    await clock.advance(1000);
    expect(told).toEqual(["total"]);
    expect(clock.pending).toBe(0);
  });

  it("tells nothing when it is stopped, and sets no timer for a limit without end", async () => {
    const { clock, told, dog } = watch({ startupMs: Infinity, idleMs: Infinity });
    dog.sawOutput();
    expect(clock.pending).toBe(1);
    dog.stop();
    expect(clock.pending).toBe(0);
    await clock.advance(5000);
    expect(told).toEqual([]);
  });

  it("has one timer for idleness however much comes, and none for what comes after its stop", async () => {
    const { clock, told, dog } = watch();
    for (let byte = 0; byte < 3; byte++) dog.sawOutput();
    expect(clock.pending).toBe(2);
    dog.stop();
    dog.sawOutput();
    expect(clock.pending).toBe(0);
    const late = watch();
    late.dog.stop();
    late.dog.sawOutput();
    expect(late.clock.pending).toBe(0);
    await Promise.all([clock.advance(5000), late.clock.advance(5000)]);
    expect([...told, ...late.told]).toEqual([]);
  });

  it.each(["startup", "idle"])("reads what lies in the pipes before it judges: %s", (limit) => {
    const hand = { now: 0, wake: [] as (() => void)[], turn: [] as (() => void)[] };
    const clock: Clock = {
      now: () => hand.now,
      after: (_ms, wake) => (hand.wake.push(wake), () => undefined),
      soon: (next) => void hand.turn.push(next),
      tickMs: Infinity,
      shiftMs: 0,
    };
    const told: string[] = [];
    const limits = { startupMs: 100, idleMs: 100, totalMs: Infinity };
    const dog = startWatchdog({
      ...limits,
      clock,
      isToolRunning: () => false,
      onLimit: (which) => void told.push(which),
    });
    if (limit === "idle") dog.sawOutput();
    // The timers fall due while the parent is busy; the byte was there all along and is read in the turn after them.
    hand.now = 5000;
    for (const wake of hand.wake.splice(0)) wake();
    dog.sawOutput();
    for (const next of hand.turn.splice(0)) next();
    expect(told).toEqual([]);
    hand.now = 10_000;
    for (const wake of hand.wake.splice(0)) wake();
    for (const next of hand.turn.splice(0)) next();
    expect(told).toEqual(["idle"]);
  });
});

describe("an ending", () => {
  function ending(isAnyRunning: () => boolean = () => false): {
    readonly clock: FakeClock;
    readonly story: string[];
    readonly end: ReturnType<typeof createEnding>;
  } {
    const clock = createFakeClock();
    const story: string[] = [];
    const end = createEnding({
      child: {
        signalGroup: (signal) => void story.push(`${signal} to the group`),
        signalAll: (signal) => void story.push(signal),
        isAnyRunning,
        abandon: () => void story.push("let go"),
      },
      clock,
      killAfterMs: 1500,
      drainMs: 1000,
      isHeldBack: () => false,
      onEnd: (drained) => void story.push(drained ? "end" : "end, not drained"),
    });
    return { clock, story, end };
  }

  it("lets go of a process that not even SIGKILL ends", async () => {
    const { clock, story, end } = ending();
    end.stop();
    await clock.advance(1499);
    expect(story).toEqual(["SIGTERM"]);
    await clock.advance(1);
    expect(story).toEqual(["SIGTERM", "SIGKILL"]);
    await clock.advance(1500);
    expect(story).toEqual(["SIGTERM", "SIGKILL", "let go", "end, not drained"]);
    end.closed();
    end.stop();
    await clock.runAll();
    expect(story).toHaveLength(4);
  });

  it("is over at once when it closes by itself, and leaves no timer", () => {
    const { clock, story, end } = ending(() => true);
    end.exited();
    expect(clock.pending).toBe(1);
    end.closed();
    expect(story).toEqual(["end"]);
    expect(clock.pending).toBe(0);
  });

  it("gives others of the group their time after a SIGTERM, and ends when they are gone", async () => {
    const group = { isThere: true };
    const { clock, story, end } = ending(() => group.isThere);
    end.stop();
    end.exited();
    end.closed();
    await clock.advance(400);
    expect(story).toEqual(["SIGTERM"]);
    group.isThere = false;
    await clock.advance(50);
    expect(story).toEqual(["SIGTERM", "end"]);
    expect(clock.pending).toBe(0);
  });

  it("kills others of the group that do not go", async () => {
    const { clock, story, end } = ending(() => true);
    end.stop();
    end.closed();
    await clock.advance(1500);
    expect(story).toEqual(["SIGTERM", "SIGKILL", "end"]);
    expect(clock.pending).toBe(0);
  });

  it("spares processes that have left the group until a stop is requested", async () => {
    const { clock, story, end } = ending();
    end.exited();
    await clock.advance(1000);
    expect(story).toEqual(["SIGKILL to the group"]);
    end.stop();
    expect(story).toEqual(["SIGKILL to the group", "SIGKILL"]);
  });

  it("asks once, however often a stop is requested", async () => {
    const { clock, story, end } = ending();
    end.stop();
    end.stop();
    await clock.advance(100);
    end.stop();
    end.closed();
    expect(story).toEqual(["SIGTERM", "end"]);
  });
});
