// Plans of many steps: they end, cost linear time, and keep their order and their limit.

import { describe, expect, it } from "vitest";
import {
  type Clock,
  createFaultline,
  createMemoryJournal,
  type Journal,
  type PlanSteps,
  step,
  tool,
} from "../../../src/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { eventsOf, fails, life, only } from "./life.ts";

const add = tool<number, number>({ id: "add", run: (number) => number + 1 });
const valueOf = (got: Readonly<Record<string, unknown>>): number => Math.max(0, ...(Object.values(got) as number[]));
const needing = (...needs: string[]): PlanSteps[string] => step(add, valueOf, { needs });

/** Step 0, and each later step depends on the steps that `needsOf` returns. */
function planOf(count: number, needsOf: (index: number) => readonly number[]): PlanSteps {
  const entries = Array.from({ length: count }, (_, index) => {
    const needs = needsOf(index).map((need) => `s${need}`);
    return [`s${index}`, needing(...needs)] as const;
  });
  return Object.fromEntries(entries);
}

/** A chain of ten thousand would be too deep for a stack. What the others cost is counted, so that a thousand show as much. */
const LARGE: Readonly<Record<string, number>> = { chain: 10_000, star: 2_000, layered: 2_000 };

const LAYER = 100;
const SHAPES: Readonly<Record<string, (index: number) => readonly number[]>> = {
  chain: (index) => (index === 0 ? [] : [index - 1]),
  star: (index) => (index === 0 ? [] : [0]),
  layered: (index) =>
    index < LAYER ? [] : Array.from({ length: 5 }, (_, other) => index - LAYER - (index % LAYER) + other),
};

interface Work {
  readonly clockCalls: number;
  readonly appends: number;
  readonly entries: number;
}

/** Runs the plan and counts the clock's timers and the journal's appends. */
async function workOf(plan: PlanSteps, expected: "done" | "failed"): Promise<Work> {
  const fake = createFakeClock(1_000_000);
  let [clockCalls, appends, entries] = [0, 0, 0];
  const counting = <Args extends unknown[], T>(work: (...args: Args) => T) => {
    return (...args: Args): T => {
      clockCalls += 1;
      return work(...args);
    };
  };
  const clock: Clock = {
    tickMs: fake.tickMs,
    shiftMs: 0,
    now: counting(() => fake.now()),
    after: counting((delayMs: number, wake: () => void) => fake.after(delayMs, wake)),
    soon: counting((next: () => void) => fake.soon(next)),
  };
  const inner = createMemoryJournal({ clock: fake, chance: createSeededChance(1) });
  const journal: Journal = {
    ...inner,
    append: (session, after, more, keeps) => {
      appends += 1;
      entries += more.length;
      return inner.append(session, after, more, keeps);
    },
  };
  const fl = createFaultline({ clock, journal, chance: createSeededChance(2) });
  const session = await fake.runUntil(fl.session("s"));
  const result = await fake.runUntil(session.turn(plan));
  expect(result.status).toBe(expected);
  expect(Object.keys(result.outcomes)).toHaveLength(Object.keys(plan).length);
  return { clockCalls, appends, entries };
}

describe("a plan of thousands of steps", () => {
  it.each(Object.entries(SHAPES))("(%s) ends, with ten times the work of one of a tenth", async (shape, needsOf) => {
    const count = LARGE[shape] ?? 0;
    const small = await workOf(planOf(count / 10, needsOf), "done");
    const large = await workOf(planOf(count, needsOf), "done");
    // A session, a turn and a round start, and a turn ends.
    expect([small.entries, large.entries]).toEqual([(3 * count) / 10 + 4, 3 * count + 4]);
    expect(large.clockCalls).toBeLessThan(10.5 * small.clockCalls);
    expect(large.appends).toBeLessThan(10.5 * small.appends);
  });

  it("or of any other size whose first step fails needs one write for all steps that can no longer run", async () => {
    const bad = tool<number, number>({ id: "bad", retry: "none", run: fails("NotFound") });
    const broken = (count: number): PlanSteps => ({
      ...planOf(count, SHAPES["chain"] ?? (() => [])),
      s0: step(bad, 0),
    });
    const small = await workOf(broken(300), "failed");
    const large = await workOf(broken(3_000), "failed");
    expect(large.entries - small.entries).toBe(2_700);
    expect([large.appends, large.clockCalls]).toEqual([small.appends, small.clockCalls]);
  });
});

