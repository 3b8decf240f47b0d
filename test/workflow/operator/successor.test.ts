// An operator's actions on a failed run: a linked run continues from it, and finished work stays finished.

import { describe, expect, it } from "vitest";
import type { Route } from "../../../src/core/flow/visit.ts";
import type { RunStreamEvent } from "../../../src/core/record/run-stream.ts";
import type { FaultCode } from "../../../src/index.ts";
import { stage } from "../../../src/workflow/define.ts";
import { StageFailure } from "../../../src/workflow/advance/attempt.ts";
import { engineWorld, type EngineWorld, only, places, refusal, STORES, thrown } from "../../support/engine-world.ts";

/** Three nodes; the second fails until it is fixed. */
async function failing(code: FaultCode, over: Parameters<typeof engineWorld>[1] = {}) {
  const acted: string[] = [];
  const mended = { is: false };
  const world = await engineWorld(
    {
      id: "three",
      stages: {
        coder: stage({ role: "coder", act: () => void acted.push("coder") }),
        check: stage({
          act: (_request, _tools, { instruction }) => {
            acted.push(`check ${instruction?.action ?? "alone"}`);
            if (!mended.is) throw new StageFailure(thrown(code).fault, { half: true });
            return "whole";
          },
        }),
        last: stage({
          act: (_request, _tools, { nodes }) => {
            acted.push("last");
            return [nodes["coder"]?.status, nodes["check"]?.output];
          },
        }),
      },
    },
    over,
  );
  return { ...world, acted, mended };
}

const act = ({ clock, runs }: EngineWorld, run: string, action: string, options = {}) =>
  clock.runUntil(runs.act(run, action, { by: "ada", ...options }));

/** What a watcher gets of a finished run. */
async function watched(runs: EngineWorld["runs"], run: string): Promise<readonly RunStreamEvent[]> {
  const seen: RunStreamEvent[] = [];
  const over = Promise.withResolvers<undefined>();
  const stop = runs.watch(run, (event) => {
    seen.push(event);
    if (event.type === "run.completed") over.resolve(undefined);
  });
  await over.promise;
  stop();
  return seen;
}

describe.each(STORES)("continuing from a failed run, on a journal in %s", (store) => {
  it("keeps finished nodes, restarts the failed one, and links the two runs", async () => {
    const world = await failing("RateLimited", { store });
    const { go, advance, acted, mended, runs, events } = world;
    const failed = await go({ task: "x" });
    expect(failed).toMatchObject({ status: "failed", fault: { code: "RateLimited" } });
    mended.is = true;
    let due = 0;
    const stop = runs.onDue(() => void due++);
    const { run, did } = await act(world, failed.run, "retry-stage");
    stop();
    expect([run === failed.run, did]).toEqual([false, true]);
    expect(due, "a driver takes it up at once").toBeGreaterThan(0);
    const [coder, check] = (await runs.show(run))?.state.visits ?? [];
    expect(coder).toMatchObject({
      node: "coder",
      state: "completed",
      inherited: true,
      spentMicrocents: 0,
      pause: null,
    });
    expect(check).toMatchObject({
      ...{ node: "check", state: "ready", attempt: 1, of: 0, phase: null, startedAt: 0, endedAt: 0, callAttempts: 0 },
      ...{ spentMicrocents: 0, targets: [], target: null, inherited: false, skipped: null, fault: null, pause: null },
    });
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(acted).toEqual(["coder", "check alone", "check retry-stage", "last"]);
    expect(places(await events(run), "node-started")).toEqual(["check#1.1", "last#1.1"]);
    expect(only(await events(run), "node-completed").at(-1)).toMatchObject({ output: ["completed", "whole"] });
    expect((await runs.show(run))?.summary).toMatchObject({ predecessor: failed.run, successor: null });
    expect((await runs.show(failed.run))?.summary).toMatchObject({ status: "failed", successor: run });
    expect((await events(failed.run)).at(-1)).toMatchObject({ type: "run-superseded", successor: run });
    expect((await runs.show(failed.run))?.actions).toEqual([]);
    const [begun] = await world.clock.runUntil(watched(runs, run));
    expect(begun).toMatchObject({ type: "run.started", data: { action: "retry-stage", inherited: ["coder#1"] } });
  });

  it("gives one successor for two different actions, or for one action taken twice", async () => {
    const world = await failing("RateLimited", { store });
    const { go, clock, runs, events } = world;
    const failed = await go();
    const [retry, ...others] = (await runs.show(failed.run))?.actions ?? [];
    const other = others.find(({ needs }) => needs === "nothing" || needs === "text");
    expect([retry?.id, other !== undefined]).toEqual(["retry-stage", true]);
    const all = await clock.runUntil(
      Promise.allSettled([
        runs.act(failed.run, retry?.id ?? "", { key: retry?.key ?? "" }),
        runs.act(failed.run, retry?.id ?? "", { key: retry?.key ?? "" }),
        runs.act(failed.run, other?.id ?? "", { params: other?.needs === "text" ? { text: "x" } : {} }),
      ]),
    );
    const acted = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(new Set(acted.map(({ run }) => run)).size).toBe(1);
    expect(acted.filter(({ did }) => did)).toHaveLength(1);
    expect(await clock.runUntil(runs.act(failed.run, "retry-stage", { key: retry?.key ?? "" }))).toEqual({
      run: acted[0]?.run,
      did: false,
    });
    expect(await runs.list()).toHaveLength(2);
    expect(only(await events(failed.run), "run-superseded")).toHaveLength(1);
  });

  it("completes, on the next click, what a crash left half done", async () => {
    const world = await failing("RateLimited", { store });
    const { go, clock, runs, journal } = world;
    const failed = await go();
    const key = (await runs.show(failed.run))?.actions[0]?.key ?? "";
    const broken = world.nextLife({
      journal: {
        ...journal,
        append: (session, after, entries, keeps) =>
          entries.some(({ event }) => event.type === "run-superseded")
            ? Promise.reject(thrown("StoreUnavailable"))
            : journal.append(session, after, entries, keeps),
      },
    });
    expect(await refusal(clock, broken.act(failed.run, "retry-stage", { key }))).toMatchObject({
      code: "StoreUnavailable",
    });
    const { run, did } = await clock.runUntil(runs.act(failed.run, "retry-stage", { key }));
    expect([did, (await runs.show(failed.run))?.summary.successor]).toEqual([false, run]);
    expect(await runs.list()).toHaveLength(2);
  });
});

