// The sweep finds due runs that nothing advances: one process sweeps, a look reads only what is new, and a run that stays due is handed over
// again, ever more rarely.

import { describe, expect, it } from "vitest";
import { createMemoryJournal, type Journal } from "../../../src/index.ts";
import { Slots } from "../../../src/host/slots.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { RunHolds } from "../../../src/workflow/advance/held-run.ts";
import { Sweep } from "../../../src/workflow/restate/sweep.ts";

const SECOND = 1_000;

class World {
  readonly clock: FakeClock = createFakeClock(1_000_000);
  readonly read: number[] = [];
  readonly handed: string[] = [];
  readonly held = new Set<string>();
  /** What Restate says to the next runs. */
  answer: () => Promise<boolean> = () => Promise.resolve(true);
  readonly #stored = createMemoryJournal({ clock: this.clock });
  readonly #journal: Journal = {
    ...this.#stored,
    keptByTime: async (kind, query) => {
      const found = await this.#stored.keptByTime(kind, query);
      this.read.push(found.length);
      return found;
    },
  };

  sweep(name: string): Sweep {
    const { clock } = this;
    const holds = new RunHolds({ journal: this.#journal, clock, worker: { name, isGone: () => false } });
    return new Sweep({
      ...{ journal: this.#journal, clock, holds },
      held: () => Promise.resolve(this.held),
      hand: async (run) => {
        const isTaken = await this.answer();
        if (isTaken) this.handed.push(run);
        return isTaken;
      },
    });
  }

  async wake(run: string, inMs: number): Promise<void> {
    await this.#stored.keep([{ kind: "wake", key: run, value: this.clock.now() + inMs }]);
  }

  /** One look a second. */
  async look(sweep: Sweep, seconds = 1): Promise<readonly string[]> {
    this.handed.length = 0;
    for (let second = 0; second < seconds; second++) {
      await this.clock.advance(SECOND);
      await this.clock.runUntil(sweep.look());
    }
    return [...this.handed];
  }
}

describe("a sweep", () => {
  it("hands a due run over after a second, and neither one that waits nor one that a process advances", async () => {
    const world = new World();
    const sweep = world.sweep("one");
    await world.wake("due", 0);
    await world.wake("held", 0);
    await world.wake("later", 10 * SECOND);
    world.held.add("held");
    expect(await world.look(sweep)).toEqual(["due"]);
    expect(await world.look(sweep, 9)).toEqual([]);
    expect(await world.look(sweep)).toEqual(["later"]);
  });

  it("hands a run that stays due over again after 30 s, then 60 s, and at once when it is woken again", async () => {
    const world = new World();
    const sweep = world.sweep("one");
    await world.wake("stuck", 0);
    expect(await world.look(sweep, 28)).toEqual(["stuck"]);
    expect(await world.look(sweep, 32)).toEqual(["stuck"]);
    expect(await world.look(sweep, 29)).toEqual([]);
    expect(await world.look(sweep, 5)).toEqual(["stuck"]);
    await world.wake("stuck", 0);
    expect(await world.look(sweep, 2)).toEqual(["stuck"]);
  });

  it("reads only what became due since the last look, however many runs are due or parked", async () => {
    const world = new World();
    const sweep = world.sweep("one");
    for (let run = 0; run < 300; run++) {
      await world.wake(`due-${run}`, 0);
      await world.wake(`parked-${run}`, 3_600 * SECOND);
    }
    expect(await world.look(sweep, 8)).toHaveLength(300);
    world.read.length = 0;
    await world.look(sweep, 5);
    expect(world.read).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([
    { behindMs: 5 * SECOND, seconds: 1 },
    { behindMs: 5 * SECOND + 1, seconds: 30 },
  ])("finds a run that a clock $behindMs ms behind has woken within $seconds s", async ({ behindMs, seconds }) => {
    const world = new World();
    const sweep = world.sweep("one");
    await world.look(sweep);
    // The next look begins behind what the last one had read, which was a second behind its time.
    await world.wake("late", -SECOND - behindMs);
    expect(await world.look(sweep, seconds - 1)).toEqual([]);
    expect(await world.look(sweep)).toEqual(["late"]);
  });

  it("is done by one process at a time; another one takes over when that one stops or is gone", async () => {
    const world = new World();
    const [one, two, three] = [world.sweep("one"), world.sweep("two"), world.sweep("three")];
    await world.look(one);
    await world.wake("a", 0);
    expect(await world.look(two, 3)).toEqual([]);
    expect(await world.look(one)).toEqual(["a"]);
    await world.clock.runUntil(one.stop());
    await world.wake("b", 0);
    expect(await world.look(two)).toEqual(expect.arrayContaining(["b"]));
    await world.clock.runUntil(two.stop());
    expect(await world.look(three)).toEqual(expect.arrayContaining(["a", "b"]));
  });

  it.each([
    ["no worker has registered", () => Promise.resolve(false)],
    ["Restate is away", () => Promise.reject(new Error("connection refused"))],
  ])("hands everything over later when %s", async (_why, refuse) => {
    const world = new World();
    const sweep = world.sweep("one");
    const good = world.answer;
    await world.wake("a", 0);
    await world.wake("b", 0);
    world.answer = refuse;
    await world.clock.advance(SECOND);
    await Promise.allSettled([world.clock.runUntil(sweep.look())]);
    expect(world.handed).toEqual([]);
    world.answer = good;
    expect((await world.look(sweep)).toSorted()).toEqual(["a", "b"]);
  });
});

describe("slots", () => {
  it("let so many through at a time, the others in the order they came, also when one fails", async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<undefined>());
    const all = gates.map((gate, index) =>
      slots.run(async () => {
        begun.push(index);
        await gate.promise;
        return index;
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    gates[1]?.reject(new Error("failed"));
    await expect(all[1]).rejects.toThrow("failed");
    expect(begun).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve(undefined);
    expect(await Promise.all([all[0], all[2], all[3]])).toEqual([0, 2, 3]);
  });
});
