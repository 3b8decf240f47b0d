// The sixteen failover scenarios for every pair of dialects, whole and streamed. Pairs of one dialect have every case. The others share
// the cases: each pair has every fifth, and the next pair the next ones.

import { describe, expect, it } from "vitest";
import { shareOf } from "../../support/grid.ts";
import { DIALECTS } from "../dialect-clients.ts";
import { SCENARIOS } from "./scenarios.ts";

const PAIRS = DIALECTS.flatMap((client, row) =>
  DIALECTS.map((target, column) => ({ client, target, turn: row + column })),
);

describe.each(PAIRS)("$client → $target", ({ client, target, turn }) => {
  const cases = SCENARIOS.flatMap(({ id, name, run, streamsOnly }) =>
    [false, true]
      .filter((streaming) => streaming || streamsOnly !== true)
      .map((streaming) => ({ id, name, run, streaming, how: streaming ? "as a stream" : "as a whole" })),
  );

  it.each(client === target ? cases : shareOf(cases, 5, turn))("$id $name, $how", async ({ run, streaming }) => {
    expect(await run({ client, target, streaming })).toMatch(/^(?:rescued|clean)$/);
  });
});
