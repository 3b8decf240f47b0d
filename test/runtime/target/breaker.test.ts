// The breaker of a target as calls see it: when it opens, which calls it lets through, what counts and what does not.

import { describe, expect, it } from "vitest";
import type { BreakerState } from "../../../src/core/index.ts";
import { step } from "../../../src/index.ts";
import {
  broken,
  callTimes,
  failure,
  held,
  type More,
  scripted,
  START_AT,
  type World,
  world,
} from "../../support/world.ts";

const ONCE: More = { retry: "none" };
const OPEN_MS = 30_000;

function stateOf({ fl }: World, target: string): BreakerState | undefined {
  return fl.targets().find((report) => report.target === target)?.breaker;
}

/** Fails until its breaker opens, then continues with the script. */
function recovering(id: string, then: readonly unknown[], more: More = ONCE): ReturnType<typeof scripted> {
  return scripted(id, [...Array.from({ length: 5 }, () => failure("ToolUnavailable")), ...then], more);
}

describe("a breaker opens", () => {
  it("after five failing calls, then refuses at once and says when it lets the next one through", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    await callTimes(here, down.tool, 4);
    expect(stateOf(here, "down")).toBe("closed");
    await callTimes(here, down.tool, 1);
    expect(stateOf(here, "down")).toBe("open");
    for (const refused of await callTimes(here, down.tool, 3)) {
      expect(refused).toMatchObject({
        status: "surfaced",
        attempts: 0,
        fault: { code: "CircuitOpen", resetAt: START_AT + OPEN_MS, context: { target: "down", tool: "down" } },
      });
    }
    expect(here.clock.now()).toBe(START_AT);
    expect(here.fl.targets()).toMatchObject([{ pausedUntil: null }]);
    expect(down.runs).toHaveLength(5);
  });

  it("for calls that fail, not for their attempts", async () => {
    const here = world();
    const down = broken("down");
    const [first] = await callTimes(here, down.tool, 1);
    expect(first).toMatchObject({ attempts: 5 });
    expect(stateOf(here, "down")).toBe("closed");
    await callTimes(here, down.tool, 4);
    expect(stateOf(here, "down")).toBe("open");
  });

  it("for attempts if the policy counts those, and then no impossible retry is announced", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", { breaker: { counts: "attempts", failures: 3 } });
    const [outcome] = await callTimes(here, down.tool, 1);
    expect(down.runs).toEqual([1, 2, 3]);
    expect(stateOf(here, "down")).toBe("open");
    expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "ToolUnavailable" } });
    expect(outcome?.status === "surfaced" && outcome.decision?.considered[0]).toEqual({
      recourse: "retry",
      refused: "breaker-open",
    });
    const announced = here
      .events()
      .filter((event) => event.type === "call-failed" && event.decision.recourse === "retry");
    expect(announced).toHaveLength(2);
  });

  it("not while successes come in between", async () => {
    const here = world();
    const bad = failure("ToolUnavailable");
    const moody = scripted("moody", [bad, bad, bad, bad, undefined, bad, bad, bad, bad, undefined], ONCE);
    await callTimes(here, moody.tool, 10);
    expect(stateOf(here, "moody")).toBe("closed");
  });

  it("not for permanent faults, caller mistakes or cancelled calls", async () => {
    const here = world();
    const picky = scripted(
      "picky",
      Array.from({ length: 20 }, () => failure("NotFound")),
    );
    await callTimes(here, picky.tool, 20);
    const slow = held("slow", here.clock);
    for (let made = 0; made < 20; made++) {
      const controller = new AbortController();
      const running = here.fl.protect(slow.tool, "x", { signal: controller.signal });
      controller.abort();
      expect(await running).toMatchObject({ status: "cancelled" });
    }
    expect(slow.runs).toHaveLength(20);
    expect([stateOf(here, "picky"), stateOf(here, "slow")]).toEqual(["closed", "closed"]);
  });

  it("for its own target only, and for every tool of that target", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", { ...ONCE, target: "api" });
    const sibling = scripted("sibling", [], { target: "api" });
    const other = scripted("other", []);
    await callTimes(here, down.tool, 5);
    expect(await callTimes(here, sibling.tool, 1)).toMatchObject([{ fault: { code: "CircuitOpen" } }]);
    expect(await callTimes(here, other.tool, 1)).toMatchObject([{ status: "done" }]);
  });
});

