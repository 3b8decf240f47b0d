// The fake clock's promises F1–F4, by example and over random timetables against a simple model.

import fc from "fast-check";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

/** Promises that take a few steps to get anywhere. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve();
}

describe("a fake clock", () => {
  it("stands still until it is moved", async () => {
    const clock = createFakeClock(1000);
    let fired = false;
    clock.after(10, () => void (fired = true));
    await steps(100);
    expect([clock.now(), fired, clock.pending]).toEqual([1000, false, 1]);
    await clock.advance(9);
    expect([clock.now(), fired]).toEqual([1009, false]);
    await clock.advance(1);
    expect([clock.now(), fired, clock.pending]).toEqual([1010, true, 0]);
  });

  it("fires by time, and in the order they were set among timers of one time, each at its own time", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    for (const [name, delayMs] of [
      ["c", 20],
      ["a", 10],
      ["d", 20],
      ["b", 10],
      ["e", 30],
    ] as const) {
      clock.after(delayMs, () => seen.push(`${name}@${clock.now()}`));
    }
    await clock.advance(25);
    expect(seen).toEqual(["a@10", "b@10", "c@20", "d@20"]);
    expect([clock.now(), clock.nextAt]).toEqual([25, 30]);
  });

  it("lets all promises, and everything asked for soon, run between two timers", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    clock.after(5, () => {
      void steps(500).then(() => {
        seen.push("promise");
        clock.soon(() => void steps(50).then(() => void seen.push("soon, and its promise")));
      });
    });
    clock.after(5, () => void seen.push("second timer"));
    await clock.advance(5);
    expect(seen).toEqual(["promise", "soon, and its promise", "second timer"]);
  });

  it("runs what was asked for soon in order, after the promises that were ready", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    clock.soon(() => {
      seen.push("first");
      void Promise.resolve().then(() => seen.push("its promise"));
      clock.soon(() => seen.push("third"));
    });
    clock.soon(() => seen.push("second"));
    void Promise.resolve().then(() => seen.push("promise"));
    expect(clock.pending).toBe(2);
    await clock.advance(0);
    expect(seen).toEqual(["promise", "first", "its promise", "second", "third"]);
  });

  it("sees promises that are ready even when it is moved from one of Node's own ticks", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      process.nextTick(() => {
        void steps(20).then(() => seen.push("promise"));
        clock.after(0, () => seen.push("timer"));
        void clock.advance(0).then(resolve);
      });
    });
    expect(seen).toEqual(["promise", "timer"]);
  });

  it("fires what timers set on the way, if it falls due", async () => {
    const clock = createFakeClock();
    const seen: number[] = [];
    const again = (): void => {
      seen.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.nextAt).toBe(40);
  });

  it("forgets a timer that is taken back, before or after it fired, once or twice", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    const takeBack = ["a", "b", "c"].map((name) => clock.after(10, () => seen.push(name)));
    takeBack[1]?.();
    takeBack[1]?.();
    expect(clock.pending).toBe(2);
    await clock.advance(10);
    takeBack.forEach((take) => take());
    expect([seen, clock.pending]).toEqual([["a", "c"], 0]);
  });

  it("does not fire a timer that another one of the same time took back", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    clock.after(10, () => takeBack());
    const takeBack = clock.after(10, () => seen.push("late"));
    await clock.advance(10);
    expect([seen, clock.pending]).toEqual([[], 0]);
  });

  it("keeps its order over thousands of timers of which half are taken back", async () => {
    const clock = createFakeClock();
    const chance = createSeededChance(1);
    const fired: number[] = [];
    const timers = Array.from({ length: 4000 }, () => {
      const at = Math.floor(chance.roll() * 100_000);
      return { at, takeBack: clock.after(at, () => fired.push(clock.now())) };
    });
    const kept = timers.filter(({ takeBack }) => {
      const isKept = chance.roll() < 0.5;
      if (!isKept) takeBack();
      return isKept;
    });
    expect(clock.pending).toBe(kept.length);
    await clock.runAll();
    expect(fired).toEqual(kept.map(({ at }) => at).sort((a, b) => a - b));
  });

  it("waits like the system's clock: at least 0, whole milliseconds, and never forever", async () => {
    const clock = createFakeClock();
    const due = (delayMs: number): number | null => {
      const takeBack = clock.after(delayMs, () => undefined);
      const at = clock.nextAt;
      takeBack();
      return at;
    };
    expect([-5, 0, 1.2, Infinity, NaN].map(due)).toEqual([0, 0, 2, 2 ** 31 - 1, 2 ** 31 - 1]);
    await clock.advance(0);
  });

  it("goes from timer to timer, and says when there is none", async () => {
    const clock = createFakeClock();
    const seen: number[] = [];
    clock.after(7, () => seen.push(clock.now()));
    clock.after(3, () => seen.push(clock.now()));
    expect(await clock.next()).toBe(true);
    expect([seen, clock.now()]).toEqual([[3], 3]);
    expect([await clock.next(), await clock.next()]).toEqual([true, false]);
    expect([seen, clock.now()]).toEqual([[3, 7], 7]);
  });

  it("runs everything there is, and counts it", async () => {
    const clock = createFakeClock();
    const work = (async () => {
      for (let index = 0; index < 5; index++) await new Promise<void>((wake) => void clock.after(100, wake));
      return clock.now();
    })();
    expect(await clock.runAll()).toBe(5);
    expect(await work).toBe(500);
  });

  it("runs until some work has ended and leaves later timers alone", async () => {
    const clock = createFakeClock();
    clock.after(1000, () => undefined);
    const work = new Promise<string>((resolve) => void clock.after(50, () => resolve("done")));
    expect(await clock.runUntil(work)).toBe("done");
    expect([clock.now(), clock.pending]).toEqual([50, 1]);
    expect(await clock.runUntil(Promise.resolve("at once"))).toBe("at once");
    expect(clock.now()).toBe(50);
    await expect(clock.runUntil(Promise.reject(new Error("its own failure")))).rejects.toThrow("its own failure");
  });

  it("says so when no timer can end the work any more", async () => {
    const clock = createFakeClock();
    clock.after(5, () => undefined);
    await expect(clock.runUntil(new Promise(() => undefined))).rejects.toThrow("No timer is pending at 5");
    await clock.advance(1);
  });

  it("is moved by one at a time, and forward only", async () => {
    const clock = createFakeClock();
    const first = clock.advance(1);
    await expect(clock.advance(1)).rejects.toMatchObject({ fault: { code: "EngineState" } });
    await first;
    await expect(clock.advance(-1)).rejects.toThrow("forward only");
    await expect(clock.advance(NaN)).rejects.toThrow("forward only");
    expect(clock.now()).toBe(1);
  });

  it("passes on what a timer throws, and can continue after it", async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    clock.after(1, () => {
      throw new Error("from the timer");
    });
    clock.after(2, () => seen.push("next"));
    await expect(clock.advance(5)).rejects.toThrow("from the timer");
    await clock.advance(5);
    expect(seen).toEqual(["next"]);
  });

  it("sees streams too when it is given turns of the event loop", async () => {
    const clock = createFakeClock(0, (next) => systemClock.soon(next));
    const seen: string[] = [];
    const stream = new PassThrough({ encoding: "utf8" });
    stream.pipe(new PassThrough({ encoding: "utf8" })).on("data", (text: string) => seen.push(text));
    clock.after(1, () => stream.write("through two streams"));
    clock.after(1, () => seen.push("second timer"));
    await clock.advance(1);
    expect(seen).toEqual(["through two streams", "second timer"]);
  });
});

describe("any timetable", () => {
  type Act =
    | { readonly act: "set"; readonly delayMs: number }
    | { readonly act: "take back"; readonly pick: number }
    | { readonly act: "advance"; readonly ms: number };

  const acts = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ act: fc.constant("set" as const), delayMs: fc.nat(50) }) },
      { weight: 2, arbitrary: fc.record({ act: fc.constant("take back" as const), pick: fc.nat(1000) }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constant("advance" as const), ms: fc.nat(40) }) },
    ),
    { maxLength: 200 },
  );

  interface Entry {
    readonly id: number;
    readonly at: number;
    readonly takeBack: () => void;
  }

  /** Fires what is due as a sorted list would. */
  function due(entries: readonly Entry[], until: number): readonly Entry[] {
    return entries.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at || a.id - b.id);
  }

  async function play(clock: FakeClock, script: readonly Act[]): Promise<void> {
    let entries: readonly Entry[] = [];
    const fired: string[] = [];
    const expected: string[] = [];
    let ids = 0;
    for (const act of script) {
      if (act.act === "set") {
        const id = ids++;
        const takeBack = clock.after(act.delayMs, () => fired.push(`${id}@${clock.now()}`));
        entries = [...entries, { id, at: clock.now() + act.delayMs, takeBack }];
      } else if (act.act === "take back") {
        const picked = entries[act.pick % Math.max(1, entries.length)];
        picked?.takeBack();
        entries = entries.filter((entry) => entry !== picked);
      } else {
        const until = clock.now() + act.ms;
        expected.push(...due(entries, until).map(({ id, at }) => `${id}@${at}`));
        entries = entries.filter(({ at }) => at > until);
        await clock.advance(act.ms);
      }
      expect(clock.pending).toBe(entries.length);
      expect(clock.nextAt).toBe(entries.length === 0 ? null : Math.min(...entries.map(({ at }) => at)));
    }
    expect(fired).toEqual(expected);
  }

  it("is kept as a sorted list would keep it", async () => {
    await fc.assert(
      fc.asyncProperty(acts, (script) => play(createFakeClock(), script)),
      { numRuns: 300 },
    );
  });
});
