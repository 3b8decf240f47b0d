// The limits of a run: nodes, time, and the money of the run and of one agent.

import { describe, expect, it } from "vitest";
import type { Route } from "../../src/core/flow/visit.ts";
import { tool } from "../../src/index.ts";
import { stage, type StageOptions, type WorkflowLimitOptions } from "../../src/workflow/define.ts";
import {
  APPROVE,
  engineWorld,
  type EngineWorld,
  never,
  only,
  phasesIn,
  places,
  refusal,
  thrown,
  untilGivenUp,
} from "../support/engine-world.ts";

const fan = (nodes: readonly string[], join: string): Route => ({ kind: "fan", nodes, join, failFast: true });

describe("the number of visits", () => {
  it("ends an endless loop as TurnLimit", async () => {
    const { go, events } = await engineWorld({
      id: "loop",
      limits: { maxNodes: 5 },
      stages: { a: stage({ act: () => 1, next: () => "a" }) },
    });
    const end = await go();
    expect(end).toMatchObject({ status: "failed", fault: { code: "TurnLimit", context: { limit: 5 } } });
    expect(places(await events(end.run), "node-started")).toHaveLength(5);
  });

  it("is not exceeded by paths that start at the same moment", async () => {
    const path = stage({ act: () => 1, next: () => "join" });
    const { go, events } = await engineWorld({
      id: "wide",
      limits: { maxNodes: 2, maxParallel: 4 },
      stages: {
        split: stage({ act: () => 0, next: () => fan(["p", "q", "r"], "join") }),
        ...{ p: path, q: path, r: path },
        join: stage({ act: () => 1 }),
      },
    });
    const end = await go();
    expect(end).toMatchObject({ status: "failed", fault: { code: "TurnLimit" } });
    expect(places(await events(end.run), "node-started").length).toBeLessThanOrEqual(2);
  });

  it.each([{ maxParallel: 0 }, { maxNodes: 0 }, { maxParallel: Number.NaN }, { timeoutMs: -1 }, { maxUsd: -1 }])(
    "a workflow with %o is refused when it is defined",
    async (limits) => {
      const { clock } = await engineWorld({ id: "good", stages: { a: stage({ act: () => 1 }) } });
      const made = engineWorld({ id: "bad", limits, stages: { a: stage({ act: () => 1 }) } });
      expect(await refusal(clock, made)).toMatchObject({ code: "ConfigSchemaViolation" });
    },
  );
});

describe("time", () => {
  it("of the run ends it as RunTimeout, whatever the resolution policy of its nodes", async () => {
    for (const resolutionPolicy of ["abort-workflow", "skip", "retry-later"] as const) {
      const hangs: StageOptions = { resolutionPolicy, retryPolicy: { maxAttempts: 3 }, act: () => never() };
      const { go, events, clock } = await engineWorld({
        id: "slow",
        limits: { timeoutMs: 60_000 },
        stages: { a: stage(hangs), b: stage({ ...hangs, act: () => 1 }) },
      });
      const end = await go();
      expect(end).toMatchObject({ status: "failed", fault: { code: "RunTimeout" } });
      expect(clock.now()).toBe(1_060_000);
      expect(only(await events(end.run), "run-ended")).toHaveLength(1);
    }
  });

  it("of an attempt ends that attempt, and aborts what it left running", async () => {
    const given: number[] = [];
    const { go, events } = await engineWorld({
      id: "hang",
      stages: {
        a: stage({
          timeoutMs: 1_000,
          idempotent: true,
          retryPolicy: { maxAttempts: 2 },
          act: async (_request, tools, { attempt }) => {
            if (attempt === 1) {
              await untilGivenUp(tools);
              given.push(attempt);
            }
            return attempt;
          },
          assert: ({ output }) => (output === 2 ? { verdict: "ok" } : { verdict: "fail", reason: "left behind" }),
          next: ({ status }) => (status === "failed" ? "b" : null),
        }),
        b: stage({ act: () => "after the failure" }),
      },
    });
    const end = await go();
    expect(end.status).toBe("completed");
    expect(given).toEqual([1]);
    const all = await events(end.run);
    const ended = [only(all, "node-failed"), only(all, "node-retrying")].flat();
    expect(ended).toMatchObject([{ fault: { code: "TurnTimeout" } }]);
    // What it does after it was cancelled is not part of the run.
    expect(phasesIn(all)).not.toContain("a#1.1 assert");
  });

  it("does not count while the run waits", async () => {
    const { go, clock, runs, advance } = await engineWorld({
      id: "patient",
      limits: { timeoutMs: 60_000 },
      stages: {
        a: stage({ act: async (_request, tools) => tools.ask({ payload: APPROVE, timeoutMs: null }) }),
        b: stage({ act: () => 1 }),
      },
    });
    const { run, questions } = await go();
    await clock.advance(3_600_000);
    await clock.runUntil(runs.answer(questions[0]?.id ?? "", { status: "accepted", value: true }, "ada"));
    expect(await advance(run)).toMatchObject({ status: "completed" });
  });
});