describe("a successor that cannot be begun", () => {
  it.each([
    { isThere: true, says: "is taken as it is if another process began it at the same moment" },
    { isThere: false, says: "is reported as the error that the journal gave" },
  ])("$says", async ({ isThere }) => {
    const world = await failing("RateLimited");
    const { go, clock, runs, journal } = world;
    const failed = await go();
    const broken = world.nextLife({
      journal: {
        ...journal,
        append: async (session, ...given) => {
          if (session === failed.run) return journal.append(session, ...given);
          if (isThere) await journal.append(session, ...given);
          throw thrown("StoreUnavailable");
        },
      },
    });
    const acting = broken.act(failed.run, "retry-stage");
    if (!isThere) {
      expect(await refusal(clock, acting)).toMatchObject({ code: "StoreUnavailable" });
      return expect(await runs.list()).toHaveLength(1);
    }
    const { run } = await clock.runUntil(acting);
    return expect((await runs.show(failed.run))?.summary.successor).toBe(run);
  });
});

describe("other ways to continue", () => {
  it("the failed stage's result is accepted, and the stage does not rerun", async () => {
    const world = await failing("AuthFailed");
    const { go, advance, acted, events } = world;
    const { run } = await act(world, (await go()).run, "accept-partial");
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(acted).toEqual(["coder", "check alone", "last"]);
    expect(only(await events(run), "node-completed").at(-1)).toMatchObject({ output: ["completed", { half: true }] });
  });

  it("the work is sent back to the coder, who continues from there with the comment", async () => {
    const world = await failing("AssertFailed");
    const { go, advance, acted, mended, events } = world;
    const failed = await go();
    mended.is = true;
    const { run } = await act(world, failed.run, "send-back", { params: { text: "mind the gap" } });
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(acted).toEqual(["coder", "check alone", "coder", "check alone", "last"]);
    expect(places(await events(run), "node-started")).toEqual(["coder#2.1", "check#2.1", "last#1.1"]);
  });

  it("a limit is raised", async () => {
    const world = await engineWorld({
      id: "loop",
      limits: { maxNodes: 3 },
      stages: { a: stage({ act: () => 1, next: (_ending, { execution }) => (execution < 5 ? "a" : null) }) },
    });
    const { go, advance, runs } = world;
    const failed = await go();
    expect(failed).toMatchObject({ status: "failed", fault: { code: "TurnLimit" } });
    const { run } = await act(world, failed.run, "raise-limit", { params: { limits: { maxNodes: 10 } } });
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect((await runs.show(run))?.state.visits.map(({ execution }) => execution)).toEqual([1, 2, 3, 4, 5]);
  });

  it("an action that is not offered is refused, and so are wrong params", async () => {
    const world = await failing("RateLimited");
    const { go, clock, runs } = world;
    const { run } = await go();
    expect(await refusal(clock, runs.act(run, "shorten-context"))).toMatchObject({ code: "EngineState" });
    expect(await refusal(clock, runs.act(run, "retry-stage", { params: { text: "?" } }))).toMatchObject({
      code: "ShapeInvalid",
    });
    expect(await refusal(clock, runs.act("nobody", "retry-stage"))).toMatchObject({ code: "NotFound" });
    expect(await runs.list()).toHaveLength(1);
  });
});