describe("parallel steps", () => {
  it.each([1, 3, 16])("never exceed maxParallel (%s), and reach it", async (maxParallel) => {
    const { fl, clock } = life({ limits: { maxParallel } });
    let [running, most] = [0, 0];
    const slow = tool<number, number>({
      id: "slow",
      run: (ms) => {
        most = Math.max(most, ++running);
        return new Promise((resolve) => {
          clock.after(ms, () => {
            running -= 1;
            resolve(ms);
          });
        });
      },
    });
    const plan = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`s${index}`, step(slow, 10 + (index % 7))]),
    );
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(session.turn(plan))).toMatchObject({ status: "done" });
    expect(most).toBe(maxParallel);
    for (const fewer of [1, 2]) {
      most = 0;
      const run = session.turn((turn) => turn.run(plan, { maxParallel: fewer }));
      expect(await clock.runUntil(run)).toMatchObject({ status: "done" });
      expect(most).toBe(fewer);
    }
  });

  it("cannot be limited to zero: such a plan is refused and does not look done", async () => {
    const { fl, clock } = life();
    const session = await clock.runUntil(fl.session("s"));
    for (const maxParallel of [0, Number.NaN, -1]) {
      const result = await clock.runUntil(session.turn((turn) => turn.run({ a: step(add, 1) }, { maxParallel })));
      expect(result).toMatchObject({ status: "failed", fault: { code: "ConfigSchemaViolation" } });
    }
  });

  it("are reported in the order of the plan, whichever ends first", async () => {
    const { fl, clock } = life();
    const slow = tool<number, number>({
      id: "slow",
      run: (ms) => new Promise((resolve) => clock.after(ms, () => resolve(ms))),
    });
    const bad = tool<number, number>({ id: "bad", run: fails("NotFound") });
    const session = await clock.runUntil(fl.session("s"));
    const result = await clock.runUntil(
      session.turn({
        slowest: step(slow, 300),
        after: step(bad, (got) => Number(got["slowest"]), { needs: ["slowest"], optional: true }),
        fast: step(slow, 100),
        lost: step(bad, 1, { optional: true }),
        slower: step(slow, 200),
      }),
    );
    expect(Object.keys(result.outcomes)).toEqual(["slowest", "after", "fast", "lost", "slower"]);
    expect(result.missing.map(({ node }) => node)).toEqual(["after", "lost"]);
  });
});

describe("a step that waits for its slot", () => {
  it.each(["the deadline", "a cancellation"] as const)("does not start after %s", async (end) => {
    const { fl, clock, journal } = life({ limits: { maxParallel: 1 } });
    const hang = tool<number, number>({ id: "hang", timeoutMs: 1_000_000, run: () => new Promise(() => undefined) });
    const session = await clock.runUntil(fl.session("s"));
    const plan = { a: step(hang, 1), b: step(add, 2, { optional: true }), c: step(add, 3, { default: 0 }) };
    const result = await clock.runUntil(
      session.turn(
        (turn) => {
          if (end === "a cancellation") clock.after(1_000, () => turn.cancel());
          return turn.run(plan);
        },
        { timeoutMs: 5_000 },
      ),
    );
    expect(result.status).toBe(end === "the deadline" ? "partial" : "cancelled");
    expect(result.outcomes).toMatchObject({ b: { status: "skipped" }, c: { status: "defaulted", value: 0 } });
    const events = await eventsOf(journal, "s");
    expect(only(events, "call-started").map(({ call }) => call)).toEqual(["t1/1/a"]);
    expect(only(events, "node-settled").map(({ node, because }) => [node, because])).toEqual([
      ["b", ""],
      ["c", ""],
    ]);
  });
});

