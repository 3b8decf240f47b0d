// One action on many runs, as a part of the library: its waves, and what a process that died left behind.

import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryJournal, fault, FaultError, type Journal } from "../../../src/index.ts";
import {
  abortWish,
  beginBulk,
  type Bulk,
  type BulkStep,
  type BulkStepState,
  hasFailedAgain,
  keepSteps,
  listBulks,
  pendingStep,
  readBulk,
  runsOf,
  wavesOf,
  wishAbort,
} from "../../../src/workflow/bulk/bulk.ts";
import { defineWorkflow, stage } from "../../../src/workflow/define.ts";
import { createWorkflows } from "../../../src/workflow/workflows.ts";

const runs = Array.from({ length: 30 }, (_, index) => `run-${index}`);

describe("the waves of a bulk action", () => {
  it.each([
    [
      [1, 5, 20],
      [1, 5, 20, 4],
    ],
    [[7], [7, 7, 7, 7, 2]],
    [[100], [30]],
  ])("at a pace of %j hold %j runs, each run once and in order", (pace, sizes) => {
    const waves = wavesOf({ runs, pace });
    expect(waves.map((wave) => wave.length)).toEqual(sizes);
    expect(waves.flat()).toEqual(runs);
  });

  it.each<[BulkStepState[], boolean]>([
    [["failed"], true],
    [["completed"], false],
    [["refused"], false],
    [["failed", "completed"], true],
    [["failed", "completed", "completed"], false],
    [["failed", "completed", "refused", "refused"], true],
    [["waiting", "waiting"], true],
  ])("with %j: stops it: %s", (states, stops) => {
    const wave = states.map((state, index): BulkStep => ({ ...pendingStep(`r${index}`), state, code: "AuthFailed" }));
    expect(hasFailedAgain(wave, "AuthFailed")).toBe(stops);
  });

  it("with runs that wait because of something else: go on", () => {
    const step: BulkStep = { ...pendingStep("r"), state: "waiting", code: "BudgetExceeded" };
    expect(hasFailedAgain([step, { ...step, code: null }], "AuthFailed")).toBe(false);
  });
});

describe("the runs that a bulk action is about", () => {
  const journalWith = (count: number): Journal =>
    ({
      faultRuns: (_of: string, { limit, after }: { limit: number; after?: string }) => {
        const from = after === undefined ? 0 : Number(after) + 1;
        return Promise.resolve(
          Array.from({ length: Math.min(limit, count - from) }, (_one, index) => String(from + index)),
        );
      },
      kept: () => Promise.resolve(null),
      run: () => Promise.resolve(null),
    }) as unknown as Journal;

  it.each([
    [0, 0],
    [499, 499],
    [500, 500],
    [1_000, 1_000],
    [1_001, 1_000],
    [1_700, 1_000],
  ])("of %i are %i, the newest", async (count, expected) => {
    const found = await runsOf(journalWith(count), "f");
    expect(found).toEqual(Array.from({ length: expected }, (_one, index) => String(index)));
  });
});

describe("a bulk action that is started twice", () => {
  it.each([
    ["with one key is one", "k", "k", 1],
    ["with two keys is refused", "k", "l", null],
    ["without a key is refused", undefined, undefined, null],
    ["with a key once is refused", "k", undefined, null],
  ])("%s while it works", async (_what, first, second, count) => {
    const act = (): never => {
      throw new FaultError(fault("AuthFailed"));
    };
    const workflow = defineWorkflow({ id: "work", stages: { work: stage({ act }) } });
    const workflows = createWorkflows({ journal: createMemoryJournal(), workflows: [workflow], env: {} });
    onTestFinished(() => workflows.close());
    const { journal, bulks, runs: doors } = workflows;
    await doors.advance(await doors.start(workflow));
    const [group] = await journal.faultGroups({ limit: 1 });
    const start = async (key: string | undefined): Promise<string> => {
      const more = key === undefined ? {} : { key };
      return (await bulks.start(group?.fingerprint ?? "", { action: "sign-in-again", by: "ada", ...more })).id;
    };
    const id = await start(first);
    if (count === 1) expect(await start(second)).toBe(id);
    else await expect(start(second)).rejects.toThrow(`bulk action ${id} (sign-in-again, started by ada) still works`);
    await bulks.abort(id);
    if (second !== first) expect(await start(second)).not.toBe(id);
  });
});