describe("while a breaker is open", () => {
  it("a refused call learns what opened it, when, and when it lets a call through; secrets are masked", async () => {
    const here = world();
    const down = scripted(
      "down",
      Array.from({ length: 5 }, () =>
        failure("ToolUnavailable", { message: "no route, key gsk_0123456789abcdefABCD" }),
      ),
      ONCE,
    );
    await callTimes(here, down.tool, 5);
    await here.clock.advance(1_000);
    const [refused] = await callTimes(here, down.tool, 1);
    expect(refused).toMatchObject({
      fault: {
        code: "CircuitOpen",
        message:
          "the circuit of down opened 1 s ago after ToolUnavailable (no route, key [redacted]); it lets one call through in 29 s",
        context: { target: "down", cause: "ToolUnavailable", openedAt: START_AT },
      },
    });
  });

  it("a call refused beside the probe, or while the target is disabled, says so", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    const slow = held("slow", here.clock, { target: "down" });
    await callTimes(here, down.tool, 5);
    await here.clock.advance(OPEN_MS);
    const probe = here.fl.protect(slow.tool, "probe");
    await here.clock.advance(0);
    const [beside] = await callTimes(here, down.tool, 1);
    expect(beside).toMatchObject({
      fault: {
        code: "CircuitOpen",
        message: expect.stringMatching(/ToolUnavailable on purpose.*one call is probing it/) as string,
      },
    });
    slow.run(0).answer("well");
    await probe;
    await here.fl.isolate("down", "maintenance");
    const [isolated] = await callTimes(here, down.tool, 1);
    expect(isolated).toMatchObject({
      fault: { code: "CircuitOpen", message: expect.stringContaining("maintenance") as string },
    });
  });

  it("its refusals count as transient errors of the tool, not as permanent ones", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    await callTimes(here, down.tool, 8);
    expect(here.fl.metrics()["down"]).toMatchObject({ error_count: 8, permanent_error_count: 0 });
  });

  it("calls go to another tool, or use the default", async () => {
    const here = world();
    const second = scripted("second", []);
    const down = broken("down", "ToolUnavailable", ONCE);
    await callTimes(here, down.tool, 5);
    const elsewhere = broken("elsewhere", "ToolUnavailable", { target: "down", alternatives: [second.tool] });
    expect(await callTimes(here, elsewhere.tool, 1)).toMatchObject([
      { status: "done", value: "second:x", from: "second" },
    ]);
    const defaulted = broken("defaulted", "ToolUnavailable", { target: "down", default: "none" });
    expect(await callTimes(here, defaulted.tool, 1)).toMatchObject([{ status: "defaulted", value: "none" }]);
    expect([...elsewhere.runs, ...defaulted.runs]).toEqual([]);
  });

  it("a session's call is parked until it lets one through", async () => {
    const here = world();
    const down = recovering("down", []);
    await callTimes(here, down.tool, 5);
    const session = await here.clock.runUntil(here.fl.session("s"));
    const turn = await here.clock.runUntil(session.turn({ a: step(down.tool, "x") }, { id: "one" }));
    expect(turn.outcomes["a"]).toMatchObject({ status: "parked", wakeAt: START_AT + OPEN_MS });
    await here.clock.advance(OPEN_MS);
    const again = await here.clock.runUntil(session.turn({ a: step(down.tool, "x") }, { id: "one" }));
    expect(again.outcomes["a"]).toMatchObject({ status: "done", value: "down:x" });
  });

  it("a call that waits to retry keeps its own schedule", async () => {
    const here = world();
    const patient = scripted("patient", [failure("ToolUnavailable")], { target: "down" });
    const down = broken("down", "ToolUnavailable", ONCE);
    const waiting = here.fl.protect(patient.tool, "x");
    await here.clock.advance(0);
    for (let made = 0; made < 5; made++) await here.fl.protect(down.tool, "x");
    expect(stateOf(here, "down")).toBe("open");
    expect(await callTimes(here, patient.tool, 1)).toMatchObject([{ fault: { code: "CircuitOpen" } }]);
    expect(await here.clock.runUntil(waiting)).toMatchObject({ status: "done", attempts: 2 });
    expect(patient.runs).toEqual([1, 2]);
    expect(stateOf(here, "down")).toBe("open");
  });

  it("a call that waits to retry is not sent once an operator disables the target", async () => {
    const here = world();
    const patient = scripted("patient", [failure("ToolUnavailable")], { target: "down" });
    const waiting = here.fl.protect(patient.tool, "x");
    await here.clock.advance(0);
    await here.fl.isolate("down", "maintenance");
    expect(await here.clock.runUntil(waiting)).toMatchObject({ status: "surfaced", fault: { code: "CircuitOpen" } });
    expect(patient.runs).toEqual([1]);
  });

  it("results of calls that started before it opened neither close it nor count", async () => {
    const here = world();
    const slow = held("slow", here.clock, { ...ONCE, target: "down" });
    const down = broken("down", "ToolUnavailable", ONCE);
    const early = ["a", "b", "c"].map((input) => here.fl.protect(slow.tool, input));
    await callTimes(here, down.tool, 5);
    slow.run(0).answer("late success");
    slow.run(1).fail(failure("ToolUnavailable"));
    await here.clock.advance(OPEN_MS);
    const probe = here.fl.protect(slow.tool, "probe");
    await here.clock.advance(0);
    expect(stateOf(here, "down")).toBe("half-open");
    slow.run(2).fail(failure("ToolUnavailable"));
    await Promise.all(early);
    expect(stateOf(here, "down")).toBe("half-open");
    slow.run(3).answer("well");
    expect(await probe).toMatchObject({ status: "done" });
  });
});

