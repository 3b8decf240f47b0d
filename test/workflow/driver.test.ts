// Drivers pick up due runs on time, one driver at a time, whichever process started them and whatever happens to other runs.

import { describe, expect, it } from "vitest";
import type { Journal } from "../../src/index.ts";
import { openJournal } from "../../src/index.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { defineWorkflow, stage, type WorkflowOptions } from "../../src/workflow/define.ts";
import { createDriver } from "../../src/workflow/driver.ts";
import { createRuns } from "../../src/workflow/runs.ts";
import type { RunEnd } from "../../src/workflow/runs-api.ts";
import { awayJournal } from "../support/crashing-journal.ts";
import {
  APPROVE,
  engineWorld,
  type EngineWorld,
  eventsIn,
  newFile,
  only,
  thrown,
  worker,
  YES,
} from "../support/engine-world.ts";
import { TEST_SERVERS } from "../support/test-servers.ts";
import { createClockForFiles } from "../runtime/session/life.ts";

const MINUTE_MS = 60_000;

function driving({ clock, journal, nextLife }: EngineWorld, over: { journal?: Journal } = {}) {
  const ends: RunEnd[] = [];
  const troubles: string[] = [];
  const runs = nextLife(over);
  const driver = createDriver(
    runs,
    { journal: over.journal ?? journal, clock },
    { onAdvanced: (end) => void ends.push(end), onWarning: (run, { code }) => void troubles.push(`${run} ${code}`) },
  );
  return { runs, driver, ends, troubles, status: async (run: string) => (await runs.show(run))?.summary.status };
}

const retrying: WorkflowOptions = {
  id: "retrying",
  stages: {
    a: stage({
      retryPolicy: {
        maxAttempts: 2,
        backoff: { kind: "fixed", initialMs: MINUTE_MS, maxMs: MINUTE_MS },
        jitter: 0,
        maxWaitMs: 1e7,
      },
      act: (_request, _tools, { attempt }) => {
        if (attempt === 1) throw thrown("RateLimited");
      },
    }),
  },
};
const gated: WorkflowOptions = {
  id: "gated",
  stages: { a: stage({ act: async (_r, { ask }) => (await ask({ payload: APPROVE, timeoutMs: null })).status }) },
};

