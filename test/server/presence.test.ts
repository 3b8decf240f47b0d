// The server knows who looks at a question for twenty seconds after the last report.

import { describe, expect, it } from "vitest";
import { createPresence } from "../../src/server/presence.ts";
import { createFakeClock } from "../../src/testing/index.ts";

describe("presence at a question", () => {
  it("lists the other people, each once, until they have been silent for twenty seconds", async () => {
    const clock = createFakeClock(0);
    const presence = createPresence(clock);
    presence.note("q", "bob");
    presence.note("q", "ann");
    presence.note("other", "eve");
    await clock.advance(15_000);
    presence.note("q", "bob");
    expect(presence.others("q", "me")).toEqual(["ann", "bob"]);
    expect(presence.others("q", "ann")).toEqual(["bob"]);
    await clock.advance(5_001);
    expect(presence.others("q", "me")).toEqual(["bob"]);
    await clock.advance(15_000);
    expect([presence.others("q", "me"), presence.others("other", "me")]).toEqual([[], []]);
  });
});