describe("a half-open breaker", () => {
  it("lets one probe through after 30 s and refuses or redirects all other calls", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    await callTimes(here, down.tool, 5);
    const second = scripted("second", []);
    const slow = held("slow", here.clock, { target: "down" });
    const redirected = scripted("redirected", [], { target: "down", alternatives: [second.tool] });
    await here.clock.advance(OPEN_MS - 1);
    expect(await callTimes(here, slow.tool, 1)).toMatchObject([{ fault: { code: "CircuitOpen" } }]);
    await here.clock.advance(1);
    const probe = here.fl.protect(slow.tool, "probe");
    const beside = [here.fl.protect(slow.tool, "beside"), here.fl.protect(redirected.tool, "beside")];
    await here.clock.advance(0);
    expect(slow.runs.map(({ input }) => input)).toEqual(["probe"]);
    expect(await Promise.all(beside)).toMatchObject([
      { status: "surfaced", attempts: 0, fault: { code: "CircuitOpen", resetAt: START_AT + OPEN_MS + 60_000 } },
      { status: "done", from: "second" },
    ]);
    slow.run(0).answer("well");
    expect(await probe).toMatchObject({ status: "done" });
  });

  it("is probed by a call that a person approved, and that is recorded", async () => {
    const here = world({ policy: "cautious" });
    const down = recovering("down", []);
    await callTimes(here, down.tool, 5);
    here.fl.attach({
      name: "slow person",
      answer: () =>
        new Promise((resolve) => void here.clock.after(OPEN_MS, () => resolve({ status: "accepted", value: true }))),
    });
    expect(await callTimes(here, down.tool, 1)).toMatchObject([{ status: "done", attempts: 1 }]);
    expect(here.events().filter(({ type }) => type === "breaker-changed")).toMatchObject([
      { from: "closed", to: "open" },
      { from: "open", to: "half-open" },
    ]);
  });

  it("closes after two successes in a row", async () => {
    const here = world();
    const down = recovering("down", []);
    await callTimes(here, down.tool, 5);
    await here.clock.advance(OPEN_MS);
    await callTimes(here, down.tool, 1);
    expect(stateOf(here, "down")).toBe("half-open");
    await callTimes(here, down.tool, 1);
    expect(stateOf(here, "down")).toBe("closed");
  });

  it("opens again after a failed probe, each time for longer, up to ten minutes", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    await callTimes(here, down.tool, 5);
    const waits: number[] = [];
    for (let round = 0; round < 7; round++) {
      const [refused] = await callTimes(here, down.tool, 1);
      const waitMs = (refused?.status === "surfaced" ? (refused.fault.resetAt ?? 0) : 0) - here.clock.now();
      waits.push(waitMs);
      await here.clock.advance(waitMs);
      await callTimes(here, down.tool, 1);
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    expect(down.runs).toHaveLength(12);
  });

  it.each([
    ["is cancelled", "cancel"],
    ["meets a permanent fault", "NotFound"],
  ] as const)("gives the place of a probe that %s to the next, and counts nothing", async (_what, how) => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    const slow = held("slow", here.clock, { target: "down" });
    await callTimes(here, down.tool, 5);
    await here.clock.advance(OPEN_MS);
    const controller = new AbortController();
    const probe = here.fl.protect(slow.tool, "first", { signal: controller.signal });
    await here.clock.advance(0);
    if (how === "cancel") controller.abort();
    else slow.run(0).fail(failure(how));
    await probe;
    expect(stateOf(here, "down")).toBe("half-open");
    const next = here.fl.protect(slow.tool, "second");
    await here.clock.advance(0);
    expect(slow.runs.map(({ input }) => input)).toEqual(["first", "second"]);
    slow.run(1).answer("well");
    await next;
    expect(stateOf(here, "down")).toBe("half-open");
  });

  it("does not wait forever for a hanging probe, and does not let that one retry beside the next", async () => {
    const here = world();
    const down = broken("down", "ToolUnavailable", ONCE);
    const slow = held("slow", here.clock, { target: "down" });
    await callTimes(here, down.tool, 5);
    await here.clock.advance(OPEN_MS);
    const hung = here.fl.protect(slow.tool, "hung");
    await here.clock.advance(60_000);
    const next = here.fl.protect(slow.tool, "next");
    await here.clock.advance(0);
    expect(slow.runs.map(({ input }) => input)).toEqual(["hung", "next"]);
    slow.run(0).fail(failure("ToolUnavailable"));
    await here.clock.advance(10_000);
    expect(slow.runs).toHaveLength(2);
    slow.run(1).answer("well");
    expect(await next).toMatchObject({ status: "done" });
    await here.clock.advance(0);
    slow.run(2).answer("well too");
    expect(await hung).toMatchObject({ status: "done", value: "well too", attempts: 2 });
    expect(stateOf(here, "down")).toBe("closed");
  });
});
