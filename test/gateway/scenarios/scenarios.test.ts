// The sixteen failover scenarios for every pair of dialects, whole and streamed.

import { describe, expect, it } from "vitest";
import { DIALECTS } from "../dialect-clients.ts";
import { SCENARIOS } from "./scenarios.ts";

const PAIRS = DIALECTS.flatMap((client) => DIALECTS.map((target) => ({ client, target })));

describe.each(PAIRS)("$client → $target", ({ client, target }) => {
  const cases = SCENARIOS.flatMap(({ id, name, run, streamsOnly }) =>
    [false, true]
      .filter((streaming) => streaming || streamsOnly !== true)
      .map((streaming) => ({ id, name, run, streaming, how: streaming ? "as a stream" : "as a whole" })),
  );

  it.each(cases)("$id $name, $how", async ({ run, streaming }) => {
    expect(await run({ client, target, streaming })).toMatch(/^(?:rescued|clean)$/);
  });
});
