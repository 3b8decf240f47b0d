// Dice for simulated worlds. A roll depends only on the names of its place in the world. So it is the same, however often and in whatever
// order the simulation reaches the places.

import { createSeededChance } from "../../src/testing/seeded-chance.ts";

export interface Dice {
  /** In [0, 1). */
  roll(): number;
  /** A whole number, both ends included. */
  int(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The same parts give the same dice. */
export function diceFor(...parts: readonly (string | number)[]): Dice {
  const chance = createSeededChance(hashOf(...parts));
  const roll = (): number => chance.roll();
  const int = (least: number, most: number): number => least + Math.floor(roll() * (most - least + 1));
  return {
    roll,
    int,
    chance: (share) => roll() < share,
    pick: (list) => {
      const picked = list[int(0, list.length - 1)];
      if (picked === undefined) throw new RangeError("There is nothing to pick from.");
      return picked;
    },
  };
}

/** 32 bits that depend on every part and on their order (FNV-1a, stirred at the end so that close names lie far apart). */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Rolls one of the names by its weight. */
export function weighted<Name extends string>(dice: Dice, weights: Readonly<Partial<Record<Name, number>>>): Name {
  const rows = Object.entries(weights) as [Name, number][];
  let left = dice.roll() * rows.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of rows) {
    left -= weight;
    if (left < 0) return name;
  }
  const [last] = rows.at(-1) ?? [];
  if (last === undefined) throw new RangeError("There is nothing to pick from.");
  return last;
}
