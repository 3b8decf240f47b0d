// Random numbers and ids that are the same for the same seed, so that a failed simulation can be repeated.

import type { Chance } from "../host/chance.ts";

/** Rolls that are discarded first, so that neighbouring seeds have nothing in common. */
const WARM_UP_ROLLS = 15;
const TWO_TO_32 = 2 ** 32;

/** The generator is sfc32 (Chris Doty-Humphrey's small fast counter). Ids do not use up rolls. */
export function createSeededChance(seed: number): Chance {
  let a = Math.floor(seed / TWO_TO_32) | 0;
  let b = seed | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const named = new Map<string, number>();

  function roll(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / TWO_TO_32;
  }

  for (let index = 0; index < WARM_UP_ROLLS; index++) roll();

  return {
    roll,
    newId(prefix) {
      const number = (named.get(prefix) ?? 0) + 1;
      named.set(prefix, number);
      return `${prefix}_${number}`;
    },
  };
}
