// What is remembered of past incidents: newest first, so many, so long.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { Incident } from "../../../src/core/decide/situation.ts";
import { MAX_NOTED, noteIncident, recentIncidents } from "../../../src/runtime/target/incidents.ts";

const noted = (at: number, worked = true): Incident => ({ recourse: "fallback", worked, at });

it("puts the newest first, and the last noted first of those of one time", () => {
  const list = [noted(5, true), noted(9, true), noted(7, false), noted(9, false)].reduce(noteIncident, []);
  expect(list.map(({ at, worked }) => [at, worked])).toEqual([
    [9, false],
    [9, true],
    [7, false],
    [5, true],
  ]);
});

it("never holds more than its bound, and forgets the oldest", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 15, maxLength: 60 }), (times) => {
      const list = times.map((at) => noted(at)).reduce(noteIncident, []);
      expect(list.map(({ at }) => at)).toEqual(times.toSorted((a, b) => b - a).slice(0, MAX_NOTED));
    }),
  );
});

it("changes nothing in the list it was given", () => {
  const list = Object.freeze([noted(1)]);
  expect(noteIncident(list, noted(2))).toHaveLength(2);
  expect(list).toHaveLength(1);
});

it("tells what is recent, as a decision reads it", () => {
  const list = [noted(1000, false), noted(500, true), noted(499, true)];
  expect(recentIncidents(list, 1500, 1000)).toMatchObject([
    { recourse: "fallback", worked: false },
    { recourse: "fallback", worked: true },
  ]);
  expect(recentIncidents(list, 0, 1000)).toHaveLength(3);
});
