// Bulk actions wave by wave, with time that the test owns: what a step says of its run, when the next wave begins, what ends it.

import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryJournal, fault, type FaultCode, FaultError, tool } from "../../../src/index.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { settledStep } from "../../../src/workflow/bulk/bulk-driver.ts";
import { type BulkStep, pendingStep } from "../../../src/workflow/bulk/bulk.ts";
import { defineWorkflow, stage } from "../../../src/workflow/define.ts";
import type { RunSummary } from "../../../src/workflow/runs-api.ts";
import { createWorkflows, type Workflows } from "../../../src/workflow/workflows.ts";

const NOW = 1_000_000;

describe("a step of a bulk action", () => {
  const running: BulkStep = { ...pendingStep("r1"), state: "running", now: "r2", key: "k", at: 5 };
  const summary = (more: Partial<RunSummary>): Partial<RunSummary> => ({
    run: "r2",
    code: "AuthFailed",
    updatedAt: 77,
    ...more,
  });

  it.each<[string, Partial<RunSummary> | null, number | null, Partial<BulkStep>]>([
    ["is gone", null, null, { state: "refused", at: NOW }],
    ["runs", { status: "running" }, null, {}],
    ["has completed", { status: "completed", code: null }, null, { state: "completed", code: null, at: 77 }],
    ["has failed", { status: "failed" }, null, { state: "failed", code: "AuthFailed", at: 77 }],
    ["was cancelled", { status: "cancelled" }, null, { state: "failed", code: "AuthFailed", at: 77 }],
    ["waits for a person", { status: "paused" }, null, { state: "waiting", code: "AuthFailed", at: 77 }],
    ["waits until later", { status: "paused" }, NOW + 1, { state: "waiting", code: "AuthFailed", at: 77 }],
    ["is due now", { status: "paused" }, NOW, {}],
    ["has been due for a while", { status: "paused" }, NOW - 1, {}],
  ])("whose run %s says so", async (_what, run, wake, expected) => {
    const journal = createMemoryJournal();
    if (run !== null) await journal.keep([{ kind: "run", key: "r2", value: summary(run) }]);
    if (wake !== null) await journal.keep([{ kind: "wake", key: "r2", value: wake }]);
    expect(await settledStep(journal, running, NOW)).toEqual({ ...running, ...expected });
  });

  it.each(["pending", "acting", "completed", "failed", "waiting", "refused"] as const)(
    "that is %s stays so",
    async (state) => {
      const step = { ...running, state };
      expect(await settledStep(createMemoryJournal(), step, NOW)).toBe(step);
    },
  );
});

interface World {
  readonly clock: FakeClock;
  readonly workflows: Workflows;
  readonly runs: readonly string[];
  readonly fingerprint: string;
  /** What each run does when it is acted on; a run that is not here works. */
  readonly then: Map<string, () => unknown>;
  /** The runs that were acted on, by number, in order. */
  readonly acted: number[];
}

const MICROCENTS = 7;
const TOOK_MS = 40;

/** So many runs that failed alike, one after the other. */
async function failedRuns(count: number): Promise<World> {
  const clock = createFakeClock(NOW);
  const then = new Map<string, () => unknown>();
  const acted: number[] = [];
  const seen = new Set<unknown>();
  const paid = tool<null, null>({
    id: "paid",
    run: async (_input, { cost }) => {
      await new Promise<void>((resolve) => void clock.after(TOOK_MS, resolve));
      cost(MICROCENTS);
      return null;
    },
  });
  const work = stage({
    act: async (_request, { turn }, { inputs }) => {
      const run = String(inputs["run"]);
      if (seen.has(run)) {
        acted.push(Number(run));
        return then.get(run)?.();
      }
      seen.add(run);
      await turn.protect(paid, null);
      throw new FaultError(fault("AuthFailed"));
    },
  });
  const workflow = defineWorkflow({ id: "work", stages: { work } });
  const chance = createSeededChance(3);
  const workflows = createWorkflows({
    journal: createMemoryJournal({ clock, chance }),
    workflows: [workflow],
    env: {},
    clock,
    chance,
  });
  onTestFinished(() => clock.runUntil(workflows.close()));
  const runs: string[] = [];
  for (let number = 1; number <= count; number++) {
    const run = await clock.runUntil(workflows.runs.start(workflow, { inputs: { run: String(number) } }));
    await clock.runUntil(workflows.runs.advance(run));
    runs.push(run);
  }
  const [group] = await workflows.journal.faultGroups({ limit: 1 });
  return { clock, workflows, runs, fingerprint: group?.fingerprint ?? "", then, acted };
}

const fails = (code: FaultCode) => (): never => {
  throw new FaultError(fault(code));
};

