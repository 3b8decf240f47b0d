// The conformance suite: every package meets every fault of the server, with a whole and a streamed answer, alone and with a
// fallback. The result is what the tables say, or an exception with a reason. Every package meets every fault alone here, with a whole answer or
// a streamed one; with a fallback, the packages share the faults among them.

import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyPair, shareOf } from "../../support/grid.ts";
import { COLUMNS } from "./columns.ts";
import { EXCEPTIONS, exceptionFor } from "./exceptions.ts";
import { cellFor, type Expected, type Place, PLACES } from "./expected.ts";
import { type GridWorld, startGridWorld } from "./grid-world.ts";
import { codeIn, observe } from "./observe.ts";

let world: GridWorld;
beforeAll(async () => void (world = await startGridWorld()));
afterAll(() => world.close());

function titled(place: Place): readonly [string, Place] {
  return [`${place.row.id}, ${place.streaming ? "as a stream" : "as a whole"}`, place];
}

const LONELY = new Set(
  everyPair(
    PLACES,
    ({ column }) => column,
    ({ row }) => row,
    ({ streaming }) => streaming,
  ),
);

describe.each(COLUMNS)("$name", (column) => {
  const places = PLACES.filter((place) => place.column === column);
  const chained = new Set(column.through === "model" ? shareOf(places, 7, COLUMNS.indexOf(column)) : []);
  const met = places.filter((place) => LONELY.has(place) || chained.has(place));

  it.each(met.map(titled))("meets %s as the tables say", async (_title, place) => {
    const { alone, inChain } = cellFor(place);
    if (LONELY.has(place)) await meets(place, alone, false);
    if (inChain !== null && chained.has(place)) await meets(place, inChain, true);
  });
});

async function meets(place: Place, expected: Expected, hasStandIn: boolean): Promise<void> {
  const { error, lastStatus, ...seen } = await observe(world, place, hasStandIn);
  expect(seen, hasStandIn ? "with a stand-in" : "alone").toEqual({ ...expected, strays: 0 });
  if (expected.sees === "whole") expect(error).toBeNull();
  else if (place.column.through === "model") expect(codeIn(error)).toBe(expected.code);
  else expect([expected.code, lastStatus, "timeout"]).toContain(codeIn(error) ?? ownWord(error));
}

/** The vendors' packages create their own errors from an error answer, and Anthropic's from a timeout. */
function ownWord(error: unknown): unknown {
  if (error instanceof Anthropic.APIConnectionTimeoutError) return "timeout";
  return typeof error === "object" && error !== null && "status" in error ? error.status : error;
}

describe("the exceptions", () => {
  it.each(EXCEPTIONS.map((exception) => [exception.why, exception] as const))(
    "make a difference wherever they apply: %s",
    (_why, exception) => {
      const places = PLACES.filter((place) => exceptionFor(place) === exception);
      expect(places.length).toBeGreaterThan(0);
      for (const place of places) expect(cellFor(place), titled(place)[0]).not.toEqual(cellFor(place, null));
    },
  );

  it("name only existing faults and packages", () => {
    const ids = new Set<string>(PLACES.map(({ row }) => row.id));
    const names = new Set(COLUMNS.map(({ name }) => name));
    expect(EXCEPTIONS.flatMap(({ faults }) => faults).filter((id) => !ids.has(id))).toEqual([]);
    expect(EXCEPTIONS.flatMap(({ columns }) => columns ?? []).filter((name) => !names.has(name))).toEqual([]);
  });
});
