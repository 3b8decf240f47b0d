// Causes are kept. For every place that may throw and everything it may throw: the fault has the expected class and code, the
// chain of causes is recorded for operators, none of it reaches a model or a user, and no secret is recorded.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { originOf } from "../../src/core/index.ts";
import { type Fault, toProblem, viewFor } from "../../src/index.ts";
import { stage } from "../../src/workflow/define.ts";
import { engineWorld } from "../support/engine-world.ts";
import { shareOf } from "../support/grid.ts";
import { DRIVER_LISTENERS, driveWith, SPARED_PLACES } from "../support/sparing-places.ts";
import { FAILING_PLACES, HOWS } from "../support/throwing-places.ts";
import { PRIVATE, SECRET, THROWN_THINGS } from "../support/thrown-things.ts";

const namesOf = (seen: Fault): readonly string[] => originOf(seen)?.thrown.map(({ name }) => name) ?? [];

/** Errors that would have ended the process, and warnings it printed. */
const crashes: unknown[] = [];
const warnings: string[] = [];
const crash = (error: unknown): void => void crashes.push(typeof error);
const warned = ({ message }: Error): void => void warnings.push(message);

beforeEach(() => {
  crashes.length = 0;
  warnings.length = 0;
  process.on("unhandledRejection", crash);
  process.on("warning", warned);
});

/** Rejections and warnings are reported after the promises of this turn. */
const settled = (): Promise<void> => new Promise((resolve) => systemClock.soon(() => systemClock.soon(resolve)));

afterEach(async () => {
  await settled();
  process.off("unhandledRejection", crash);
  process.off("warning", warned);
  expect(crashes).toEqual([]);
  expect(warnings.join("\n")).not.toContain(SECRET);
});

function expectHidden(seen: Fault): void {
  const audiences = { correlationId: "s/c1" };
  const shown = [viewFor("model", seen, audiences), viewFor("user", seen, audiences), toProblem(seen, audiences)];
  for (const hidden of [PRIVATE, SECRET, "    at ", "thrown-things"]) {
    expect(JSON.stringify(shown)).not.toContain(hidden);
  }
}

/** Places that follow each other share the things among them. */
const FAILING = FAILING_PLACES.map((place, row) => ({ ...place, things: shareOf(THROWN_THINGS, 3, row) }));

describe.each(FAILING)("$where that throws", ({ unnamed, wraps, see, things }) => {
  it.each(things)("$what", async (thing) => {
    const { fault: seen, events, result } = await see(thing);
    expect(wraps === true || thing.code === null ? unnamed : [thing.code]).toContain(seen.code);
    // Operators find the thrown value in the fault and in the journal.
    expect(namesOf(seen)).toEqual(thing.names);
    if (events.length > 0 && thing.names.length > 0) {
      const recorded = events.flatMap((event) => ("fault" in event && event.fault !== null ? [event.fault] : []));
      expect(recorded.map(namesOf)).toContainEqual(thing.names);
    }
    expect(JSON.stringify([events, seen, result])).not.toContain(SECRET);
    expectHidden(seen);
    // A program gets the value itself, but JSON never contains it.
    if (result === undefined || thing.names.length === 0) return;
    expect(Object.hasOwn(result, "error")).toBe(true);
    expect(Object.keys(result)).not.toContain("error");
  });
});

/** Each listener of an agent starts a process for each thing, so these places share the things among them. */
const SPARED = SPARED_PLACES.map((place, row) => ({
  ...place,
  things: place.where.includes("of an agent") ? shareOf(THROWN_THINGS, 5, row) : shareOf(THROWN_THINGS, 3, row),
}));

describe.each(SPARED)("$where that throws", ({ see, wraps, things }) => {
  it.each(things)("$what", async (thing) => {
    const told = await see(thing);
    expect(told).toHaveLength(1);
    const [seen] = told as [Fault];
    expect(seen.code).toBe(wraps ?? thing.code ?? "Unclassified");
    expect(namesOf(seen)).toEqual(thing.names);
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expectHidden(seen);
  });
});

describe.each(DRIVER_LISTENERS)("%s of a driver that throws", (name) => {
  const cases = shareOf(THROWN_THINGS, DRIVER_LISTENERS.length, DRIVER_LISTENERS.indexOf(name)).flatMap((thing) =>
    HOWS.map(([when, how]) => ({ when, what: thing.what, listener: how(thing) })),
  );

  it.each(cases)("$what, $when", async ({ listener }) => {
    await driveWith(name, listener);
    await settled();
    expect(warnings).toEqual([expect.stringContaining(name)]);
  });
});

describe("a fault in handling a failure", () => {
  it("belongs to the node, and a failing `next` is reported with it", async () => {
    const broken = stage({
      act: () => {
        throw new Error("first");
      },
      next: () => {
        throw new Error("second");
      },
    });
    const { go } = await engineWorld({ id: "w", stages: { a: broken } });
    const { fault: seen } = (await go()) as { readonly fault: Fault };
    expect(seen).toMatchObject({
      code: "Uncaught",
      message: expect.stringMatching(/act phase.*first.*second/) as string,
    });
    expect(originOf(seen)?.thrown.map(({ message }) => message)).toEqual(["first", "second"]);
  });
});
