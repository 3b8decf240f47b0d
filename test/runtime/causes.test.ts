// The cause is kept: for every place that may throw and everything it may throw, the fault has the class and code it should have,
// the chain of causes is in the journal for operators, and nothing of it reaches a model or a user.

import { describe, expect, it } from "vitest";
import {
  type Entry,
  type ExtensionHost,
  type Fault,
  type FaultCode,
  type JournalEvent,
  originOf,
  step,
  toProblem,
  tool,
  viewFor,
} from "../../src/index.ts";
import { defineExtension } from "../../src/runtime/extension/extension.ts";
import { stage } from "../../src/workflow/define.ts";
import { engineWorld } from "../support/engine-world.ts";
import { PRIVATE, type ThrownThing, THROWN_THINGS } from "../support/thrown-things.ts";
import { world } from "../support/world.ts";

interface Seen {
  /** The fault as a program gets it. */
  readonly fault: Fault;
  /** What was written down. */
  readonly events: readonly JournalEvent[];
  /** `outcome.error` or `result.error`; absent where there is no such thing. */
  readonly result?: object;
}

interface Place {
  readonly where: string;
  /** What a failure without a name is called here. */
  readonly unnamed: readonly FaultCode[];
  /** The place has a fault of its own, whose cause is the thrown one. */
  readonly wraps?: true;
  readonly see: (thing: ThrownThing) => Promise<Seen>;
}

const faultIn = (result: object): Fault => (result as { readonly fault: Fault }).fault;
const eventsIn = (entries: readonly Entry[]): readonly JournalEvent[] => entries.map(({ event }) => event);
// prettier-ignore
const throws = (thing: ThrownThing) => (): never => { throw thing.make(); };

const PLACES: readonly Place[] = [
  {
    where: "a tool",
    unnamed: ["Unclassified", "ExecutionFailed"],
    see: async (thing) => {
      const { fl, clock, events } = world();
      const outcome = await clock.runUntil(fl.protect(tool({ id: "t", run: throws(thing) }), undefined));
      return { fault: faultIn(outcome), events: events(), result: outcome };
    },
  },
  {
    where: "a tool that answers later, in a session",
    unnamed: ["Unclassified", "ExecutionFailed"],
    see: async (thing) => {
      const { fl, clock } = world();
      const session = await clock.runUntil(fl.session("s"));
      const run = async (): Promise<never> => {
        await Promise.resolve();
        throw thing.make();
      };
      const outcome = await clock.runUntil(session.protect(tool({ id: "t", run }), undefined));
      return { fault: faultIn(outcome), events: eventsIn(await session.entries()), result: outcome };
    },
  },
  {
    where: "the body of a turn",
    unnamed: ["Uncaught"],
    see: async (thing) => {
      const { fl, clock } = world();
      const session = await clock.runUntil(fl.session("s"));
      const result = await clock.runUntil(session.turn(async () => Promise.resolve().then(throws(thing))));
      return { fault: faultIn(result), events: eventsIn(await session.entries()), result };
    },
  },
  {
    where: "the input of a step",
    unnamed: ["InputInvalid"],
    wraps: true,
    see: async (thing) => {
      const { fl, clock } = world();
      const session = await clock.runUntil(fl.session("s"));
      const plan = { a: step(tool<string, string>({ id: "t", run: (text) => text }), throws(thing)) };
      const { outcomes } = await clock.runUntil(session.turn(plan));
      const outcome = outcomes["a"] ?? {};
      return { fault: faultIn(outcome), events: [], result: outcome };
    },
  },
  {
    where: "the set-up of an extension",
    unnamed: ["LifecycleFailure"],
    wraps: true,
    see: async (thing) => {
      const { fl, clock } = world({
        extensions: [defineExtension({ name: "x", contractVersion: 1, setup: throws(thing) })],
      });
      const [end] = await clock.runUntil(Promise.allSettled([fl.ready()]));
      return { fault: faultIn((end as PromiseRejectedResult).reason as object), events: [] };
    },
  },
  {
    where: "host.suppress",
    unnamed: ["Unclassified"],
    see: async (thing) => {
      let host: ExtensionHost | null = null;
      const extension = defineExtension({ name: "x", contractVersion: 1, setup: (given) => void (host = given) });
      const { fl, clock, events } = world({ extensions: [extension] });
      await clock.runUntil(fl.ready());
      (host as ExtensionHost | null)?.suppress(thing.make(), "on purpose");
      const told = events().find(({ type }) => type === "fault-suppressed") ?? {};
      return { fault: faultIn(told), events: events() };
    },
  },
  {
    where: "a listener",
    unnamed: ["Unclassified"],
    see: async (thing) => {
      const { fl, clock, events } = world();
      fl.subscribe(throws(thing));
      // Nothing is told of a call that succeeds at once, unless it is checked.
      const ok = tool<string, string>({ id: "t", input: { type: "string" }, run: (text) => text });
      for (const text of ["a", "b"]) {
        expect(await clock.runUntil(fl.protect(ok, text))).toMatchObject({ status: "done" });
      }
      const told = events().filter(({ type }) => type === "fault-suppressed");
      expect(told).toHaveLength(1);
      return { fault: faultIn(told[0] ?? {}), events: events() };
    },
  },
  ...(["setup", "init", "checkGate", "act", "assert", "exit", "next"] as const).map((phase): Place => ({
    where: `the ${phase} phase of a stage`,
    unnamed: ["Uncaught"],
    see: async (thing) => {
      const parts = { act: () => 1, [phase]: throws(thing) };
      const { go, events } = await engineWorld({ id: "w", stages: { a: stage(parts) } });
      const end = await go();
      return { fault: faultIn(end), events: await events(end.run) };
    },
  })),
];

describe.each(PLACES)("$where that throws", ({ unnamed, wraps, see }) => {
  it.each(THROWN_THINGS)("$what", async (thing) => {
    const { fault: seen, events, result } = await see(thing);
    expect(wraps === true || thing.code === null ? unnamed : [thing.code]).toContain(seen.code);
    // Operators find what was thrown, in the fault and in what was written down.
    const names = originOf(seen)?.thrown.map(({ name }) => name) ?? [];
    expect(names).toEqual(thing.names);
    if (events.length > 0 && thing.names.length > 0) {
      const written = events.flatMap((event) => ("fault" in event && event.fault !== null ? [event.fault] : []));
      expect(written.map((one) => originOf(one)?.thrown.map(({ name }) => name))).toContainEqual(thing.names);
    }
    // Models and users do not.
    const audiences = { correlationId: "s/c1" };
    const shown = [viewFor("model", seen, audiences), viewFor("user", seen, audiences), toProblem(seen, audiences)];
    for (const hidden of [PRIVATE, "    at ", "causes.test", "thrown-things"]) {
      expect(JSON.stringify(shown)).not.toContain(hidden);
    }
    // A program gets the value itself, and it is in no JSON.
    if (result === undefined || thing.names.length === 0) return;
    expect(Object.hasOwn(result, "error")).toBe(true);
    expect(Object.keys(result)).not.toContain("error");
  });
});

describe("a fault that could not be dealt with", () => {
  it("is the node's, and a failing `next` is reported with it", async () => {
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
