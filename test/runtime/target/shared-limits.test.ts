// Tools that share a target and set different limits: the strictest value of each limit applies, in any order.

import { describe, expect, it } from "vitest";
import { broken, held, type More, world } from "../../support/world.ts";

const ONCE: More = { retry: "none", target: "api" };

describe("tools on one target that set different limits", () => {
  it.each([
    ["the wide one first", [3, 1]],
    ["the narrow one first", [1, 3]],
  ] as const)("run no more at once than the strictest of them allows: %s", async (_order, [first, second]) => {
    const { fl, clock } = world();
    const one = held("one", clock, { target: "api", maxConcurrent: first });
    const other = held("other", clock, { target: "api", maxConcurrent: second });
    const begun = fl.protect(one.tool, "a");
    await clock.advance(0);
    const next = fl.protect(other.tool, "b");
    await clock.advance(0);
    expect([one.runs.length, other.runs.length]).toEqual([1, 0]);
    one.run(0).answer("");
    await clock.advance(0);
    other.run(0).answer("");
    expect(await Promise.all([begun, next])).toMatchObject([{ status: "done" }, { status: "done" }]);
  });

  it("queue as few as the strictest allows; a tool without a limit changes nothing", async () => {
    const { fl, clock } = world();
    const silent = held("silent", clock, { target: "api" });
    const busy = held("busy", clock, { target: "api", maxConcurrent: 1 });
    const short = held("short", clock, { target: "api", maxQueued: 1 });
    const calls = [fl.protect(busy.tool, "runs")];
    await clock.advance(0);
    calls.push(fl.protect(short.tool, "waits"));
    await clock.advance(0);
    expect(await clock.runUntil(fl.protect(silent.tool, "refused"))).toMatchObject({ fault: { code: "QueueFull" } });
    busy.run(0).answer("");
    await clock.advance(0);
    short.run(0).answer("");
    await Promise.all(calls);
  });

  it.each([
    ["the patient one first", [4, 2]],
    ["the strict one first", [2, 4]],
  ] as const)(
    "open its breaker after the fewest failures that any of them allows: %s",
    async (_order, [first, second]) => {
      const { fl } = world();
      const one = broken("one", "ToolUnavailable", { ...ONCE, breaker: { failures: first } });
      const other = broken("other", "ToolUnavailable", { ...ONCE, breaker: { failures: second } });
      await fl.protect(one.tool, "x");
      await fl.protect(other.tool, "x");
      expect(fl.targets()).toMatchObject([{ target: "api", breaker: "open" }]);
    },
  );

  it("keep a limit that only one of them sets, even if it is above the policy's", async () => {
    const { fl } = world();
    const silent = broken("silent", "ToolUnavailable", ONCE);
    const slow = broken("slow", "ToolUnavailable", { ...ONCE, breaker: { openMs: 90_000 } });
    const patient = broken("patient", "ToolUnavailable", { ...ONCE, breaker: { failures: 8 } });
    for (const each of [silent, slow, patient, silent, slow, patient, silent]) await fl.protect(each.tool, "x");
    expect(fl.targets()).toMatchObject([{ breaker: "closed" }]);
    expect(await fl.protect(silent.tool, "x")).toMatchObject({ fault: { code: "ToolUnavailable" } });
    expect(fl.targets()).toMatchObject([{ breaker: "open" }]);
    const refused = await fl.protect(patient.tool, "x");
    expect(refused).toMatchObject({ fault: { code: "CircuitOpen", resetAt: expect.any(Number) as number } });
    expect("fault" in refused ? (refused.fault.resetAt ?? 0) - world().clock.now() : 0).toBe(90_000);
  });
});
