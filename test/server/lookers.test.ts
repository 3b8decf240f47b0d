// Who looks at a question is known for twenty seconds after the last word, and not longer.

import { describe, expect, it } from "vitest";
import { createLookers } from "../../src/server/lookers.ts";
import { createFakeClock } from "../../src/testing/index.ts";

describe("those who look at a question", () => {
  it("are the others, each once, until they have been silent for twenty seconds", async () => {
    const clock = createFakeClock(0);
    const lookers = createLookers(clock);
    lookers.note("q", "bob");
    lookers.note("q", "ann");
    lookers.note("other", "eve");
    await clock.advance(15_000);
    lookers.note("q", "bob");
    expect(lookers.others("q", "me")).toEqual(["ann", "bob"]);
    expect(lookers.others("q", "ann")).toEqual(["bob"]);
    await clock.advance(5_001);
    expect(lookers.others("q", "me")).toEqual(["bob"]);
    await clock.advance(15_000);
    expect([lookers.others("q", "me"), lookers.others("other", "me")]).toEqual([[], []]);
  });
});