describe("a driver", () => {
  it("wakes a waiting run on time, even if it was started after the pause", async () => {
    const world = await engineWorld(retrying);
    const { run, wakeAt } = await world.go();
    expect(wakeAt).toBe(1_000_000 + MINUTE_MS);
    const { driver, status } = driving(world);
    driver.start();
    await world.clock.advance(MINUTE_MS - 1);
    expect(await status(run)).toBe("paused");
    await world.clock.advance(1);
    expect(await status(run)).toBe("completed");
    await world.clock.runUntil(driver.stop());
  });

  it("picks up runs that another process has started, and those that were answered elsewhere", async () => {
    const world = await engineWorld(gated);
    const { driver, ends, status } = driving(world);
    driver.start();
    await world.clock.advance(10);
    const run = await world.start();
    await world.clock.advance(1_000);
    expect(ends.map(({ status: at }) => at)).toEqual(["paused"]);
    await world.clock.runUntil(world.runs.answer(ends[0]?.questions[0]?.id ?? "", YES));
    await world.clock.advance(1_000);
    expect(await status(run)).toBe("completed");
    await world.clock.runUntil(driver.stop());
  });

  it.each(["answer", "cancel"].flatMap((deed) => [0, 1, 2, 3].map((writes) => ({ deed, writes }))))(
    "picks up a run after $deed, if the process that wrote it died after $writes writes",
    async ({ deed, writes }) => {
      const world = await engineWorld(gated);
      const { driver, ends, status } = driving(world);
      driver.start();
      const run = await world.start();
      await world.clock.advance(1_000);
      const question = ends[0]?.questions[0]?.id ?? "";
      let left = writes;
      const dying = <Args extends readonly unknown[], T>(write: (...args: Args) => Promise<T>) => {
        return (...args: Args) => (left-- > 0 ? write(...args) : new Promise<T>(() => undefined));
      };
      const { journal } = world;
      const keep = dying((keeps: Parameters<Journal["keep"]>[0]) => journal.keep(keeps));
      const written: string[] = [];
      const keepFirst = dying((kept: Parameters<Journal["keepFirst"]>[0]) => {
        written.push(kept.key);
        return journal.keepFirst(kept);
      });
      const other = world.nextLife({ journal: { ...journal, keep, keepFirst } });
      void (deed === "answer" ? other.answer(question, YES) : other.cancel(run));
      await world.clock.advance(30_000);
      const done = deed === "answer" ? "completed" : "cancelled";
      expect(await status(run)).toBe(written.length === 1 ? done : "paused");
      if (writes === 3) expect(written).toHaveLength(1);
      await world.clock.runUntil(driver.stop());
    },
  );

  it("takes up a run whose process died with its clock an hour ahead, when its hold has run out", async () => {
    const world = await engineWorld(gated);
    const run = await world.start();
    const now = world.clock.now();
    // What such a process leaves in PostgreSQL: holds follow the server's clock, wake-up times its own.
    await world.journal.keep([{ kind: "wake", key: run, value: now + 60 * MINUTE_MS }]);
    await world.journal.hold(run, "dead", now + 15_000, now);
    await world.journal.hold("driver/sweep", "dead", now + 1, now);
    const { driver, ends, troubles } = driving(world);
    driver.start();
    await world.clock.advance(14_000);
    expect(ends).toEqual([]);
    await world.clock.advance(17_000);
    expect([ends.map(({ status }) => status), troubles]).toEqual([["paused"], []]);
    await world.clock.runUntil(driver.stop());
  });

  it("polls at once when it is poked, even during a poll", async () => {
    const world = await engineWorld(gated);
    const { driver, ends } = driving(world);
    driver.start();
    await world.clock.advance(10);
    await world.clock.runUntil(world.runs.start(world.workflow));
    driver.poke();
    await world.clock.advance(0);
    expect(ends).toHaveLength(1);
    await world.clock.runUntil(driver.stop());
  });

  it("asks one question while nothing is due, about what became due since its last look, and about everything every 15 s, for a wake that names an earlier time", async () => {
    const world = await engineWorld(gated);
    const spans: number[] = [];
    const journal: Journal = {
      ...world.journal,
      keptByTime(kind, query) {
        spans.push(world.clock.now() - (query.after?.at ?? -Infinity));
        return world.journal.keptByTime(kind, query);
      },
    };
    const { driver, status } = driving(world, { journal });
    driver.start();
    await world.clock.advance(10_500);
    expect(spans[0]).toBe(Infinity);
    expect(spans).toHaveLength(11);
    expect(Math.max(...spans.slice(2))).toBeLessThanOrEqual(6_000);
    // Started by a machine whose clock is an hour behind.
    const run = await world.clock.runUntil(world.nextLife().start(world.workflow));
    await world.journal.keep([{ kind: "wake", key: run, value: world.clock.now() - 60 * MINUTE_MS }]);
    await world.clock.advance(3_000);
    expect(await status(run)).toBe("running");
    await world.clock.advance(15_000);
    expect(await status(run)).toBe("paused");
    await world.clock.runUntil(driver.stop());
  });

  it("starts nothing more if it is stopped during a poll", async () => {
    const world = await engineWorld(gated);
    const run = await world.start();
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<undefined>();
    const slow: Journal = {
      ...world.journal,
      async keptByTime(kind, query) {
        asked.resolve(undefined);
        await answer.promise;
        return world.journal.keptByTime(kind, query);
      },
    };
    const { driver, ends } = driving(world, { journal: slow });
    driver.start();
    await world.clock.runUntil(asked.promise);
    await world.clock.runUntil(driver.stop());
    answer.resolve(undefined);
    await world.clock.advance(5_000);
    expect([ends, only(await world.events(run), "node-started")]).toEqual([[], []]);
  });

  it("says nothing about a journal that its program closes while it looks", async () => {
    const world = await engineWorld(gated);
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<never>();
    const journal = {
      ...world.journal,
      keptByTime: () => {
        asked.resolve(undefined);
        return answer.promise;
      },
    };
    const { driver, troubles } = driving(world, { journal });
    driver.start();
    await world.clock.runUntil(asked.promise);
    await world.clock.runUntil(driver.stop());
    answer.reject(thrown("EngineState"));
    await world.clock.advance(1);
    expect(troubles).toEqual([]);
  });

  it("is not stopped by a run that always fails to advance", async () => {
    const world = await engineWorld(gated);
    const unknown = defineWorkflow({ id: "unknown", stages: { a: stage({ act: () => 1 }) } });
    const bad = await world.clock.runUntil(world.nextLife().start(unknown, { run: "a-bad-one" }));
    const good = await world.start();
    const { driver, troubles, status } = driving(world);
    driver.start();
    await world.clock.advance(10_000);
    expect(await status(good)).toBe("paused");
    expect(new Set(troubles)).toEqual(new Set([`${bad} ResumeMismatch`]));
    expect(troubles.length).toBeLessThanOrEqual(6);
    await world.clock.runUntil(driver.stop());
  });

  it("loses no run to a store that is unavailable for a while", async () => {
    let isAway = false;
    const world = await engineWorld(retrying);
    const store = awayJournal(world.journal, () => isAway);
    const { driver, status, troubles } = driving(world, { journal: store });
    const ids = [await world.start(), await world.start(), await world.start()];
    driver.start();
    await world.clock.advance(1_000);
    isAway = true;
    await world.clock.advance(5 * MINUTE_MS);
    expect(troubles.length).toBeGreaterThan(0);
    isAway = false;
    await world.clock.advance(5 * MINUTE_MS);
    expect(await Promise.all(ids.map(status))).toEqual(["completed", "completed", "completed"]);
    await world.clock.runUntil(driver.stop());
  });

  it("takes over from a hanging driver once its hold has expired, and the first one writes nothing more", async () => {
    const begun = Promise.withResolvers<undefined>();
    let lives = 0;
    const world = await engineWorld({
      id: "hangs",
      stages: {
        a: stage({
          act: () => {
            lives += 1;
            begun.resolve(undefined);
            return lives === 1 ? new Promise(() => undefined) : Promise.resolve("done by the second");
          },
        }),
      },
    });
    // Its process is frozen: the journal no longer answers it.
    let isHung = false;
    const hung: Journal = {
      ...world.journal,
      hold: (...args) => (isHung ? new Promise(() => undefined) : world.journal.hold(...args)),
      keptByTime: (...args) => (isHung ? new Promise(() => undefined) : world.journal.keptByTime(...args)),
    };
    const run = await world.start();
    const first = driving(world, { journal: hung });
    first.driver.start();
    await world.clock.runUntil(begun.promise);
    isHung = true;
    const second = driving(world);
    second.driver.start();
    await world.clock.advance(10_000);
    expect([await second.status(run), second.troubles.every((trouble) => trouble.endsWith("ResourceBusy"))]).toEqual([
      "running",
      true,
    ]);
    await world.clock.advance(20_000);
    expect(await second.status(run)).toBe("completed");
    const all = await world.events(run);
    expect(only(all, "node-completed")).toMatchObject([{ output: "done by the second" }]);
    expect(only(all, "run-ended")).toHaveLength(1);
    await world.clock.runUntil(second.driver.stop());
  });

  it("takes over at once from one that is known to be dead", async () => {
    const world = await engineWorld(gated);
    const run = await world.start();
    await world.clock.runUntil(world.journal.hold(run, "dead", 9e12, world.clock.now()));
    const survivor = world.nextLife({ worker: { name: "survivor", isGone: (name) => name === "dead" } });
    expect(await world.clock.runUntil(survivor.advance(run))).toMatchObject({ status: "paused" });
  });
});

