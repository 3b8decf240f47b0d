// An operator's actions on a waiting run: in place, once, and without losing finished work. And runs that are resumed with a
// workflow that has changed.

import { describe, expect, it } from "vitest";
import type { Instruction } from "../../../src/core/flow/visit.ts";
import { FaultError, tool } from "../../../src/index.ts";
import { defineWorkflow, stage, type WorkflowOptions } from "../../../src/workflow/define.ts";
import { APPROVE, engineWorld, only, places, refusal, thrown, YES } from "../../support/engine-world.ts";

const LATER = 1_000_000 + 3_600_000;

describe("an action on a waiting visit", () => {
  it("gives a parked visit another attempt at once, with the instruction", async () => {
    const seen: (string | undefined)[] = [];
    const limited = tool<null, string>({
      id: "limited",
      run: () => {
        throw thrown("QuotaExhausted", { resetAt: LATER });
      },
    });
    const other = tool<null, string>({ id: "other", run: () => "done" });
    const { go, clock, runs, advance, events } = await engineWorld({
      id: "parked",
      stages: {
        a: stage({ act: () => "kept" }),
        b: stage({
          act: async (_request, { turn }, { attempt, instruction }) => {
            seen.push(instruction?.action);
            const outcome = await turn.protect(attempt === 1 ? limited : other, null);
            if (!("value" in outcome)) throw new FaultError(outcome.fault);
            return outcome.value;
          },
        }),
      },
    });
    const { run, status } = await go();
    expect(status).toBe("paused");
    const offered = (await runs.show(run))?.actions.find(({ id }) => id === "retry-stage");
    const key = offered?.key ?? "";
    expect(await clock.runUntil(runs.act(run, "retry-stage", { key, by: "ada" }))).toEqual({ run, did: true });
    expect(await clock.runUntil(runs.act(run, "retry-stage", { key, by: "bob" }))).toEqual({ run, did: false });
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(clock.now()).toBeLessThan(LATER);
    expect(seen).toEqual([undefined, "retry-stage"]);
    const all = await events(run);
    expect(places(all, "node-started")).toEqual(["a#1.1", "b#1.1", "b#1.2"]);
    expect(only(all, "run-instructed")).toMatchObject([{ action: "retry-stage", node: "b", by: "ada" }]);
  });

  it("does not prolong the wait of a visit that waits for its next attempt", async () => {
    let told: Instruction | null = null;
    const { go, clock, runs, advance, events } = await engineWorld({
      id: "retrying",
      stages: {
        a: stage({
          retryPolicy: {
            maxAttempts: 2,
            backoff: { kind: "fixed", initialMs: 600_000, maxMs: 600_000 },
            maxWaitMs: 1e7,
          },
          act: (_request, _tools, { attempt, instruction }) => {
            told = instruction;
            if (attempt === 1) throw thrown("RateLimited");
          },
        }),
      },
    });
    const { run, status, wakeAt } = await go();
    expect([status, (wakeAt ?? 0) > clock.now()]).toEqual(["paused", true]);
    await clock.runUntil(runs.act(run, "retry-now", { by: "ada" }));
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect([clock.now() < (wakeAt ?? 0), told]).toEqual([true, { action: "retry-now", params: {}, by: "ada" }]);
    expect(places(await events(run), "node-started")).toEqual(["a#1.1", "a#1.2"]);
  });

  it("answers a gate's question, and a late answer changes nothing", async () => {
    const { go, clock, runs, advance, journal } = await engineWorld({
      id: "gate",
      stages: { a: stage({ act: async (_r, { ask }) => (await ask({ payload: APPROVE, timeoutMs: null })).status }) },
    });
    const { run, questions } = await go();
    expect(await clock.runUntil(runs.act(run, "answer", { params: { answer: YES } }))).toEqual({ run, did: true });
    expect(await clock.runUntil(runs.answer(questions[0]?.id ?? "", { status: "rejected", reason: "no" }))).toBe(false);
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(await journal.keptAll("answer")).toEqual([]);
  });

  it("is carried out by a run that is being advanced at that moment", async () => {
    const { start, clock, runs, events } = await engineWorld({
      id: "live",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2, backoff: { kind: "fixed", initialMs: 4_900, maxMs: 4_900 }, jitter: 0 },
          act: (_request, _tools, { attempt }) => {
            if (attempt === 1) throw thrown("RateLimited");
          },
        }),
      },
    });
    const run = await start();
    const end = runs.advance(run);
    await clock.advance(100);
    await clock.runUntil(runs.act(run, "retry-now"));
    await clock.advance(0);
    expect(await clock.runUntil(end)).toMatchObject({ status: "completed" });
    expect(clock.now()).toBeLessThan(1_004_900);
    expect(only(await events(run), "run-instructed")).toHaveLength(1);
  });
});

