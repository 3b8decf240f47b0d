// The only place that makes random numbers and unique names. Everything else gets it as an argument.

import { nodeCrypto } from "./builtin.ts";

/** Random numbers and ids, as a program or a test gives them. */
export interface Chance {
  /** In [0, 1). */
  roll(): number;
  /** A name that is new in the world, e.g. `ses_9f1c…`. */
  newId(prefix: string): string;
}

export const systemChance: Chance = {
  roll: () => Math.random(),
  newId: (prefix) => `${prefix}_${nodeCrypto().randomUUID().replaceAll("-", "").slice(0, 20)}`,
};