describe("a process that died while it acted on a run", () => {
  it.each(["before", "after"])("%s the action: the next one acts once", async (moment) => {
    let isFixed = false;
    const work = stage({
      act: () => {
        if (!isFixed) throw new FaultError(fault("AuthFailed"));
      },
    });
    const workflow = defineWorkflow({ id: "work", stages: { work } });
    const workflows = createWorkflows({ journal: createMemoryJournal(), workflows: [workflow], env: {} });
    onTestFinished(() => workflows.close());
    const { journal, bulks, runs: doors } = workflows;
    const run = await doors.start(workflow);
    await doors.advance(run);
    isFixed = true;
    const [group] = await journal.faultGroups({ limit: 1 });
    const bulk = await bulks.start(group?.fingerprint ?? "", { action: "sign-in-again", key: "k", by: "ada" });
    expect(bulk).toMatchObject({ runs: [run], status: "running" });
    const key = (await doors.show(run))?.actions.find(({ id }) => id === "sign-in-again")?.key ?? "";
    await keepSteps(journal, bulk.id, [{ ...pendingStep(run), state: "acting", key }]);
    const acted = moment === "after" ? await doors.act(run, "sign-in-again", { key, by: "ada" }) : null;

    const driver = workflows.driver();
    const bulkDriver = bulks.driver({ onActed: () => driver.poke() });
    driver.start();
    bulkDriver.start();
    await expect.poll(async () => (await bulks.show(bulk.id))?.bulk.status).toBe("completed");
    await bulkDriver.stop();
    await driver.stop();
    const now = (await doors.show(run))?.summary.successor ?? "";
    expect((await bulks.show(bulk.id))?.steps).toMatchObject([{ run, now, state: "completed" }]);
    if (acted !== null) expect(acted.run).toBe(now);
    expect((await doors.list()).map((one) => one.run).toSorted()).toEqual([run, now].toSorted());
  });
});

describe("bulk actions in the journal", () => {
  const bulk: Bulk = {
    ...{ id: "b1", fingerprint: "f1", code: "AuthFailed", action: "retry-stage", params: {}, pace: [1], by: "ops" },
    ...{ runs: ["r1", "r2"], startedAt: 1_000, status: "running", endedAt: null, abortedBy: "" },
  };
  const withThree = async (): Promise<Journal> => {
    const journal = createMemoryJournal();
    await beginBulk(journal, bulk);
    await beginBulk(journal, { ...bulk, id: "b2", startedAt: 2_000, status: "completed" });
    await beginBulk(journal, { ...bulk, id: "b3", startedAt: 3_000, fingerprint: "f2" });
    return journal;
  };

  it.each([
    [{}, ["b3", "b2", "b1"]],
    [{ limit: 2 }, ["b3", "b2"]],
    [{ status: "running" }, ["b3", "b1"]],
    [{ fingerprint: "f1" }, ["b2", "b1"]],
    [{ status: "running", fingerprint: "f1" }, ["b1"]],
    [{ after: { id: "b3", startedAt: 3_000 } }, ["b2", "b1"]],
  ] as const)("are listed by %j, the last one first", async (query, expected) => {
    const found = await listBulks(await withThree(), { limit: 10, ...query });
    expect(found.map(({ id }) => id)).toEqual(expected);
  });

  it("are begun once, and read with every run and the first wish to abort", async () => {
    const journal = await withThree();
    expect(await beginBulk(journal, { ...bulk, by: "another" })).toBe(false);
    expect([await readBulk(journal, "b4"), await abortWish(journal, "b1")]).toEqual([null, null]);
    const step: BulkStep = { ...pendingStep("r2"), state: "failed", code: "AuthFailed", at: 1_500 };
    await keepSteps(journal, "b1", [step]);
    expect(await readBulk(journal, "b1")).toEqual({ bulk, steps: [pendingStep("r1"), step] });
    for (const id of ["b1", "b2"])
      for (const by of ["first", "second"]) await wishAbort(journal, id, { by, at: 1_600 });
    const aborted = { ...bulk, status: "aborted", abortedBy: "first", endedAt: 1_600 };
    expect([(await readBulk(journal, "b1"))?.bulk, (await readBulk(journal, "b2"))?.bulk.status]).toEqual([
      aborted,
      "completed",
    ]);
  });

  it("look at the last successor of a run, and at no run for ever", async () => {
    const successors: Readonly<Record<string, string>> = { a: "b", b: "c", x: "y", y: "z", z: "y" };
    const journal = {
      faultRuns: () => Promise.resolve(["a", "b", "d", "x"]),
      kept: (_kind: string, run: string) => Promise.resolve({ successor: successors[run] ?? null }),
    } as unknown as Journal;
    expect(await runsOf(journal, "f1")).toEqual(["c", "d", "z"]);
  });
});
