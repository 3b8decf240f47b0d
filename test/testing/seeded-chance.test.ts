// The same seed gives the same world; another seed gives another one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

function rolls(seed: number, count: number): readonly number[] {
  const chance = createSeededChance(seed);
  return Array.from({ length: count }, () => chance.roll());
}

describe("seeded chance", () => {
  it("rolls the same for the same seed, within [0, 1)", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (seed) => {
        const seen = rolls(seed, 50);
        expect(rolls(seed, 50)).toEqual(seen);
        expect(seen.every((roll) => roll >= 0 && roll < 1)).toBe(true);
      }),
    );
  });

  it("rolls differently for seeds next to each other and for large ones", () => {
    const firsts = [...Array.from({ length: 2000 }, (_none, seed) => seed), 2 ** 32, 2 ** 32 + 1, 2 ** 40, -1];
    expect(new Set(firsts.map((seed) => rolls(seed, 1)[0])).size).toBe(firsts.length);
  });

  it("is fair, along one seed and across seeds", () => {
    const along = rolls(7, 40_000);
    const across = Array.from({ length: 40_000 }, (_none, seed) => rolls(seed, 1)[0] ?? 0);
    for (const sample of [along, across]) {
      const boxes = new Array<number>(16).fill(0);
      for (const roll of sample) boxes[Math.floor(roll * 16)] = (boxes[Math.floor(roll * 16)] ?? 0) + 1;
      // Chi-squared with 15 degrees of freedom: 37.7 is passed by one sample in a thousand, and these are fixed.
      const squared = boxes.reduce((sum, count) => sum + (count - 2500) ** 2 / 2500, 0);
      expect(squared).toBeLessThan(37.7);
    }
  });

  it("gives the numbers of the published generator", () => {
    // sfc32 seeded with (0, 1, 0x9e3779b9) and counter 1, after 15 rolls, computed with 64-bit arithmetic.
    const mask = 0xffffffffn;
    let [a, b, c, counter] = [0n, 1n, 0x9e3779b9n, 1n];
    const next = (): number => {
      const sum = (a + b + counter) & mask;
      counter = (counter + 1n) & mask;
      a = b ^ (b >> 9n);
      b = (c + (c << 3n)) & mask;
      c = (((c << 21n) | (c >> 11n)) + sum) & mask;
      return Number(sum) / 2 ** 32;
    };
    for (let index = 0; index < 15; index++) next();
    expect(rolls(1, 100)).toEqual(Array.from({ length: 100 }, next));
  });

  it("counts names per prefix and uses up no roll for them", () => {
    const chance = createSeededChance(1);
    expect([chance.newId("ses"), chance.newId("call"), chance.newId("call")]).toEqual(["ses_1", "call_1", "call_2"]);
    expect(chance.roll()).toBe(rolls(1, 1)[0]);
  });
});
