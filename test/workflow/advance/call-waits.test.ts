// A call of a node waits: the run's line and its visit say so, until when and why, and stop saying it when the call continues.

import { describe, expect, it } from "vitest";
import { standingOf } from "../../../src/core/flow/run-standing.ts";
import { describeRun, visitNextAt, visitReason, visitStanding } from "../../../src/core/flow/run-words.ts";
import { type FaultCode, FaultError, tool, type Tool } from "../../../src/index.ts";
import { stage, type WorkflowOptions } from "../../../src/workflow/define.ts";
import type { RunSummary } from "../../../src/workflow/runs-api.ts";
import type { ActTools } from "../../../src/workflow-model/stage.ts";
import { engineWorld, type EngineWorld, STORES, thrown, worker } from "../../support/engine-world.ts";

const BEGAN = 1_000_000;
const WAIT_MS = 40_000;

interface LimitedOptions {
  readonly id?: string;
  readonly code?: FaultCode;
  readonly together?: number;
}

/** Fails `failures` times and asks for a wait, then works. The first failure comes when `together` calls have begun. */
function limited(
  failures: number,
  { id = "limited", code = "RateLimited", together = 1 }: LimitedOptions = {},
): Tool<string, string> {
  const seen = new Map<string, number>();
  const { promise: allBegan, resolve: begin } = Promise.withResolvers<null>();
  return tool<string, string>({
    id,
    idempotent: true,
    retry: { maxAttempts: 3 },
    breaker: { failures: 1_000 },
    run: async (input) => {
      const count = (seen.get(input) ?? 0) + 1;
      seen.set(input, count);
      if (seen.size >= together) begin(null);
      await allBegan;
      if (count <= failures) throw thrown(code, { retryAfterMs: WAIT_MS });
      return "done";
    },
  });
}

async function valueOf(tools: ActTools, work: Tool<string, string>, input: string): Promise<string> {
  const outcome = await tools.turn.protect(work, input);
  if ("value" in outcome) return outcome.value;
  throw new FaultError(outcome.fault);
}

function calling(work: Tool<string, string>): WorkflowOptions {
  return { id: "waits", stages: { a: stage({ act: (_r, tools, { run }) => valueOf(tools, work, run) }) } };
}

async function lineOf({ journal }: EngineWorld, run: string): Promise<RunSummary> {
  return (await journal.kept("run", run)) as RunSummary;
}

async function until(isSo: () => Promise<boolean>, step: () => Promise<unknown>): Promise<void> {
  for (let steps = 0; !(await isSo()); steps++) {
    if (steps > 500) throw new Error("it never comes to that");
    await step();
  }
}

function standing(line: RunSummary, now: number): string {
  return standingOf(line, { now, isHeld: true, isDriven: true });
}