describe("a step", () => {
  it("gets the values of its dependencies, and nothing else", async () => {
    const { fl, clock } = life();
    const seen: unknown[] = [];
    const look = tool<unknown, string>({ id: "look", run: (got) => (seen.push(got), "looked") });
    const session = await clock.runUntil(fl.session("s"));
    await clock.runUntil(
      session.turn({
        a: step(add, 1),
        b: step(add, 2),
        c: step(look, (got) => got, { needs: ["a"] }),
      }),
    );
    expect(seen).toEqual([{ a: 2 }]);
  });

  it("whose input cannot be computed fails with its dependencies reported, and affects only its dependents", async () => {
    const { fl, clock, journal } = life();
    const session = await clock.runUntil(fl.session("s"));
    const broken = (): number => {
      throw new TypeError("x is undefined");
    };
    const result = await clock.runUntil(
      session.turn({ a: step(add, 1), b: step(add, broken, { needs: ["a"] }), c: needing("b"), d: needing("a") }),
    );
    expect(result.status).toBe("failed");
    expect(result.outcomes).toMatchObject({
      a: { status: "done" },
      b: { status: "failed", fault: { code: "InputInvalid" }, attempts: 0 },
      c: { status: "failed", fault: { code: "InputInvalid" } },
      d: { status: "done", value: 3 },
    });
    expect(only(await eventsOf(journal, "s"), "node-settled").map(({ node, because }) => [node, because])).toEqual([
      ["b", ""],
      ["c", "b"],
    ]);
  });

  it("whose input cannot be computed ends as declared, with the fault recorded", async () => {
    const { fl, clock, journal } = life();
    const session = await clock.runUntil(fl.session("s"));
    const broken = (): number => {
      throw new TypeError("x is undefined");
    };
    const result = await clock.runUntil(
      session.turn({ a: step(add, broken, { optional: true }), b: step(add, broken, { default: 7 }), c: needing("b") }),
    );
    expect(result.outcomes).toMatchObject({
      a: { status: "skipped", fault: { code: "InputInvalid" } },
      b: { status: "defaulted", value: 7, fault: { code: "InputInvalid" } },
      c: { status: "done" },
    });
    expect(only(await eventsOf(journal, "s"), "node-settled").map(({ node, status }) => [node, status])).toEqual([
      ["a", "skipped"],
      ["b", "defaulted"],
    ]);
  });
});

describe("steps that need other steps", () => {
  const first = step(add, 1);
  const plans: Readonly<Record<string, PlanSteps>> = {
    "by name": { first, second: step(add, ({ first }) => Number(first), { needs: ["first"] }) },
    "as themselves": { first, second: step(add, (got) => got.first, { needs: { first } }) },
  };

  it.each(Object.entries(plans))("%s: the later one gets the value of the earlier one", async (_way, plan) => {
    const session = await createFaultline().session("s");
    const { status, outcomes } = await session.turn(plan);
    expect([status, outcomes["second"]]).toMatchObject(["done", { value: 3 }]);
  });

  it("a turn that began with names continues with the steps themselves", async () => {
    const session = await createFaultline().session("s");
    const [byName, asThemselves] = [plans["by name"] ?? {}, plans["as themselves"] ?? {}];
    await session.turn(byName, { id: "one" });
    expect((await session.turn(asThemselves, { id: "one" })).status).toBe("done");
  });

  it("a plan with another step of that name, or without one, is refused before anything runs", async () => {
    const session = await createFaultline().session("s");
    const second = step(add, (got) => got.first, { needs: { first } });
    await expect(session.turn({ first: 1 } as never)).rejects.toThrow(
      "turn: first is not a step; make it with step(tool, input)",
    );
    await expect(session.turn({ first: step(add, 5), second })).rejects.toThrow(
      "step second: needs.first is another step than first in the plan",
    );
    const refused = await session.turn({ second });
    expect([refused.status, refused.fault?.code, refused.outcomes]).toEqual(["failed", "ShapeInvalid", {}]);
  });
});
