// What a journal says of itself before it is opened.

import { resolve } from "node:path";
import { expect, it } from "vitest";
import { systemChance } from "../../src/host/chance.ts";
import { systemClock } from "../../src/host/clock.ts";
import { openLater } from "../../src/journal/open-later.ts";

it.each([
  ["agent.db", resolve("agent.db")],
  ["postgres://db.invalid/agents", null],
  ["postgresql://db.invalid/agents?schema=a", null],
])("a journal at %s that is not open yet has the path %s", (place, path) => {
  expect(openLater(place, { clock: systemClock, chance: systemChance }).path).toBe(path);
});
