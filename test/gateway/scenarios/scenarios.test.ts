// The sixteen failover scenarios for every pair of dialects, whole and streamed. A pair of one dialect, whose answers pass unchanged, has every
// scenario. The other pairs share the cases: every scenario has each dialect on both sides.

import { expect, it } from "vitest";
import { everyPair } from "../../support/grid.ts";
import { DIALECTS } from "../dialect-clients.ts";
import { SCENARIOS } from "./scenarios.ts";

const CASES = SCENARIOS.flatMap(({ id, name, run, streamsOnly }) =>
  [false, true]
    .filter((streaming) => streaming || streamsOnly !== true)
    .map((streaming) => ({ id, name, run, streaming, how: streaming ? "as a stream" : "as a whole" })),
);
const GRID = everyPair(
  DIALECTS.flatMap((client) => DIALECTS.flatMap((target) => CASES.map((one) => ({ ...one, client, target })))),
  ({ id }) => id,
  ({ streaming }) => streaming,
  ({ client }) => client,
  ({ target }) => target,
  ({ client, target }) => (client === target ? client : "translated"),
);

it.each(GRID)("$client → $target: $id $name, $how", async ({ run, client, target, streaming }) => {
  expect(await run({ client, target, streaming })).toMatch(/^(?:rescued|clean)$/);
});
