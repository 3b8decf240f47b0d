// The queue in front of a target: how many calls run, how many may wait, in what order, and that a slot is always released.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Outcome, tool } from "../../../src/index.ts";
import { failure, held, scripted, START_AT, type World, world } from "../../support/world.ts";
import { samples } from "../../support/grid.ts";

const inputs = (runs: readonly { readonly input: string }[]): readonly string[] => runs.map(({ input }) => input);

describe("a target with few slots", () => {
  it("runs no more calls at once than it has slots, the others in order of arrival", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 2 });
    const calls = ["a", "b", "c", "d", "e", "f"].map((input) => fl.protect(narrow.tool, input));
    await clock.advance(0);
    expect(inputs(narrow.runs)).toEqual(["a", "b"]);
    narrow.run(1).answer("");
    await clock.advance(0);
    expect(inputs(narrow.runs)).toEqual(["a", "b", "c"]);
    narrow.run(0).fail(failure("NotFound"));
    narrow.run(2).answer("");
    await clock.advance(0);
    expect(inputs(narrow.runs)).toEqual(["a", "b", "c", "d", "e"]);
    for (let run = 3; run < 6; run++) {
      narrow.run(run).answer("");
      await clock.advance(0);
    }
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([
      "surfaced",
      ...Array<string>(5).fill("done"),
    ]);
  });

  it("shares them among all tools of the target", async () => {
    const { fl, clock } = world();
    const first = held("first", clock, { target: "api", maxConcurrent: 1 });
    const second = held("second", clock, { target: "api", maxConcurrent: 1 });
    const calls = [fl.protect(first.tool, "a"), fl.protect(second.tool, "b")];
    await clock.advance(0);
    expect([first.runs.length, second.runs.length]).toEqual([1, 0]);
    first.run(0).answer("");
    await clock.advance(0);
    second.run(0).answer("");
    expect(await Promise.all(calls)).toMatchObject([{ status: "done" }, { status: "done" }]);
  });

  it("lets others go first while a call waits to retry", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1 });
    const calls = [fl.protect(narrow.tool, "a"), fl.protect(narrow.tool, "b")];
    narrow.run(0).fail(failure("ToolUnavailable"));
    await clock.advance(0);
    expect(inputs(narrow.runs)).toEqual(["a", "b"]);
    await clock.advance(1_000);
    expect(inputs(narrow.runs)).toEqual(["a", "b"]);
    narrow.run(1).answer("");
    await clock.advance(0);
    expect(inputs(narrow.runs)).toEqual(["a", "b", "a"]);
    narrow.run(2).answer("");
    await Promise.all(calls);
  });

  it("gives the slot of an attempt that timed out to the next", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1, timeoutMs: 1_000, idempotent: false });
    const calls = [fl.protect(narrow.tool, "hangs"), fl.protect(narrow.tool, "next")];
    await clock.advance(999);
    expect(inputs(narrow.runs)).toEqual(["hangs"]);
    // A deadline of a second is met within a hundredth of it.
    await clock.advance(11);
    expect(inputs(narrow.runs)).toEqual(["hangs", "next"]);
    expect(await calls[0]).toMatchObject({ fault: { code: "ExecutionTimeout" } });
    narrow.run(1).answer("");
    await calls[1];
  });
});

describe("a full queue", () => {
  it("refuses the next call at once and says how many wait", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1, maxQueued: 2 });
    const calls = ["a", "b", "c", "d"].map((input) => fl.protect(narrow.tool, input));
    expect(await calls[3]).toMatchObject({
      status: "surfaced",
      attempts: 0,
      fault: { code: "QueueFull", context: { target: "narrow", limit: 2 } },
    });
    expect(clock.now()).toBe(START_AT);
    for (let run = 0; run < 3; run++) {
      narrow.run(run).answer("");
      await clock.advance(0);
    }
    expect((await Promise.all(calls.slice(0, 3))).every(({ status }) => status === "done")).toBe(true);
  });

  it("may have no places at all", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1, maxQueued: 0 });
    const first = fl.protect(narrow.tool, "a");
    expect(await fl.protect(narrow.tool, "b")).toMatchObject({ fault: { code: "QueueFull" } });
    narrow.run(0).answer("");
    await first;
    const second = fl.protect(narrow.tool, "c");
    narrow.run(1).answer("");
    expect(await second).toMatchObject({ status: "done" });
  });

  it("sends callers to another tool, or gives them the default, and does not count for the breaker", async () => {
    const { fl, clock } = world();
    const second = scripted("second", []);
    const narrow = held("narrow", clock, { maxConcurrent: 1, maxQueued: 0 });
    const elsewhere = scripted("elsewhere", [], { target: "narrow", alternatives: [second.tool] });
    const defaulted = scripted("defaulted", [], { target: "narrow", default: "none" });
    const first = fl.protect(narrow.tool, "a");
    for (let made = 0; made < 10; made++) {
      expect(await fl.protect(elsewhere.tool, "x")).toMatchObject({ status: "done", value: "second:x" });
      expect(await fl.protect(defaulted.tool, "x")).toMatchObject({ status: "defaulted", value: "none" });
    }
    expect(fl.targets()[0]).toMatchObject({ target: "narrow", breaker: "closed" });
    narrow.run(0).answer("");
    expect(await first).toMatchObject({ status: "done" });
  });
});

