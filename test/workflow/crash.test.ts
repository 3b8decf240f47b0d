// A process dies after any of its writes. The process that resumes reaches the same end, with the same outputs and the same
// costs, and repeats no finished work.

import { describe, expect, it } from "vitest";
import type { Route } from "../../src/core/flow/visit.ts";
import { FaultError, type JournalEvent, tool } from "../../src/index.ts";
import { stage, type WorkflowOptions } from "../../src/workflow/define.ts";
import type { ActTools } from "../../src/workflow-model/stage.ts";
import type { WorkflowRuns } from "../../src/workflow/runs.ts";
import { crashingJournal } from "../support/crashing-journal.ts";
import {
  APPROVE,
  engineWorld,
  type EngineWorld,
  only,
  places,
  type Store,
  thrown,
  untilGivenUp,
  YES,
} from "../support/engine-world.ts";
import { shareOf } from "../support/grid.ts";

const RESET_AT = 1_000_000 + 3_600_000;

/** Effects seen by the outside world, by call. */
type Effects = { call: string; input: string }[];

async function valueOf(tools: ActTools, made: ReturnType<typeof effect>, input: string): Promise<string> {
  const outcome = await tools.turn.protect(made, input);
  if ("value" in outcome) return outcome.value;
  throw new FaultError(outcome.fault);
}

/** Fails as scripted, once per kind; otherwise it has an effect that costs. */
function effect(effects: Effects, failed: Set<string>) {
  return tool<string, string>({
    id: "effect",
    idempotent: true,
    retry: { maxAttempts: 3, backoff: { initialMs: 10, maxMs: 10 } },
    cost: { estimate: () => 5 },
    run: (input, { call, cost }) => {
      const failsOnce = (kind: string): boolean =>
        input.includes(kind) && !failed.has(input) && failed.add(input).size > 0;
      if (failsOnce("flaky")) throw thrown("NetworkDisconnect");
      if (failsOnce("quota")) throw thrown("QuotaExhausted", { resetAt: RESET_AT });
      effects.push({ call, input });
      cost(5);
      return `did ${input}`;
    },
  });
}

/** Retries, a fan-out, a gate, a parked call, failing tools and a loop. */
function everything(effects: Effects): WorkflowOptions {
  const work = effect(effects, new Set());
  const fan: Route = { kind: "fan", nodes: ["gate", "parked", "flaky"], join: "join", failFast: true };
  return {
    id: "everything",
    stages: {
      first: stage({
        retryPolicy: { maxAttempts: 2 },
        act: async (_r, tools, { attempt }) => valueOf(tools, work, `first ${attempt}`),
        assert: (_result, { attempt }) =>
          attempt === 1 ? { verdict: "retry", reason: "once more" } : { verdict: "ok" },
        next: () => fan,
      }),
      gate: stage({
        act: async (_r, tools) => {
          const { status } = await tools.ask({ payload: APPROVE, timeoutMs: null });
          return [status, await valueOf(tools, work, "after the gate")];
        },
        next: () => "join",
      }),
      parked: stage({ act: async (_r, tools) => valueOf(tools, work, "quota"), next: () => "join" }),
      flaky: stage({
        act: async (_r, tools) => [await valueOf(tools, work, "flaky 1"), await valueOf(tools, work, "two")],
        next: () => "join",
      }),
      join: stage({
        act: (_r, _t, { nodes }) => Object.values(nodes).map(({ output }) => output),
        next: () => "loop",
      }),
      loop: stage({
        act: async (_r, tools, { execution }) => valueOf(tools, work, `round ${execution}`),
        next: (_ending, { execution }) => (execution < 2 ? "loop" : { kind: "end", outcome: "all done" }),
      }),
    },
  };
}