/** Started with a driver, and as far as it gets without anything else from outside. */
async function started(world: World, pace: readonly number[]): Promise<string> {
  const { clock, workflows, fingerprint } = world;
  const driver = workflows.driver();
  const bulkDriver = workflows.bulks.driver({ onActed: () => driver.poke() });
  driver.start();
  bulkDriver.start();
  const { id } = await clock.runUntil(workflows.bulks.start(fingerprint, { action: "sign-in-again", pace, by: "ada" }));
  await clock.advance(10_000);
  return id;
}

const statesIn = async ({ workflows }: World, id: string): Promise<unknown> => {
  const report = await workflows.bulks.show(id);
  return [report?.bulk.status, ...(report?.steps.map(({ state }) => state) ?? [])];
};

describe("a bulk action", () => {
  it("begins a wave when every run of the one before has ended, not when one of them has", async () => {
    const world = await failedRuns(3);
    const held = Promise.withResolvers<null>();
    world.then.set("2", () => held.promise);
    const id = await started(world, [2]);
    expect(new Set(world.acted)).toEqual(new Set([2, 3]));
    expect(await statesIn(world, id)).toEqual(["running", "completed", "running", "pending"]);
    held.resolve(null);
    await world.clock.advance(2_000);
    expect(world.acted.at(-1)).toBe(1);
    expect(await statesIn(world, id)).toEqual(["completed", "completed", "completed", "completed"]);
    const { bulk } = (await world.workflows.bulks.show(id)) ?? {};
    expect([bulk?.abortedBy, (bulk?.endedAt ?? 0) > NOW]).toEqual(["", true]);
  });

  it.each<[string, FaultCode, readonly unknown[]]>([
    ["stops when half of a wave fails again", "AuthFailed", ["stopped", "completed", "failed", "pending"]],
    [
      "stops when half of a wave fails with something else",
      "Unsupported",
      ["stopped", "completed", "failed", "pending"],
    ],
  ])("%s", async (_what, code, states) => {
    const world = await failedRuns(3);
    world.then.set("2", fails(code));
    expect(await statesIn(world, await started(world, [2]))).toEqual(states);
  });

  it("is aborted between two runs: the one that was acted on ends, no other begins, and the record says who did it", async () => {
    const world = await failedRuns(2);
    const held = Promise.withResolvers<null>();
    world.then.set("2", () => held.promise);
    const id = await started(world, [1]);
    await world.clock.runUntil(world.workflows.bulks.abort(id, "bob"));
    held.resolve(null);
    await world.clock.advance(10_000);
    expect(await statesIn(world, id)).toEqual(["aborted", "completed", "pending"]);
    expect((await world.workflows.bulks.show(id))?.bulk).toMatchObject({ abortedBy: "bob" });
    expect(world.acted).toEqual([2]);
  });

  it("is left alone by a driver that was never started, or was stopped", async () => {
    const world = await failedRuns(1);
    const { workflows, clock, fingerprint } = world;
    const never = workflows.bulks.driver();
    const stopped = workflows.bulks.driver();
    stopped.start();
    await clock.advance(0);
    await clock.runUntil(stopped.stop());
    const timers = clock.pending;
    await clock.runUntil(workflows.bulks.start(fingerprint, { action: "sign-in-again", by: "ada" }));
    never.poke();
    await clock.advance(0);
    expect([world.acted, clock.pending]).toEqual([[], timers]);
  });

  it("passes a run over on which a person has acted since", async () => {
    const world = await failedRuns(2);
    const { workflows, fingerprint, clock, runs } = world;
    const { id } = await clock.runUntil(
      workflows.bulks.start(fingerprint, { action: "sign-in-again", pace: [5], by: "ada" }),
    );
    await clock.runUntil(workflows.runs.act(runs[1] ?? "", "sign-in-again", { by: "eve" }));
    const driver = workflows.driver();
    driver.start();
    await clock.advance(5_000);
    workflows.bulks.driver({ onActed: () => driver.poke() }).start();
    await clock.advance(5_000);
    expect(await statesIn(world, id)).toEqual(["completed", "refused", "completed"]);
  });
});

describe("the preview of a bulk action", () => {
  it("says what the stages that would run again have cost, and the longest time that one took", async () => {
    const { workflows, fingerprint, runs } = await failedRuns(3);
    const preview = await workflows.bulks.preview(fingerprint);
    expect(preview).toMatchObject({ action: "sign-in-again", spentMicrocents: 3 * MICROCENTS, longestMs: TOOK_MS });
    expect(preview.runs.map(({ report }) => report.summary.run)).toEqual(runs.toReversed());
    expect(preview.choices[0]).toMatchObject({ offered: { id: "sign-in-again" }, runs: 3 });
  });

  it("counts only runs that offer the action", async () => {
    const { workflows, fingerprint } = await failedRuns(2);
    const preview = await workflows.bulks.preview(fingerprint, { action: "answer" });
    expect(preview).toMatchObject({ action: "answer", spentMicrocents: 0, longestMs: 0 });
    expect(preview.runs.map(({ offered, passedOver }) => [offered, passedOver])).toEqual([
      [null, "not-offered"],
      [null, "not-offered"],
    ]);
  });
});
