// Programs that report over HTTP: they ask before a call, tell of calls that worked, and end their sessions.

import { describe, expect, it, onTestFinished } from "vitest";
import { fault } from "../../src/core/fault/fault.ts";
import { createFaultline, step, tool } from "../../src/index.ts";
import { problemOf, runWorld, fragile } from "./run-world.ts";
import { startWorld } from "./world.ts";

const DOWN = { evidence: { status: 503 }, idempotent: true, retry: "none" } as const;

describe("a program that reports a 503", () => {
  it.each(["http", "node", "cli", "tool", "mcp"] as const)(
    "reads no words about a model on surface %s",
    async (surface) => {
      const { operator } = await startWorld({ drive: false });
      const { fault, words } = await operator.reportFailure({ body: { tool: "search", surface, ...DOWN } });
      expect([fault.title, fault.next, words.user, words.model, words.operator].join("\n")).not.toMatch(/\bmodel/iu);
    },
  );
});

describe("a program that asks before it calls", () => {
  it("may call a tool that is in service, and nothing is written", async () => {
    const { operator, viewer } = await startWorld({ drive: false });
    const asked = await viewer.mayCall({ body: { tool: "search" } });
    expect(asked).toEqual({
      action: "attempt",
      tool: "search",
      waitMs: 0,
      nextAt: expect.any(Number) as number,
      breaker: "closed",
    });
    expect((await operator.listSessions()).items).toEqual([]);
    expect((await operator.listTargets()).items).toEqual([]);
  });

  it("does not reach a tool that a person has isolated, and gets an alternative if there is one", async () => {
    const { operator } = await startWorld({ drive: false });
    await operator.isolateTarget({ params: { target: "search" }, body: { reason: "billing" } });
    const stopped = { action: "stop", tool: "search", waitMs: 0, nextAt: null, breaker: "isolated" };
    expect(await operator.mayCall({ body: { tool: "search" } })).toEqual(stopped);
    expect(await operator.mayCall({ body: { tool: "s2", target: "search" } })).toMatchObject({ action: "stop" });
    const other = await operator.mayCall({ body: { tool: "search", alternatives: ["search_2", "search_3"] } });
    expect(other).toMatchObject({ action: "attempt", tool: "search_2" });
    await operator.resetTarget({ params: { target: "search" } });
    expect(await operator.mayCall({ body: { tool: "search" } })).toMatchObject({ action: "attempt", tool: "search" });
  });

  it("waits for a breaker that is open, and a success after a probe closes it, also for the next server", async () => {
    const first = await startWorld({ drive: false });
    const { operator } = first;
    for (let call = 0; call < 5; call++)
      await operator.reportFailure({ body: { tool: "search", ...DOWN, durationMs: 0 } });
    const waits = await operator.mayCall({ body: { tool: "search" } });
    expect(waits).toMatchObject({ action: "wait", tool: "search", breaker: "open" });
    expect(waits.waitMs).toBeGreaterThan(0);
    expect((waits.nextAt ?? 0) - Date.now()).toBeGreaterThan(0);
    // An attempt that began before the breaker would have let it does not count.
    expect(await operator.reportSuccess({ body: { tool: "search" } })).toMatchObject({ breaker: "open" });
    await operator.probeTarget({ params: { target: "search" } });
    expect(await operator.mayCall({ body: { tool: "search" } })).toMatchObject({ action: "attempt" });
    for (let call = 0; call < 5; call++) await operator.reportSuccess({ body: { tool: "search", durationMs: 3 } });
    const [target] = (await operator.listTargets()).items;
    expect(target).toMatchObject({ breaker: "closed", recent: { attempts: 11 } });
    await first.server.close();
    const second = await startWorld({ journal: first.journalFile, drive: false });
    expect((await second.viewer.overview()).targets).toEqual([]);
  });
});

describe("a session of a program", () => {
  it.each([
    ["open", 0],
    ["waiting", 1],
  ])("counts on the overview while it is %s", async (status, turns) => {
    const world = await runWorld([], { drive: false });
    const fl = createFaultline({ journal: world.journal });
    const session = await fl.session("digest");
    onTestFinished(() => session.end());
    const limited = tool<object, string>({
      id: "limited",
      classify: () => fault("QuotaExhausted", { message: "used up", resetAt: Date.now() + 3_600_000 }),
      run: () => Promise.reject(new Error("quota")),
    });
    for (let turn = 0; turn < turns; turn++) await session.turn({ a: step(limited, {}) });
    if (turns === 0) await session.protect(tool({ id: "fine", run: () => "done" }), {});
    expect((await world.viewer.showSession({ params: { session: "digest" } })).status).toBe(status);
    expect((await world.viewer.overview()).programs).toMatchObject({ count: 1, first: [{ session: "digest" }] });
  });

  it("is over when the program says so: open calls are cancelled, and the end is there once", async () => {
    const { operator, viewer } = await startWorld({ drive: false });
    const { id } = await operator.reportFailure({ body: { tool: "pay", session: "shop", ...DOWN, retry: {} } });
    const params = { session: "shop" };
    expect((await viewer.showSession({ params })).status).toBe("open");
    expect(await operator.endSession({ params, body: { status: "failed" } })).toMatchObject({ status: "failed" });
    expect(await operator.endSession({ params, body: {} })).toMatchObject({ status: "failed" });
    expect((await viewer.showSession({ params })).status).toBe("failed");
    expect(await operator.showFailure({ params: { id } })).toMatchObject({ action: "stop", end: "cancelled" });
    const { items } = await viewer.listEntries({ params, query: {} });
    expect(items.filter(({ type }) => type.endsWith("session-ended"))).toHaveLength(1);
  });

  it("cannot be ended by viewers, nor can a run, nor one that is not there", async () => {
    const world = await runWorld([fragile().workflow], { drive: false });
    await world.operator.reportFailure({ body: { tool: "pay", session: "shop", ...DOWN } });
    const { run } = await world.operator.startRun({ body: { workflow: "fragile" } });
    const problems = await Promise.all([
      problemOf(world.viewer.endSession({ params: { session: "shop" }, body: {} })),
      problemOf(world.operator.endSession({ params: { session: run }, body: {} })),
      problemOf(world.operator.endSession({ params: { session: "nothing" }, body: {} })),
    ]);
    expect(problems.map(({ status }) => status)).toEqual([403, 409, 404]);
  });
});