describe.each(STORES)("a run whose call waits, on a journal in %s", (store) => {
  it.each([1, 20])(
    "says until when and why, for each of %i runs, and works on when the time has come",
    async (count) => {
      const world = await engineWorld(calling(limited(1, { together: count })), { store });
      const { clock, runs } = world;
      const ids: string[] = [];
      for (let index = 0; index < count; index++) ids.push(await world.start());
      const ends = Promise.all(ids.map((run) => runs.advance(run)));
      const waits = async (): Promise<boolean> => {
        const lines = await Promise.all(ids.map((run) => lineOf(world, run)));
        return lines.every(({ wait = null }) => wait !== null);
      };
      await until(waits, () => clock.advance(0));
      for (const run of ids) {
        const line = await lineOf(world, run);
        const wait = { target: "limited", attempt: 2, of: 3, code: "RateLimited", held: null };
        expect(line).toMatchObject({ status: "running", code: "RateLimited", wait });
        expect(line.wait?.nextAt).toBeGreaterThanOrEqual(BEGAN + WAIT_MS);
        expect(standing(line, clock.now())).toBe("retrying");
        const report = await runs.show(run);
        const [visit] = report?.state.visits ?? [];
        if (report === null || visit === undefined) throw new Error("no visit");
        expect(report.summary.wait).toEqual(line.wait);
        expect(visitStanding(visit, clock.now())).toBe("retrying");
        expect(visitNextAt(visit, clock.now())).toBe(line.wait?.nextAt);
        expect(visitReason(visit, clock.now(), "en")).toBe("limited: Too many requests");
        expect(describeRun(report.state, "en")).toContain("a was slowed down by too many requests and continues at");
        // Its time has come, and the next event has not.
        expect(standing(line, line.wait?.nextAt ?? 0)).toBe("running");
      }
      expect((await clock.runUntil(ends)).map(({ status }) => status)).toEqual(ids.map(() => "completed"));
      for (const run of ids) expect(await lineOf(world, run)).toMatchObject({ wait: null, code: null });
    },
  );

  it("says it again for each wait, and stops when the call has failed for good", async () => {
    const world = await engineWorld(calling(limited(9, { code: "NetworkDisconnect" })), { store });
    const { clock, runs } = world;
    const run = await world.start();
    const waits: (number | undefined)[] = [];
    const end = runs.advance(run);
    const isOver = async (): Promise<boolean> => {
      const { wait = null, endedAt } = await lineOf(world, run);
      if (wait !== null && waits.at(-1) !== wait.attempt) waits.push(wait.attempt);
      return endedAt > 0;
    };
    await until(isOver, () => clock.advance(1_000));
    expect(waits).toEqual([2, 3]);
    expect(await clock.runUntil(end)).toMatchObject({ status: "failed" });
    expect(await lineOf(world, run)).toMatchObject({ wait: null, code: "NetworkDisconnect" });
  });

  it("is working as long as one call of it works, or one node", async () => {
    const [first, second] = [limited(1), limited(0, { id: "slow" })];
    const gate = Promise.withResolvers<undefined>();
    const both = stage({
      act: async (_r, tools, { run }) => {
        const slow = tool<string, string>({ id: second.id, run: async () => (await gate.promise, "done") });
        return Promise.all([valueOf(tools, first, run), valueOf(tools, slow, run)]);
      },
    });
    const world = await engineWorld({ id: "both", stages: { both } }, { store });
    const { clock, runs } = world;
    const run = await world.start();
    const end = runs.advance(run);
    const visitOf = async () => (await runs.show(run))?.state.visits[0];
    const waiting = async () => Object.values((await visitOf())?.calls ?? {}).filter(({ nextAt }) => nextAt !== null);
    await until(
      async () => (await waiting()).length > 0,
      () => clock.advance(0),
    );
    expect(await lineOf(world, run)).toMatchObject({ wait: null });
    gate.resolve(undefined);
    await until(
      async () => ((await lineOf(world, run)).wait ?? null) !== null,
      () => clock.advance(0),
    );
    expect(await lineOf(world, run)).toMatchObject({ wait: { target: "limited" }, code: "RateLimited" });
    expect(await clock.runUntil(end)).toMatchObject({ status: "completed" });
    expect((await visitOf())?.calls).toBeUndefined();
  });

  it("still says it after its process died in the wait and another one has it", async () => {
    const world = await engineWorld(calling(limited(1)), { store });
    const { clock, journal } = world;
    const run = await world.start();
    const first = Promise.allSettled([world.runs.advance(run)]);
    const line = (): Promise<RunSummary> => lineOf(world, run);
    await until(
      async () => ((await line()).wait ?? null) !== null,
      () => clock.advance(0),
    );
    const before = await line();
    expect(standingOf(before, { now: clock.now(), isHeld: false, isDriven: true })).toBe("queued");
    const next = world.nextLife({ worker: { ...worker(), isGone: () => true } });
    const end = next.advance(run);
    const isTakenUp = async (): Promise<boolean> => {
      for await (const { event } of journal.read(run)) if (event.type === "session-resumed") return true;
      return false;
    };
    await until(isTakenUp, () => clock.advance(0));
    expect((await line()).wait).toEqual(before.wait);
    const [visit] = (await next.show(run))?.state.visits ?? [];
    expect(visit === undefined ? null : visitNextAt(visit, clock.now())).toBe(before.wait?.nextAt);
    expect(await clock.runUntil(end)).toMatchObject({ status: "completed" });
    expect(await line()).toMatchObject({ wait: null });
    expect(await clock.runUntil(first)).toMatchObject([{ status: "rejected" }]);
  });
});

describe("a run whose node waits for its next attempt while a process holds it", () => {
  it("stands as retrying until the attempt begins", async () => {
    const world = await engineWorld({
      id: "again",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2, backoff: { initialMs: 500, maxMs: 500 } },
          act: () => "done",
          assert: (_result, { attempt }) => (attempt === 1 ? { verdict: "retry", reason: "more" } : { verdict: "ok" }),
        }),
      },
    });
    const { clock, runs } = world;
    const run = await world.start();
    const end = runs.advance(run);
    await clock.advance(0);
    await until(
      async () => ((await lineOf(world, run)).wait ?? null) !== null,
      () => clock.advance(0),
    );
    const line = await lineOf(world, run);
    expect(line.wait).toMatchObject({ target: "", attempt: 2, of: 2, code: "AssertFailed" });
    expect(standing(line, clock.now())).toBe("retrying");
    expect(await clock.runUntil(end)).toMatchObject({ status: "completed" });
    expect(await lineOf(world, run)).toMatchObject({ wait: null });
  });
});