describe("two drivers on one file", () => {
  it("share sixty runs and do everything once", async () => {
    const path = newFile();
    const clock = createClockForFiles(1_000_000);
    const did: string[] = [];
    const workflow = defineWorkflow({
      id: "shared",
      stages: {
        a: stage({ act: (_r, _t, { run }) => void did.push(`${run} a`) }),
        b: stage({ act: (_r, _t, { run }) => void did.push(`${run} b`) }),
      },
    });
    const connect = async (name: string) => {
      const chance = createSeededChance(name.length);
      const journal = await openJournal(path, {
        clock,
        chance: { ...chance, newId: (prefix) => chance.newId(`${prefix}-${name}`) },
      });
      const runs = createRuns({ journal, clock, chance, workflows: [workflow], worker: worker(name) });
      const ends: string[] = [];
      const driver = createDriver(
        runs,
        { journal, clock },
        { onAdvanced: ({ run, status }) => void (status === "completed" && ends.push(run)) },
      );
      return { journal, runs, driver, ends };
    };
    const one = await connect("one");
    const two = await connect("the other");
    const ids = Array.from({ length: 60 }, (_, index) => `run-${String(index).padStart(2, "0")}`);
    for (const run of ids) await clock.runUntil(one.runs.start(workflow, { run }));
    one.driver.start();
    two.driver.start();
    for (let round = 0; round < 60 && new Set([...one.ends, ...two.ends]).size < 60; round++)
      await clock.advance(1_000);
    expect([...new Set([...one.ends, ...two.ends])].toSorted()).toEqual(ids);
    expect(did.toSorted()).toEqual(ids.flatMap((run) => [`${run} a`, `${run} b`]));
    for (const run of ids) expect(only(await eventsIn(one.journal, run), "run-ended"), run).toHaveLength(1);
    expect(one.ends.length > 0 && two.ends.length > 0).toBe(true);
    for (const { driver } of [one, two]) await clock.runUntil(driver.stop());
    for (const { journal } of [one, two]) await clock.runUntil(journal.close());
  }, 60_000);
});

describe("many waiting runs", () => {
  it("hold no timer, no hold and little memory", async () => {
    const world = await engineWorld(gated);
    const { driver, ends } = driving(world);
    driver.start();
    await world.clock.advance(10);
    await world.start();
    await world.clock.advance(1_000);
    const before = world.clock.pending;
    const heapBefore = process.memoryUsage().heapUsed;
    // In a real store each of them takes several commits, one after the other.
    const many = TEST_SERVERS.isChosen ? 100 : 1_000;
    for (let index = 0; index < many; index++) await world.start();
    await world.clock.advance(MINUTE_MS);
    expect(ends.filter(({ status }) => status === "paused")).toHaveLength(many + 1);
    expect(world.clock.pending).toBeLessThanOrEqual(before + 1);
    expect(await world.journal.holds()).toEqual([]);
    await world.clock.runUntil(driver.stop());
    expect(world.clock.pending).toBe(0);
    ends.length = 0;
    const grown = process.memoryUsage().heapUsed - heapBefore;
    // The journal itself is in memory here: its entries are most of this.
    expect(grown).toBeLessThan(400 * 1024 * 1024);
  }, 60_000);
});
