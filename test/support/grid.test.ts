// The share of a grid that `npm test` runs has what the whole grid has, two by two.

import { expect, it } from "vitest";
import { everyPair } from "./grid.ts";

const AXES = {
  dialect: ["a", "b", "c", "d"],
  form: [true, false],
  fault: [1, 2, 3, 4, 5, 6, 7],
  place: [null, "x", "y"],
};
type Case = { readonly [Key in keyof typeof AXES]: (typeof AXES)[Key][number] };
const CASES: readonly Case[] = AXES.dialect.flatMap((dialect) =>
  AXES.form.flatMap((form) =>
    AXES.fault.flatMap((fault) => AXES.place.map((place) => ({ dialect, form, fault, place }))),
  ),
);
const KEYS = Object.keys(AXES) as (keyof Case)[];

const pairsIn = (cases: readonly Case[]): ReadonlySet<string> =>
  new Set(
    cases.flatMap((one) =>
      KEYS.flatMap((key, at) => KEYS.slice(at + 1).map((other) => `${key} ${one[key]}, ${other} ${one[other]}`)),
    ),
  );

it.skipIf(process.env["FAULTLINE_GRIDS"] === "whole")(
  "a share of a grid has every pair of its values in few cases",
  () => {
    const share = everyPair(CASES, ...KEYS.map((key) => (one: Case) => one[key]));
    expect(pairsIn(share)).toEqual(pairsIn(CASES));
    // The two longest axes alone need 28.
    expect([CASES.length, share.length]).toEqual([168, 28]);
  },
);
