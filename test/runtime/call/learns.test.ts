// A tool may opt out of incident memory: then earlier outages do not change how often the next call is retried.

import { expect, it } from "vitest";
import { callTimes, scripted, failure, world } from "../../support/world.ts";

const FAILS = Array.from({ length: 60 }, () => failure("ToolUnavailable"));
/** Enough failed calls for the memory to learn that retrying does not help. */
const LEARNED_AFTER = 5;

it.each([
  [true, 1],
  [false, 5],
])(
  "a tool with `learns: %s` makes %i attempts after outages in which retries did not help",
  async (learns, attempts) => {
    const here = world();
    const down = scripted("down", FAILS, { learns, breaker: { failures: 1_000 } });
    await callTimes(here, down.tool, LEARNED_AFTER);
    const [next] = await callTimes(here, down.tool, 1);
    expect(next).toMatchObject({ attempts });
  },
);