describe("money", () => {
  const paid = tool<number, number>({
    id: "paid",
    idempotent: true,
    cost: { estimate: (microcents) => microcents },
    run: (microcents, { cost }) => {
      cost(microcents);
      return microcents;
    },
  });

  function spender(limits: WorkflowLimitOptions): Promise<EngineWorld> {
    const spends = stage({
      act: async (_request, { turn }, { inputs }) => {
        const outcome = await turn.protect(paid, Number(inputs["each"]));
        if (!("value" in outcome)) throw thrown(outcome.fault.code);
        return outcome.value;
      },
    });
    return engineWorld({ id: "spender", limits, stages: { a: spends, b: spends } });
  }

  it.each([1, 90, 1_000_000_000])("without a limit, two stages may spend any amount, such as %i each", async (each) => {
    const { go, runs } = await spender({});
    const { run, status } = await go({ each });
    expect(status).toBe("completed");
    expect((await runs.show(run))?.summary.spentMicrocents).toBe(2 * each);
  });

  it("`warn` continues and warns", async () => {
    const { go, events, runs } = await spender({ maxUsd: 0.000001, onExceed: "warn" });
    const end = await go({ each: 90 });
    expect(end.status).toBe("completed");
    expect(only(await events(end.run), "budget-warned")).toHaveLength(1);
    expect((await runs.show(end.run))?.summary.spentMicrocents).toBe(180);
  });

  it("`fail` ends the run before the money is gone", async () => {
    const { go, runs } = await spender({ maxUsd: 0.000001, onExceed: "fail" });
    const end = await go({ each: 90 });
    expect(end).toMatchObject({ status: "failed", fault: { code: "BudgetExceeded" } });
    expect((await runs.show(end.run))?.summary).toMatchObject({ spentMicrocents: 90, nodes: ["b"] });
  });

  it("`pause_for_approval` asks: yes continues, no is BudgetExceeded", async () => {
    for (const isApproved of [true, false]) {
      const { go, runs, clock, advance, events } = await spender({
        maxUsd: 0.000001,
        onExceed: "pause_for_approval",
      });
      const paused = await go({ each: 90 });
      expect(paused).toMatchObject({ status: "paused", questions: [{ code: "BudgetExceeded" }] });
      expect(only(await events(paused.run), "node-paused")).toMatchObject([{ node: "b", why: "budget" }]);
      await clock.runUntil(
        runs.answer(paused.questions[0]?.id ?? "", { status: "accepted", value: isApproved }, "ada"),
      );
      const end = await advance(paused.run);
      if (isApproved) expect(end.status).toBe("completed");
      else expect(end).toMatchObject({ status: "failed", fault: { code: "BudgetExceeded" } });
    }
  });

  it("a raised limit lets the paused run continue at once, without another question", async () => {
    const { go, runs, clock, advance, journal } = await spender({
      maxUsd: 0.000001,
      onExceed: "pause_for_approval",
    });
    const { run } = await go({ each: 90 });
    const acted = await clock.runUntil(
      runs.act(run, "raise-limit", { params: { limits: { maxCostMicrocents: 500 } } }),
    );
    expect(acted).toEqual({ run, did: true });
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect((await runs.show(run))?.state.limits.maxCostMicrocents).toBe(500);
    expect(await journal.keptAll("question")).toEqual([]);
  });

  it("of an agent without a limit of its own is endless, whatever it has spent", async () => {
    const left: number[] = [];
    const { go } = await engineWorld({
      id: "free",
      stages: {
        a: stage({
          act: async (_request, { turn, budgetLeftMicrocents }) => {
            left.push(budgetLeftMicrocents());
            await turn.protect(paid, 1_000_000_000);
            left.push(budgetLeftMicrocents());
          },
        }),
      },
    });
    expect(await go()).toMatchObject({ status: "completed" });
    expect(left).toEqual([Infinity, Infinity]);
  });

  it("of one agent is what its own visits have left; other agents do not count", async () => {
    const left: number[] = [];
    const spends = stage({
      maxUsd: 0.000002,
      act: async (_request, { turn, budgetLeftMicrocents }) => {
        left.push(budgetLeftMicrocents());
        await turn.protect(paid, 70);
        left.push(budgetLeftMicrocents());
      },
      next: (_ending, { execution }) => (execution === 1 ? "b" : null),
    });
    const { go } = await engineWorld({
      id: "agent",
      stages: {
        a: spends,
        b: stage({ act: async (_r, { turn }) => turn.protect(paid, 1_000), next: () => "a" }),
      },
    });
    expect((await go()).status).toBe("completed");
    expect(left).toEqual([200, 130, 130, 60]);
  });
});