describe("a workflow that has changed", () => {
  const gated = (version: string, after: string): WorkflowOptions => ({
    id: "flow",
    version,
    stages: {
      first: stage({ act: () => `first of ${version}` }),
      gate: stage({
        act: async (_r, { ask }) => (await ask({ payload: { ...APPROVE, prompt: version }, timeoutMs: null })).status,
        next: () => after,
      }),
      [after]: stage({ act: (_r, _t, { nodes }) => [after, nodes["first"]?.output] }),
    },
  });

  it("is refused unless the operator decides", async () => {
    const { go, clock, runs, advance } = await engineWorld(gated("1", "old"));
    const { run } = await go();
    const changed = defineWorkflow(gated("2", "new"));
    const refused = await refusal(clock, runs.resume(run, changed));
    expect(refused.code).toBe("ResumeMismatch");
    expect(refused.message).toContain("accept");
    expect(await advance(run)).toMatchObject({ status: "paused" });
  });

  it("is accepted on request: finished nodes stay, and waiting ones start again", async () => {
    const { go, clock, runs, advance, events, journal } = await engineWorld(gated("1", "old"));
    const { run, questions: before } = await go();
    await clock.runUntil(runs.resume(run, defineWorkflow(gated("2", "new")), { changed: "accept", by: "ada" }));
    const asked = await advance(run);
    expect(asked).toMatchObject({ status: "paused", questions: [{ payload: { prompt: "2" } }] });
    const open = (await journal.keptAll("question")).map(({ key }) => key);
    expect(open).toEqual(asked.questions.map(({ id }) => id));
    expect(open).not.toContain(before[0]?.id);
    await clock.runUntil(runs.answer(asked.questions[0]?.id ?? "", YES));
    expect(await advance(run)).toMatchObject({ status: "completed" });
    const all = await events(run);
    expect(only(all, "workflow-changed")).toMatchObject([{ by: "ada" }]);
    expect(places(all, "node-started")).toEqual(["first#1.1", "gate#1.1", "gate#1.2", "new#1.1"]);
    expect(only(all, "node-completed").at(-1)).toMatchObject({ output: ["new", "first of 1"] });
  });

  it("is ignored if the run is to continue with its original", async () => {
    const { go, clock, runs, advance, events } = await engineWorld(gated("1", "old"));
    const { run, questions } = await go();
    await clock.runUntil(runs.resume(run, defineWorkflow(gated("2", "new")), { changed: "as-started" }));
    await clock.runUntil(runs.answer(questions[0]?.id ?? "", YES));
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(places(await events(run), "node-started")).toEqual(["first#1.1", "gate#1.1", "old#1.1"]);
  });

  it("is what a process that does not know the original asks about", async () => {
    const { go, clock, nextLife, workflow } = await engineWorld(gated("1", "old"));
    const { run } = await go();
    const stranger = nextLife({ workflows: [] });
    expect(await refusal(clock, stranger.advance(run))).toMatchObject({ code: "ResumeMismatch" });
    await clock.runUntil(stranger.resume(run, workflow));
    expect(await clock.runUntil(stranger.advance(run))).toMatchObject({ status: "paused" });
  });

  it("is not resumed into a run that is over", async () => {
    const { go, clock, runs, workflow } = await engineWorld({
      id: "over",
      stages: { a: stage({ act: () => 1 }) },
    });
    const { run } = await go();
    expect(await refusal(clock, runs.resume(run, workflow))).toMatchObject({ code: "EngineState" });
  });
});