/** One path fails; the one beside it hangs until it is cancelled. */
function failingFast(effects: Effects): WorkflowOptions {
  const work = effect(effects, new Set());
  return {
    id: "failing",
    stages: {
      split: stage({
        act: async (_r, tools) => valueOf(tools, work, "split"),
        next: (): Route => ({ kind: "fan", nodes: ["hangs", "fails"], join: "join", failFast: true }),
      }),
      hangs: stage({ act: async (_r, tools) => untilGivenUp(tools), next: () => "join" }),
      fails: stage({
        act: async (_r, tools) => {
          await valueOf(tools, work, "fails");
          throw thrown("AuthFailed");
        },
        next: ({ status }) => (status === "failed" ? null : "join"),
      }),
      join: stage({ act: () => 1 }),
    },
  };
}

/** Answers questions and advances to wake-up times, until the run is over or its process is gone. */
async function finish(
  { clock, journal }: EngineWorld,
  runs: WorkflowRuns,
  run: string,
  gone = new Promise<void>(() => undefined),
): Promise<void> {
  const orGone = <T>(work: Promise<T>): Promise<T | null> =>
    clock.runUntil(Promise.race([work, gone.then(() => null)]));
  for (let round = 0; round < 20; round++) {
    const end = await orGone(runs.advance(run));
    if (end === null || (end.status !== "paused" && end.status !== "running")) return;
    for (const { key } of (await orGone(journal.keptAll("question"))) ?? []) await orGone(runs.answer(key, YES));
    if (end.questions.length === 0 && end.wakeAt !== null && end.wakeAt > clock.now()) {
      await clock.advance(end.wakeAt - clock.now());
    }
  }
  throw new Error("the run does not end");
}

interface Story {
  readonly end: unknown;
  readonly outputs: unknown;
  readonly spent: number;
  readonly events: readonly JournalEvent[];
  readonly effects: readonly string[];
}

async function storyOf(world: EngineWorld, run: string, effects: Effects): Promise<Story> {
  const report = await world.runs.show(run);
  const events = await world.events(run);
  const ended = only(events, "run-ended").map(({ status, outcome, node, fault }) => [
    status,
    outcome,
    node,
    fault?.code,
  ]);
  return {
    end: ended,
    outputs: only(events, "node-completed")
      .map(({ node, execution, output }) => `${node}#${execution} ${JSON.stringify(output)}`)
      .toSorted(),
    spent: report?.summary.spentMicrocents ?? -1,
    events,
    effects: effects.map(({ input }) => input).toSorted(),
  };
}

async function undisturbed(
  make: (effects: Effects) => WorkflowOptions,
  store: Store,
): Promise<{ story: Story; appends: number }> {
  const effects: Effects = [];
  const counted = { appends: 0 };
  const world = await engineWorld(make(effects), {
    store,
    wrap: (journal) => ({
      ...journal,
      append: (...args) => {
        counted.appends += 1;
        return journal.append(...args);
      },
    }),
  });
  const run = await world.start();
  await finish(world, world.runs, run);
  return { story: await storyOf(world, run, effects), appends: counted.appends };
}

/** Lives until its k-th append, then another process finishes the run. */
async function crashedAt(make: (effects: Effects) => WorkflowOptions, store: Store, k: number, isTold: boolean) {
  const effects: Effects = [];
  const world = await engineWorld(make(effects), { store });
  const run = await world.start();
  const crashing = crashingJournal(world.journal, k, isTold);
  const first = world.nextLife({ journal: crashing.journal, worker: { name: `first-${k}`, isGone: () => false } });
  await finish({ ...world, journal: crashing.journal }, first, run, crashing.crashed);
  const second = world.nextLife({ worker: { name: `second-${k}`, isGone: (name) => name === `first-${k}` } });
  await finish(world, second, run);
  return { world, run, story: await storyOf(world, run, effects), effects, hasCrashed: crashing.isGone() };
}