describe("a queued call", () => {
  it("that is cancelled leaves at once and makes room for another", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1, maxQueued: 2 });
    const controller = new AbortController();
    const calls = [
      fl.protect(narrow.tool, "a"),
      fl.protect(narrow.tool, "b", { signal: controller.signal }),
      fl.protect(narrow.tool, "c"),
    ];
    await clock.advance(0);
    controller.abort();
    expect(await calls[1]).toMatchObject({ status: "cancelled", attempts: 0 });
    const late = fl.protect(narrow.tool, "d");
    narrow.run(0).answer("");
    await clock.advance(0);
    narrow.run(1).answer("");
    await clock.advance(0);
    narrow.run(2).answer("");
    await Promise.all([...calls, late]);
    expect(inputs(narrow.runs)).toEqual(["a", "c", "d"]);
  });

  it("that is cancelled at the moment it gets a slot passes it on", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1 });
    const controller = new AbortController();
    const calls = [
      fl.protect(narrow.tool, "a"),
      fl.protect(narrow.tool, "b", { signal: controller.signal }),
      fl.protect(narrow.tool, "c"),
    ];
    await clock.advance(0);
    // A failure is reported when its slot has been released and before another call could take it.
    fl.subscribe(({ event }) => {
      if (event.type === "call-failed") controller.abort();
    });
    narrow.run(0).fail(failure("NotFound"));
    await clock.advance(0);
    expect(await calls[1]).toMatchObject({ status: "cancelled", attempts: 0 });
    expect(inputs(narrow.runs)).toEqual(["a", "c"]);
    narrow.run(1).answer("");
    expect(await calls[2]).toMatchObject({ status: "done" });
  });

  it("that times out leaves the queue and never starts", async () => {
    const { fl, clock } = world();
    const narrow = held("narrow", clock, { maxConcurrent: 1 });
    const first = fl.protect(narrow.tool, "a");
    const waiting = fl.protect(narrow.tool, "b", { deadlineMs: 500 });
    expect(await clock.runUntil(waiting)).toMatchObject({
      status: "surfaced",
      attempts: 0,
      fault: { code: "RunTimeout" },
    });
    expect(clock.now()).toBe(START_AT + 500);
    narrow.run(0).answer("");
    await first;
    await clock.runAll();
    expect(inputs(narrow.runs)).toEqual(["a"]);
    expect(clock.pending).toBe(0);
  });
});

interface Visit {
  readonly gapMs: number;
  readonly workMs: number;
  readonly fails: number;
  readonly cancelAfterMs: number | null;
  readonly deadlineMs: number | null;
}

const visits = fc.array(
  fc.record<Visit>({
    gapMs: fc.nat(200),
    workMs: fc.nat(1_500),
    fails: fc.nat(3),
    cancelAfterMs: fc.option(fc.nat(800)),
    deadlineMs: fc.option(fc.nat(3_000)),
  }),
  { minLength: 1, maxLength: 30 },
);

/** Sends all visitors through; returns the highest number at work at the same time. */
async function visitAll(
  { fl, clock }: World,
  places: number,
  maxQueued: number,
  all: readonly Visit[],
): Promise<number> {
  let atWork = 0;
  let most = 0;
  const narrow = tool<number, string>({
    id: "narrow",
    idempotent: true,
    maxConcurrent: places,
    maxQueued,
    timeoutMs: 1_000,
    breaker: { failures: 1_000 },
    run: (visitor, { signal, attempt, deadlineAt }) =>
      new Promise((resolve, reject) => {
        most = Math.max(most, ++atWork);
        let isAtWork = true;
        const leave = (): void => {
          if (isAtWork) atWork -= 1;
          isAtWork = false;
        };
        signal.addEventListener("abort", leave);
        // At the caller's own deadline the tool is abandoned without a signal, so it counts itself out just before.
        clock.after(deadlineAt - clock.now() - 1, leave);
        const { workMs = 0, fails = 0 } = all[visitor] ?? {};
        clock.after(workMs, () => {
          leave();
          if (attempt <= fails) reject(failure("ToolUnavailable"));
          else resolve("done");
        });
      }),
  });
  const calls: Promise<Outcome<string>>[] = [];
  for (const [visitor, { gapMs, cancelAfterMs, deadlineMs }] of all.entries()) {
    const controller = new AbortController();
    const options = { signal: controller.signal, ...(deadlineMs === null ? {} : { deadlineMs }) };
    calls.push(fl.protect(narrow, visitor, options));
    if (cancelAfterMs !== null) clock.after(cancelAfterMs, () => controller.abort());
    await clock.advance(gapMs);
  }
  await clock.runUntil(Promise.all(calls));
  return most;
}

describe("for any load", () => {
  it("no more calls run than there are slots, every call is answered, and every slot is free in the end", async () => {
    const sizes = fc.record({ places: fc.integer({ min: 1, max: 4 }), maxQueued: fc.constantFrom(0, 1, 5, 1_000) });
    await fc.assert(
      fc.asyncProperty(sizes, visits, async ({ places, maxQueued }, all) => {
        const here = world();
        expect(await visitAll(here, places, maxQueued, all)).toBeLessThanOrEqual(places);
        await here.clock.runAll();
        const probe = held("probe", here.clock, { target: "narrow" });
        const burst = Array.from({ length: places + 1 }, () => here.fl.protect(probe.tool, "x"));
        await here.clock.advance(0);
        expect(probe.runs).toHaveLength(places);
        for (const run of probe.runs) run.answer("");
        await here.clock.advance(0);
        probe.runs.at(places)?.answer("");
        await Promise.all(burst);
      }),
      { numRuns: samples(60, 200) },
    );
  });
});
