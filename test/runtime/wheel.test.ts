// The wheel's guarantees W1 to W3, by example and against a model that scans a list at every moment.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Wheel, type WheelEntry } from "../../src/runtime/wheel.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { samples } from "../support/grid.ts";

class Entry implements WheelEntry {
  wheelBucket: WheelEntry["wheelBucket"] = null;
  wheelBefore: WheelEntry | null = null;
  wheelAfter: WheelEntry | null = null;
  readonly dueAt: number;
  readonly addedAt: number;
  readonly firedAt: number[] = [];
  readonly #then: () => void;
  removedAt: number | null = null;

  constructor(addedAt: number, waitMs: number, then: () => void = () => undefined) {
    this.addedAt = addedAt;
    this.dueAt = addedAt + waitMs;
    this.#then = then;
  }

  expire(now: number): void {
    this.firedAt.push(now);
    this.#then();
  }

  /** A wait is rounded up by less than a hundredth, and by at most a millisecond if it is short. */
  get latestAt(): number {
    return this.dueAt + Math.max(1, (this.dueAt - this.addedAt) / 100);
  }
}

/** A clock that arms no timer further ahead than this, like the system's. */
function ticking(startAt: number, tickMs: number): FakeClock {
  return Object.create(createFakeClock(startAt), { tickMs: { value: tickMs } }) as FakeClock;
}

function added(wheel: Wheel, clock: FakeClock, waitMs: number, then?: () => void): Entry {
  const entry = new Entry(clock.now(), waitMs, then);
  wheel.add(entry, clock.now(), entry.dueAt);
  return entry;
}

type Step =
  | { readonly do: "add"; readonly waitMs: number }
  | { readonly do: "remove"; readonly which: number }
  | { readonly do: "pass"; readonly ms: number };

const waits = fc.oneof(
  fc.nat(600),
  fc.double({ min: 0, max: 700, noNaN: true }),
  fc.integer({ min: 500, max: 100_000 }),
  fc.integer({ min: 100_000, max: 30 * 24 * 3_600_000 }),
);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: waits.map((waitMs): Step => ({ do: "add", waitMs })) },
    { weight: 2, arbitrary: fc.nat().map((which): Step => ({ do: "remove", which })) },
    { weight: 2, arbitrary: fc.oneof(fc.nat(50), fc.nat(60_000)).map((ms): Step => ({ do: "pass", ms })) },
  ),
  { maxLength: 60 },
);
const starts = fc.constantFrom(0, 1, 999_937, 1_790_000_000_123);

describe("a wheel", () => {
  it.each([2 ** 38, 2 ** 39, 2 ** 40 + 12_345, 1e15 + 7])(
    "fires an entry that is %d ms ahead, never early",
    async (waitMs) => {
      const clock = createFakeClock(1_000);
      const wheel = new Wheel(clock);
      const entry = added(wheel, clock, waitMs);
      await clock.runAll();
      expect(entry.firedAt).toHaveLength(1);
      expect(entry.firedAt[0]).toBeGreaterThanOrEqual(entry.dueAt);
      expect(entry.firedAt[0]).toBeLessThanOrEqual(entry.latestAt);
    },
  );

  it.each([Infinity, 50])(
    "fires each entry once, never early and at most a bucket late, and none that was removed (ticks of %d ms)",
    async (tickMs) => {
      await fc.assert(
        fc.asyncProperty(steps, starts, async (schedule, startAt) => {
          const clock = ticking(startAt, tickMs);
          const wheel = new Wheel(clock);
          const entries: Entry[] = [];
          const inside = (): readonly Entry[] =>
            entries.filter(({ firedAt, removedAt }) => firedAt.length === 0 && removedAt === null);
          for (const step of schedule) {
            if (step.do === "add") entries.push(added(wheel, clock, step.waitMs));
            else if (step.do === "pass") await clock.advance(step.ms);
            else {
              const entry = entries[step.which % Math.max(1, entries.length)];
              if (entry !== undefined) {
                wheel.remove(entry);
                if (entry.firedAt.length === 0) entry.removedAt ??= clock.now();
              }
            }
            const now = clock.now();
            for (const entry of inside()) expect(now, "still inside").toBeLessThan(entry.latestAt + 1);
            expect(wheel.size).toBe(inside().length);
          }
          // With ticks, a month ahead would be millions of timers, so longer waits are cut off.
          for (const entry of inside().filter(({ dueAt }) => dueAt > clock.now() + 200_000)) {
            wheel.remove(entry);
            entry.removedAt = clock.now();
          }
          await clock.runAll();
          expect(wheel.size).toBe(0);
          for (const { firedAt, dueAt, latestAt, removedAt } of entries) {
            expect(firedAt).toHaveLength(removedAt === null ? 1 : 0);
            for (const at of firedAt) {
              expect(at).toBeGreaterThanOrEqual(dueAt);
              expect(at).toBeLessThanOrEqual(Math.ceil(latestAt));
            }
          }
        }),
        { numRuns: samples(100, 300) },
      );
    },
  );

  it("fires a thousand entries in order of time with one timer", async () => {
    const clock = createFakeClock(0);
    const wheel = new Wheel(clock);
    const fired: number[] = [];
    for (let index = 0; index < 1_000; index++) {
      const waitMs = ((index * 7_919) % 1_000) * 30;
      added(wheel, clock, waitMs, () => fired.push(clock.now()));
    }
    expect(clock.pending).toBe(1);
    await clock.runAll();
    expect(fired).toHaveLength(1_000);
    expect(fired).toEqual(fired.toSorted((a, b) => a - b));
  });

  it("allows adding and removing while it fires", async () => {
    const clock = createFakeClock(0);
    const wheel = new Wheel(clock);
    const later: Entry[] = [];
    const beside = added(wheel, clock, 100);
    // Among entries of the same time, the last one added comes first.
    const first = added(wheel, clock, 100, () => {
      wheel.remove(beside);
      later.push(added(wheel, clock, 0), added(wheel, clock, 50));
    });
    await clock.runAll();
    expect([first.firedAt, beside.firedAt]).toEqual([[100], []]);
    expect(later.map(({ firedAt }) => firedAt)).toEqual([[100], [150]]);
  });

  it("ignores the removal of an entry that is not in it", async () => {
    const clock = createFakeClock(0);
    const wheel = new Wheel(clock);
    const never = new Entry(0, 10);
    wheel.remove(never);
    const once = added(wheel, clock, 10);
    await clock.runAll();
    wheel.remove(once);
    expect(wheel.size).toBe(0);
    wheel.add(once, clock.now(), clock.now() + 5);
    await clock.runAll();
    expect(once.firedAt).toEqual([10, 15]);
  });
});

describe("an empty wheel", () => {
  it("holds no timer beyond one tick, however far ahead its last entry was", async () => {
    const clock = ticking(0, 50);
    const wheel = new Wheel(clock);
    const entry = added(wheel, clock, 30_000);
    await clock.advance(20);
    wheel.remove(entry);
    expect(clock.pending).toBe(1);
    await clock.advance(30);
    expect(clock.pending).toBe(0);
  });

  it("holds one timer while calls come and go, and none after the last", async () => {
    const clock = ticking(0, 50);
    const wheel = new Wheel(clock);
    for (let call = 0; call < 1_000; call++) {
      const entry = added(wheel, clock, 30_000);
      await clock.advance(1);
      wheel.remove(entry);
      expect(clock.pending).toBeLessThanOrEqual(1);
    }
    await clock.advance(50);
    expect(clock.pending).toBe(0);
    expect(clock.now()).toBe(1_050);
  });
});
