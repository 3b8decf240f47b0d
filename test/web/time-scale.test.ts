// The axis of waterfalls and schedules: times keep their order, idle stretches are drawn short, and ticks can be read.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ScaleOptions, timeScale } from "../../web/parts/time-scale.ts";

const HOUR = 3_600_000;
const LENGTHS = [1, 7, 480, 1_000, 61_000, 95_000, HOUR, 26 * HOUR, 90 * 24 * HOUR, 4_000 * 24 * HOUR];

/** Two seconds of work around an hour in which nothing happens. */
const IDLE: ScaleOptions = {
  startAt: 1_000,
  endAt: 1_000 + HOUR,
  busy: [
    { startAt: 1_000, endAt: 2_000 },
    { startAt: HOUR, endAt: HOUR + 1_000 },
  ],
};

describe("a time scale", () => {
  it.each(LENGTHS)("puts the start at the left edge and the end at the right one, over %d ms", (long) => {
    const { shareOf } = timeScale({ startAt: 5, endAt: 5 + long });
    expect([shareOf(5), shareOf(5 + long)]).toEqual([0, 1]);
    expect(shareOf(5 + long / 2)).toBeCloseTo(0.5, 9);
  });

  it.each(LENGTHS)("has few ticks in order, all in view, over %d ms", (long) => {
    for (const window of [undefined, { from: 0.5, to: 0.51 }, { from: 0, to: 0.3 }]) {
      const { ticks } = timeScale({ startAt: 0, endAt: long, ...(window === undefined ? {} : { window }) });
      expect(ticks.length).toBeLessThanOrEqual(9);
      expect(ticks.every(({ share }) => share >= 0 && share <= 1)).toBe(true);
      expect(ticks).toEqual(ticks.toSorted((a, b) => a.ms - b.ms));
      if (window === undefined) expect(ticks[0]).toEqual({ share: 0, ms: 0 });
    }
  });

  it("has whole steps that people count in", () => {
    expect(timeScale({ startAt: 0, endAt: 95_000 }).ticks.map(({ ms }) => ms)).toEqual([
      0, 15_000, 30_000, 45_000, 60_000, 75_000, 90_000,
    ]);
    expect(timeScale({ startAt: 0, endAt: 480 }).ticks.map(({ ms }) => ms)).toEqual([0, 100, 200, 300, 400]);
  });

  it("draws a stretch in which nothing happened short, and says how long it was", () => {
    const { shareOf, gaps, ticks } = timeScale(IDLE);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.ms).toBe(HOUR - 2_000);
    expect(gaps[0]?.width).toBeLessThan(0.05);
    expect(shareOf(2_000)).toBeGreaterThan(0.45);
    const times = [1_000, 1_500, 2_000, 10_000, HOUR / 2, HOUR, HOUR + 500, HOUR + 1_000];
    const shares = times.map(shareOf);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
    const isInGap = (ms: number): boolean => ms > 1_000 && ms < HOUR - 1_000;
    expect(ticks.some(({ ms }) => isInGap(ms))).toBe(false);
  });

  it("goes from 0 to 1 and never turns back, whatever was busy", () => {
    const time = fc.integer({ min: 0, max: 200_000 });
    const interval = fc.tuple(time, time).map(([a, b]) => ({ startAt: Math.min(a, b), endAt: Math.max(a, b) }));
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 8 }), fc.array(time), (busy, times) => {
        const { shareOf } = timeScale({ startAt: 0, endAt: 200_000, busy });
        expect([shareOf(0), shareOf(200_000)]).toEqual([0, expect.closeTo(1, 6)]);
        const shares = times.toSorted((a, b) => a - b).map(shareOf);
        expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      }),
    );
  });

  it("shows a part of the axis across its whole width", () => {
    const whole = timeScale(IDLE);
    const { shareOf } = timeScale({ ...IDLE, window: { from: 0.25, to: 0.75 } });
    for (const at of [1_000, 1_700, HOUR, HOUR + 900])
      expect(shareOf(at)).toBeCloseTo((whole.shareOf(at) - 0.25) * 2, 9);
  });

  it("does not fail for something that took no time", () => {
    const { shareOf, ticks } = timeScale({ startAt: 9, endAt: 9, busy: [] });
    expect([shareOf(9), ticks.length > 0]).toEqual([0, true]);
  });
});
