// The time axis of a run: it never turns back, it finds each moment again, and idle time that is cut takes little room.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeScale } from "../../../../web/pages/run/time-scale.ts";

const interval = fc
  .record({ from: fc.integer({ min: 0, max: 100_000 }), length: fc.integer({ min: 1, max: 100_000 }) })
  .map(({ from, length }) => ({ from, to: from + length }));
const WHOLE = { from: 0, to: 200_000 } as const;
const busyTimes = fc.option(fc.array(interval, { maxLength: 8 }), { nil: null });

describe("a time axis", () => {
  it("goes from 0 to 1 and never turns back", () => {
    fc.assert(
      fc.property(busyTimes, fc.array(fc.integer({ min: 0, max: 200_000 })), (busy, times) => {
        const scale = timeScale(WHOLE, busy);
        expect(scale.at(WHOLE.from)).toBe(0);
        expect(scale.at(WHOLE.to)).toBeCloseTo(1, 6);
        const places = times.toSorted((a, b) => a - b).map((time) => scale.at(time));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }),
    );
  });

  it("finds the moment of each place", () => {
    fc.assert(
      fc.property(busyTimes, fc.integer({ min: 0, max: 200_000 }), (busy, time) => {
        const scale = timeScale(WHOLE, busy);
        expect(scale.timeAt(scale.at(time))).toBeCloseTo(time, 0);
      }),
    );
  });

  it("cuts long idle times only when it is told what was busy", () => {
    const busy = [
      { from: 0, to: 10_000 },
      { from: 150_000, to: 160_000 },
    ];
    expect(timeScale(WHOLE).cuts).toEqual([]);
    const scale = timeScale(WHOLE, busy);
    expect(scale.cuts).toEqual([
      { from: 10_000, to: 150_000 },
      { from: 160_000, to: 200_000 },
    ]);
    expect(scale.at(150_000) - scale.at(10_000)).toBeLessThan(0.05);
  });
});