describe.each([
  { name: "everything", make: everything, store: "memory" },
  { name: "everything", make: everything, store: "sqlite" },
  { name: "everything", make: everything, store: "postgres" },
  { name: "a failure beside a hanging path", make: failingFast, store: "memory" },
] as const)("a run of $name that dies after any of its writes, on a journal in $store", ({ make, store }) => {
  it.each([true, false])("comes to the same end (last write acknowledged: %s)", async (isTold) => {
    const { story: expected, appends } = await undisturbed(make, store);
    expect(appends).toBeGreaterThan(10);
    // In memory a long run dies at every other write and a short one at each, and half of these are acknowledged; each day it
    // begins at another write, so over time it dies at all of them, both ways. In a store it dies at some of them.
    const every = store !== "memory" ? 17 : appends > 40 ? 4 : 2;
    const day = Math.floor(Date.now() / 86_400_000);
    const points = Array.from({ length: appends - 1 }, (_none, index) => index + 1);
    let crashes = 0;
    for (const k of shareOf(points, every, store === "memory" ? day + (isTold ? 0 : every / 2) : 0)) {
      const { story, hasCrashed, effects } = await crashedAt(make, store, k, isTold);
      const where = `crashed after append ${k}`;
      if (hasCrashed) crashes += 1;
      expect(story.end, where).toEqual(expected.end);
      expect(story.outputs, where).toEqual(expected.outputs);
      // Every attempt that was sent is paid once: an interrupted one costs its estimate.
      const cut = only(story.events, "call-failed").filter(({ fault }) => fault.code === "Interrupted");
      expect(story.spent, where).toBe(5 * only(story.events, "call-admitted").length);
      expect(story.spent, where).toBeLessThanOrEqual(expected.spent + 5 * cut.length);
      expect(only(story.events, "session-ended"), where).toHaveLength(1);
      expect(places(story.events, "node-completed").length, where).toBe(
        places(expected.events, "node-completed").length,
      );
      // A call in flight when the process died may be repeated, under its own name and by policy: at most one per path.
      const again = effects.length - new Set(effects.map(({ call, input }) => `${call} ${input}`)).size;
      expect(again, where).toBeLessThanOrEqual(cut.length);
      expect([...new Set(story.effects)], where).toEqual([...new Set(expected.effects)]);
    }
    expect(crashes).toBeGreaterThan(2);
  });
});

describe("stopping in the middle", () => {
  it("writes nothing more, releases the run, and another process continues where it was", async () => {
    const effects: Effects = [];
    const world = await engineWorld(everything(effects));
    const run = await world.start();
    const first = world.nextLife();
    const work = first.advance(run).then(
      () => null,
      (error: unknown) => error,
    );
    await world.clock.next();
    await world.clock.runUntil(first.stop());
    expect(await work).toBeInstanceOf(FaultError);
    const before = (await world.events(run)).length;
    await world.clock.advance(60_000);
    expect((await world.events(run)).length).toBe(before);
    expect(await world.journal.holds()).toEqual([]);
    await finish(world, world.runs, run);
    const { story } = await undisturbed(everything, "memory");
    const after = await storyOf(world, run, effects);
    expect([after.end, after.outputs, after.spent]).toEqual([story.end, story.outputs, story.spent]);
  });

  it("also stops a run that is just being opened", async () => {
    const world = await engineWorld(everything([]));
    const run = await world.start();
    const first = world.nextLife();
    const work = first.advance(run).then(
      () => null,
      (error: unknown) => error,
    );
    await world.clock.runUntil(first.stop());
    expect(await work).toBeInstanceOf(FaultError);
    expect(places(await world.events(run), "node-completed")).toEqual([]);
  });

  it("leaves no gaps in the entries, and the whole journal verifies", async () => {
    const { world, run } = await crashedAt(everything, "sqlite", 9, false);
    const seqs: number[] = [];
    for await (const { seq } of world.journal.read(run)) seqs.push(seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(await world.clock.runUntil(world.journal.verify())).toMatchObject({ firstBad: null });
  });
});
