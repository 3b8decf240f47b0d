// What would be decided about a failure, without one.

import { describe, expect, it } from "vitest";
import { tool } from "../../../src/index.ts";
import { world } from "../../support/world.ts";

const LIMITED = { status: 429, headers: { "retry-after": "2" } };

describe("a failure that is tried out", () => {
  it.each([
    { deadlineMs: 2_000, retries: 0 },
    { deadlineMs: 2_001, retries: 1 },
    { deadlineMs: 4_000, retries: 1 },
    { deadlineMs: 4_001, retries: 2 },
    { deadlineMs: 60_000, retries: 5 },
  ])("is retried $retries times in $deadlineMs ms, as the failures of a call are", async ({ deadlineMs, retries }) => {
    const { fl, clock, events } = world();
    const limited = tool<string, string>({
      ...{ id: "t", surface: "http", idempotent: true },
      run: () => Promise.reject(Object.assign(new Error("limited"), LIMITED)),
    });
    const evidence = { ...LIMITED, message: "limited" };
    const { decisions } = await fl.tryOut({ tool: "t", surface: "http", idempotent: true, evidence, deadlineMs });
    await clock.runUntil(fl.protect(limited, "x", { deadlineMs }));
    const waits = decisions.flatMap(({ decision }) => (decision.recourse === "retry" ? [decision.delayMs] : []));
    const lived = events().flatMap((event) =>
      event.type === "call-failed" && event.decision.recourse === "retry" ? [event.decision.delayMs] : [],
    );
    expect(waits).toEqual(Array.from({ length: retries }, () => 2_000));
    expect(lived).toEqual(waits);
  });
});