describe("continuing inside a fan-out", () => {
  async function fanned(repair: "retry" | "send-back") {
    const acted: string[] = [];
    const mended = { is: false };
    const split: Route = { kind: "fan", nodes: ["done", "fails", "stopped"], join: "join", failFast: true };
    const code = repair === "retry" ? "RateLimited" : "AssertFailed";
    const world = await engineWorld({
      id: "fanned",
      limits: { maxParallel: 2 },
      stages: {
        split: stage({ act: () => 0, next: () => split }),
        done: stage({ act: () => void acted.push("done"), next: () => "join" }),
        fails: stage({
          act: () => {
            acted.push("fails");
            if (!mended.is) throw thrown(code);
          },
          next: ({ status }) => (status === "failed" ? null : "join"),
        }),
        stopped: stage({ act: () => void acted.push("stopped"), next: () => "join" }),
        fixer: stage({ role: "coder", act: () => void acted.push("fixer"), next: () => "join" }),
        join: stage({ act: () => void acted.push("join"), next: () => ({ kind: "end", outcome: "joined" }) }),
      },
    });
    const failed = await world.go();
    mended.is = true;
    acted.splice(0);
    return { ...world, failed, acted };
  }

  it("runs the failed path and those it stopped, and the join once", async () => {
    const world = await fanned("retry");
    expect(world.failed).toMatchObject({ status: "failed", fault: { code: "RateLimited" } });
    const { run } = await act(world, world.failed.run, "retry-stage");
    expect(await world.advance(run)).toMatchObject({ status: "completed", outcome: "joined" });
    // On a slow store it has begun, and was stopped before its end was written.
    const ended = only(await world.events(world.failed.run), "node-completed").map(({ node }) => node);
    const wasStopped = ended.includes("stopped") ? [] : ["stopped"];
    expect(world.acted.toSorted()).toEqual(["fails", "join", ...wasStopped].toSorted());
    expect(world.acted.at(-1)).toBe("join");
  });

  it("sent back, the path still arrives at its join", async () => {
    const world = await fanned("send-back");
    const { run } = await act(world, world.failed.run, "send-back");
    expect(await world.advance(run)).toMatchObject({ status: "completed", outcome: "joined" });
    expect(world.acted).toContain("fixer");
    expect(world.acted.filter((node) => node === "join")).toEqual(["join"]);
  });
});

describe("continuing beside a path that has ended", () => {
  /** Two paths that never meet: one names the outcome of the run, the other fails until it is fixed. */
  async function parted(ofFailing: string) {
    const acted: string[] = [];
    const mended = { is: false };
    const world = await engineWorld({
      id: "parted",
      limits: { maxParallel: 1 },
      stages: {
        split: stage({ act: () => 0, next: () => ({ kind: "to", nodes: ["ships", "fails"] }) }),
        ships: stage({ act: () => void acted.push("ships"), next: () => ({ kind: "end", outcome: "shipped" }) }),
        fails: stage({
          role: "tester",
          act: () => void acted.push("fails"),
          next: () => ({ kind: "end", outcome: mended.is ? "" : ofFailing }),
        }),
      },
    });
    const failed = await world.go();
    mended.is = true;
    return { ...world, failed, acted };
  }

  it("keeps the outcome that this path has named, and drops that of the failed one", async () => {
    const world = await parted("test_failed");
    expect(world.failed).toMatchObject({ status: "failed", outcome: "test_failed" });
    const { run } = await act(world, world.failed.run, "edit-and-retry", { params: { text: "again" } });
    expect(await world.advance(run)).toMatchObject({ status: "completed", outcome: "shipped" });
    expect(world.acted).toEqual(["ships", "fails", "fails"]);
  });
});
