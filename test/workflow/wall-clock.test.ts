// The wall clock changes while runs wait or are being advanced. A wake-up time is a wall-clock time: it is in the journal, and
// other processes read it. Ownership of a run does not change with the clock.

import { describe, expect, it } from "vitest";
import { stage, type WorkflowOptions } from "../../src/workflow/define.ts";
import { createDriver, type Driver } from "../../src/workflow/driver.ts";
import { engineWorld, type EngineWorld, only, thrown } from "../support/engine-world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Late enough that the wall clock can be set back by an hour. */
async function lateWorld(options: WorkflowOptions): Promise<EngineWorld> {
  const world = await engineWorld(options);
  await world.clock.advance(2 * HOUR_MS);
  return world;
}

function driverIn({ clock, journal, nextLife }: EngineWorld, of = journal): Driver {
  const driver = createDriver(nextLife({ journal: of }), { journal: of, clock });
  driver.start();
  return driver;
}

const statusOf = async ({ runs }: EngineWorld, run: string): Promise<unknown> => (await runs.show(run))?.summary.status;

const inAMinute = { kind: "fixed", initialMs: MINUTE_MS, maxMs: MINUTE_MS } as const;
const parks: WorkflowOptions = {
  id: "parks",
  stages: {
    a: stage({
      retryPolicy: { maxAttempts: 2, backoff: inAMinute, jitter: 0, maxWaitMs: 1e7 },
      act: (_request, _tools, { attempt }) => {
        if (attempt === 1) throw thrown("RateLimited");
      },
    }),
  },
};

describe("a parked run wakes when the wall clock says so", () => {
  it.each([
    ["forward by an hour: at the next look", HOUR_MS, SECOND_MS],
    ["back by an hour: an hour later", -HOUR_MS, HOUR_MS + MINUTE_MS - 10 * SECOND_MS],
  ])("set %s", async (_name, byMs, wakesAfterMs) => {
    const world = await lateWorld(parks);
    const { run } = await world.go();
    const driver = driverIn(world);
    await world.clock.advance(10 * SECOND_MS);
    world.clock.set(byMs);
    await world.clock.advance(wakesAfterMs - SECOND_MS);
    expect(await statusOf(world, run)).toBe("paused");
    await world.clock.advance(SECOND_MS);
    expect(await statusOf(world, run)).toBe("completed");
    await world.clock.runUntil(driver.stop());
  });
});

/** A run whose first attempt takes as long as the test wants. */
async function heldWorld() {
  const first = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<undefined>();
  let begins = 0;
  const world = await lateWorld({
    id: "held",
    stages: {
      a: stage({
        act: () => {
          begins += 1;
          begun.resolve(undefined);
          return begins === 1 ? first.promise : Promise.resolve("by another process");
        },
      }),
    },
  });
  return { world, first, begun: begun.promise, begins: () => begins };
}

describe.each([
  ["forward", HOUR_MS],
  ["back", -HOUR_MS],
])("a run held by a process, when the wall clock is set %s by an hour", (_name, byMs) => {
  it.each([0, 1, 2_500, 4_999, 5_000])(
    "stays with a process that is alive (%s ms after it took it)",
    async (afterMs) => {
      const { world, first, begun, begins } = await heldWorld();
      const run = await world.start();
      const holder = driverIn(world);
      await world.clock.runUntil(begun);
      const other = driverIn(world);
      await world.clock.advance(afterMs);
      world.clock.set(byMs);
      await world.clock.advance(MINUTE_MS);
      first.resolve("by the holder");
      await world.clock.advance(SECOND_MS);
      expect([begins(), await statusOf(world, run)]).toEqual([1, "completed"]);
      expect(only(await world.events(run), "node-completed")).toMatchObject([{ output: "by the holder" }]);
      await world.clock.runUntil(Promise.all([holder.stop(), other.stop()]));
    },
  );

  it("passes to a process that asks a minute later if its holder hangs", async () => {
    const { world, begun, begins } = await heldWorld();
    const { journal } = world;
    let hangs = false;
    const hung = {
      ...journal,
      hold: (...args: Parameters<typeof journal.hold>) =>
        hangs ? new Promise<never>(() => undefined) : journal.hold(...args),
    };
    const run = await world.start();
    driverIn(world, hung);
    await world.clock.runUntil(begun);
    hangs = true;
    const other = world.nextLife();
    world.clock.set(byMs);
    await expect(world.clock.runUntil(other.advance(run))).rejects.toMatchObject({ fault: { code: "ResourceBusy" } });
    await world.clock.advance(MINUTE_MS);
    await world.clock.runUntil(other.advance(run));
    expect([begins(), await statusOf(world, run)]).toEqual([2, "completed"]);
  });
});
