// Two attempts of one call, in every order of what can happen to them: at most one answers, and both are paid for.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFaultline, FaultError, fault, hasValue, type JournalEvent } from "../../../src/index.ts";
import { chain, type Member } from "../../../src/runtime/tool/chain.ts";
import { type ChainRequest, type RunContext, tool } from "../../../src/runtime/tool/tool.ts";
import type { TargetReport } from "../../../src/runtime/target/report-targets.ts";
import { targetKey } from "../../../src/runtime/target/targets.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy/matrix.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { samples } from "../../support/grid.ts";

const START_AT = 1_800_000_000_000;
const AFTER_MS = 1_000;

/** What a target does with an attempt. */
interface Behaviour {
  /** When content comes; null: none does before it ends. */
  readonly contentMs: number | null;
  readonly endMs: number;
  readonly ends: "well" | "in a failure" | "never";
  /** What it says it has used, all together. */
  readonly microcents: number;
}

interface Asked {
  readonly isStream: boolean;
  readonly mayRepeat: boolean;
}

class Request implements ChainRequest {
  readonly hedging: Asked;
  /** What reached the caller, in order. */
  readonly shown: string[] = [];

  constructor(asked: Asked) {
    this.hedging = asked;
  }

  revived(): this {
    return this;
  }
}

interface Ran {
  readonly target: string;
  readonly at: number;
  givenUp: boolean;
}

function memberOf(
  id: string,
  behaviour: (number: number) => Behaviour,
  clock: FakeClock,
  ran: Ran[],
  maxPerMinute?: number,
): Member<Request, string> {
  let number = 0;
  return {
    tool: tool<Request, string>({
      id,
      surface: "http",
      idempotent: true,
      timeoutMs: 120_000,
      ...(maxPerMinute === undefined ? {} : { maxPerMinute }),
      cost: { estimate: () => 100_000, sent: () => 7 },
      run: (request, context) => perform(request, context, behaviour(number++), clock, ran),
    }),
    facts: {
      endpoint: id,
      account: "",
      model: id,
      capabilities: [],
      contextWindowTokens: 1_000_000,
      lastResort: false,
    },
  };
}

function perform(request: Request, context: RunContext, how: Behaviour, clock: FakeClock, ran: Ran[]): Promise<string> {
  const own: Ran = { target: context.tool, at: clock.now(), givenUp: false };
  ran.push(own);
  const { isStream } = request.hedging;
  return new Promise((resolve, reject) => {
    const disarms: (() => void)[] = [];
    context.whenGivenUp(() => {
      own.givenUp = true;
      for (const disarm of disarms) disarm();
      context.cost(how.microcents, "estimated");
      reject(new Error("given up"));
    });
    if (isStream && how.contentMs !== null && how.contentMs < how.endMs) {
      disarms.push(
        clock.after(how.contentMs, () => {
          if (!context.claim()) return;
          request.shown.push(`${context.tool}: content`);
          context.commit();
        }),
      );
    }
    if (how.ends === "never") return;
    disarms.push(
      clock.after(how.endMs, () => {
        context.cost(how.microcents);
        if (how.ends === "in a failure") return reject(new FaultError(fault("Provider5xx", { message: "broken" })));
        if (!context.claim()) return reject(new Error("outrun"));
        request.shown.push(`${context.tool}: end`);
        resolve(context.tool);
      }),
    );
  });
}

interface World {
  readonly events: readonly JournalEvent[];
  readonly ran: readonly Ran[];
  readonly request: Request;
  readonly outcome: Awaited<ReturnType<ReturnType<typeof createFaultline>["protect"]>>;
  readonly endedAt: number;
  /** Timers that were still set when the call was over. */
  readonly timersLeft: number;
  readonly spentMicrocents: number;
  /** The attempts of each target that have ended; null if there are none. */
  readonly figures: Readonly<Record<string, TargetReport["recent"]>>;
}

interface Play {
  readonly one: (number: number) => Behaviour;
  readonly two: (number: number) => Behaviour;
  readonly asked: Asked;
  readonly cancelMs?: number | null;
  /** How often a target is tried before the next one is. */
  readonly maxAttempts?: number;
  /** How much time the call has, all together. */
  readonly deadlineMs?: number;
}

async function play({ one, two, asked, cancelMs = null, maxAttempts = 1, deadlineMs }: Play): Promise<World> {
  const clock = createFakeClock(START_AT);
  const fl = createFaultline({ clock, chance: createSeededChance(1) });
  const ran: Ran[] = [];
  const members = [memberOf("one", one, clock, ran), memberOf("two", two, clock, ran)];
  const hedged = chain(members, { hedge: { after: AFTER_MS }, retryBeforeFallback: { maxAttempts } });
  const request = new Request(asked);
  const left = new AbortController();
  if (cancelMs !== null) clock.after(cancelMs, () => left.abort());
  const outcome = await clock.runUntil(
    fl.protect(hedged, request, { signal: left.signal, ...(deadlineMs === undefined ? {} : { deadlineMs }) }),
  );
  const endedAt = clock.now();
  const timersLeft = clock.pending;
  const figures = Object.fromEntries(fl.targets().map(({ name, recent }) => [name, recent]));
  // What was given up may still say what it has used.
  await clock.advance(200_000);
  return {
    ...{ ran, request, outcome, endedAt, timersLeft },
    events: fl.recent().map(({ event }) => event),
    spentMicrocents: fl.spending.microcents,
    figures,
  };
}

const NEVER: Behaviour = { contentMs: null, endMs: 0, ends: "never", microcents: 3 };
const well = (endMs: number, contentMs: number | null = null, microcents = 50): Behaviour => ({
  ...{ contentMs, endMs, ends: "well", microcents },
});
const broken = (endMs: number, contentMs: number | null = null): Behaviour => ({
  ...{ contentMs, endMs, ends: "in a failure", microcents: 5 },
});
const STREAM: Asked = { isStream: true, mayRepeat: true };
const WHOLE: Asked = { isStream: false, mayRepeat: true };

const hedges = (events: readonly JournalEvent[]): readonly JournalEvent[] =>
  events.filter((event) => event.type === "call-admitted" && event.hedge !== undefined);

describe.each([
  ["a stream", STREAM],
  ["a whole answer", WHOLE],
] as const)("%s", (_kind, asked) => {
  it("comes from the second target when the first one is silent, which is given up and booked", async () => {
    const { outcome, ran, endedAt, events, spentMicrocents, request, figures } = await play({
      ...{ one: () => NEVER, two: () => well(400, 100), asked },
    });
    expect(outcome).toMatchObject({ status: "done", from: "two", attempts: 2 });
    expect(ran).toEqual([
      { target: "one", at: START_AT, givenUp: true },
      { target: "two", at: START_AT + AFTER_MS, givenUp: false },
    ]);
    expect(endedAt).toBe(START_AT + AFTER_MS + 400);
    expect(hedges(events)).toMatchObject([{ tool: "two", attempt: 1, hedge: { beside: "one", silentMs: AFTER_MS } }]);
    expect(spentMicrocents).toBe(53);
    expect(request.shown.every((line) => line.startsWith("two"))).toBe(true);
    // The silent target has not failed.
    expect(figures).toMatchObject({ one: null, two: { attempts: 1, errorRate: 0 } });
  });

  it("has one record of the attempt that lost: it did not answer, and what it used later is added to it", async () => {
    const { events } = await play({ one: () => NEVER, two: () => well(400, 100), asked });
    const late = events.filter((event) => event.type === "call-late");
    expect(late.map(({ tool: id, attempt, ok, fault: seen }) => [id, attempt, ok, seen])).toEqual([
      ["one", 1, false, null],
    ]);
  });

  it("comes from the first target when that is quicker than the second one", async () => {
    const { outcome, ran, spentMicrocents } = await play({
      ...{ one: () => well(1_500, 1_200), two: () => well(60_000, 30_000), asked },
    });
    expect(outcome).toMatchObject({ status: "done", from: "one", attempts: 2 });
    expect(ran.map(({ givenUp }) => givenUp)).toEqual([false, true]);
    expect(spentMicrocents).toBe(100);
  });

  it("is not hedged when it comes in time", async () => {
    const { ran } = await play({ one: () => well(900, 900), two: () => well(1), asked });
    expect(ran).toHaveLength(1);
  });

  it.each([
    { how: "in an answer in time", one: well(900), cancelMs: null },
    { how: "in an answer that began in time", one: well(5_000, 900), cancelMs: null },
    { how: "in an answer of the second target", one: NEVER, cancelMs: null },
    { how: "in a failure", one: broken(900), cancelMs: null },
    { how: "as cancelled", one: NEVER, cancelMs: 900 },
  ])("leaves no timer of its own behind when it ends $how", async ({ one, cancelMs }) => {
    const { timersLeft } = await play({ one: () => one, two: () => broken(100), asked, cancelMs });
    // All deadlines share this one.
    expect(timersLeft).toBe(1);
  });

  it("is not hedged when its work may not be repeated", async () => {
    const { ran, outcome } = await play({
      one: () => well(5_000),
      two: () => well(1),
      asked: { ...asked, mayRepeat: false },
    });
    expect(ran).toHaveLength(1);
    expect(outcome).toMatchObject({ status: "done", from: "one" });
  });

  it("waits for the second target when the first one fails meanwhile, and that target is next", async () => {
    const { outcome, ran, figures } = await play({ one: () => broken(1_100), two: () => well(5_000), asked });
    expect(outcome).toMatchObject({ status: "done", from: "two", attempts: 2 });
    expect(ran).toHaveLength(2);
    expect(figures).toMatchObject({ one: { attempts: 1, errorRate: 1 }, two: { attempts: 1, errorRate: 0 } });
  });

  describe("when the first attempt fails meanwhile, and is to be retried", () => {
    const retried = (then: Behaviour, two: Behaviour): Promise<World> =>
      play({ one: (number) => (number === 0 ? broken(1_100) : then), two: () => two, asked, maxAttempts: 2 });

    it("comes from the retry, which does not wait for a silent second target", async () => {
      const { outcome, ran, endedAt, request } = await retried(well(300, 200), NEVER);
      expect(outcome).toMatchObject({ status: "done", from: "one", attempts: 3 });
      expect(ran.map(({ target, givenUp }) => [target, givenUp])).toEqual([
        ["one", false],
        ["two", true],
        ["one", false],
      ]);
      expect(endedAt - START_AT).toBeLessThan(10_000);
      expect(request.shown.every((line) => line.startsWith("one"))).toBe(true);
    });

    it("comes from the second target, if that answers while the retry waits, which is not sent then", async () => {
      const { outcome, ran, endedAt } = await retried(well(1), well(200));
      expect(outcome).toMatchObject({ status: "done", from: "two", attempts: 2 });
      expect(ran).toHaveLength(2);
      expect(endedAt).toBe(START_AT + AFTER_MS + 200);
    });

    it("comes from the second target, if that answers while the retry runs, which is given up then", async () => {
      const { outcome, ran, endedAt } = await retried(NEVER, well(8_000));
      expect(outcome).toMatchObject({ status: "done", from: "two", attempts: 3 });
      expect(ran.map(({ givenUp }) => givenUp)).toEqual([false, false, true]);
      expect(endedAt).toBe(START_AT + AFTER_MS + 8_000);
    });

    it("ends as cancelled, if its caller leaves after the second target has begun to answer", async () => {
      const { outcome, ran } = await play({
        ...{ one: () => NEVER, two: () => well(8_000, 2_000), asked },
        cancelMs: 4_000,
      });
      expect(outcome).toMatchObject({ status: "cancelled", fault: { code: "ToolCancelled" } });
      expect(outcome).not.toMatchObject({ fault: { message: expect.stringContaining("answered first") as string } });
      expect(ran.map(({ givenUp }) => givenUp)).toEqual([true, true]);
    });

    it("ends with its caller: neither attempt is left, and nothing more is sent", async () => {
      const { outcome, ran } = await play({
        ...{ one: (number) => (number === 0 ? broken(1_100) : NEVER), two: () => NEVER, asked, maxAttempts: 2 },
        cancelMs: 6_000,
      });
      expect(outcome).toMatchObject({ status: "cancelled", attempts: 3 });
      expect(ran.map(({ givenUp }) => givenUp)).toEqual([false, true, true]);
    });
  });

  it.each([1_000, 1_001, 1_500])(
    "ends at the call's deadline: both attempts are left after %i ms",
    async (deadlineMs) => {
      const { outcome, ran, endedAt, events } = await play({ one: () => NEVER, two: () => NEVER, asked, deadlineMs });
      expect(hasValue(outcome)).toBe(false);
      // Deadlines are kept to the millisecond after.
      expect(endedAt - START_AT - deadlineMs).toBeLessThanOrEqual(1);
      expect(ran.every(({ givenUp }) => givenUp)).toBe(true);
      expect(events.filter(({ type }) => type === "call-admitted")).toHaveLength(ran.length);
    },
  );

  it("falls back as ever when both fail", async () => {
    const { outcome, ran } = await play({
      ...{ one: () => broken(2_000), two: (number) => (number === 0 ? broken(100) : well(100)), asked },
    });
    expect(outcome).toMatchObject({ status: "done", from: "two", attempts: 3 });
    expect(ran.map(({ target }) => target)).toEqual(["one", "two", "two"]);
  });
});

it("does not hedge a stream that has begun", async () => {
  const { ran } = await play({ one: () => well(60_000, 500), two: () => well(1), asked: STREAM });
  expect(ran).toHaveLength(1);
});

it("tells the break of a second attempt that has shown content, and starts nothing again", async () => {
  const { outcome, ran, request } = await play({ one: () => NEVER, two: () => broken(500, 100), asked: STREAM });
  expect(hasValue(outcome)).toBe(false);
  expect(outcome).toMatchObject({ fault: { code: "Provider5xx", context: { tool: "two" } } });
  expect(ran).toHaveLength(2);
  expect(request.shown).toEqual(["two: content"]);
});

describe("a half-open breaker gets its probe back", () => {
  /** Lets one probe through to a target, makes a hedged call, and then asks the target directly. */
  async function probed(
    target: "one" | "two",
    maxUsd: number,
    first: Behaviour,
    second: Behaviour,
  ): Promise<Omit<World, "figures">> {
    const clock = createFakeClock(START_AT);
    const fl = createFaultline({ clock, chance: createSeededChance(1), budget: { maxUsd } });
    const ran: Ran[] = [];
    const one = memberOf("one", (number) => (number === 0 ? first : well(1)), clock, ran);
    const two = memberOf("two", (number) => (number === 0 ? second : well(1)), clock, ran);
    const key = targetKey((target === "one" ? one : two).facts);
    await fl.isolate(key, "test");
    await fl.probe(key);
    const hedged = chain([one, two], { hedge: { after: AFTER_MS } });
    const called = await clock.runUntil(fl.protect(hedged, new Request(WHOLE)));
    expect(hasValue(called)).toBe(true);
    const request = new Request(WHOLE);
    const outcome = await clock.runUntil(fl.protect(chain([target === "one" ? one : two]), request));
    const events = fl.recent().map(({ event }) => event);
    const { microcents: spentMicrocents } = fl.spending;
    return { events, ran, request, outcome, endedAt: clock.now(), timersLeft: clock.pending, spentMicrocents };
  }

  it("when the budget refuses the second attempt", async () => {
    const { outcome, ran } = await probed("two", 0.0015, well(3_000), well(1));
    expect(ran.map(({ target }) => target)).toEqual(["one", "two"]);
    expect(outcome).toMatchObject({ status: "done", from: "two" });
  });

  it("when the first attempt fails, and the second one wins before it is sent again: the failure counts", async () => {
    const { outcome, ran, events } = await probed("one", 1, broken(1_100), well(200));
    expect(ran.map(({ target }) => target)).toEqual(["one", "two"]);
    expect(events.filter(({ type }) => type === "breaker-changed")).toMatchObject([{ from: "half-open", to: "open" }]);
    expect(outcome).toMatchObject({ fault: { code: "CircuitOpen", context: { cause: "Provider5xx" } } });
  });
});

describe("a second attempt that waits for its turn when the first one answers", () => {
  const MAX_PER_MINUTE = 6;
  const INTERVAL_MS = 10_000;

  /** Uses the turn of the second target; makes a call whose first target answers before the next turn, and one whose first target hangs. */
  async function startsOfSecond(retries: number): Promise<readonly number[]> {
    const clock = createFakeClock(START_AT);
    const retryBudget = { capacity: retries, perCall: 0, perSecond: 0 };
    const policy = { ...DEFAULT_POLICY, retryBudget };
    const fl = createFaultline({ clock, chance: createSeededChance(1), policy });
    const ran: Ran[] = [];
    const one = memberOf("one", (number) => (number === 0 ? well(1_500) : NEVER), clock, ran);
    const two = memberOf("two", () => well(1), clock, ran, MAX_PER_MINUTE);
    const hedged = chain([one, two], { hedge: { after: AFTER_MS } });
    for (const [chained, from] of [[chain([two]), "two"] as const, [hedged, "one"] as const, [hedged, "two"] as const])
      expect(await clock.runUntil(fl.protect(chained, new Request(WHOLE)))).toMatchObject({ status: "done", from });
    return ran.filter(({ target }) => target === "two").map(({ at }) => at - START_AT);
  }

  it("gives its turn back: the next call gets it", async () => {
    expect(await startsOfSecond(10)).toEqual([0, INTERVAL_MS]);
  });

  it("spends nothing of the retry budget: the next call may still send a second attempt", async () => {
    expect(await startsOfSecond(1)).toEqual([0, INTERVAL_MS]);
  });
});

const behaviour = fc.record<Behaviour>({
  contentMs: fc.option(fc.integer({ min: 1, max: 3_000 })),
  endMs: fc.integer({ min: 1, max: 4_000 }),
  ends: fc.constantFrom("well", "well", "in a failure", "never"),
  microcents: fc.integer({ min: 0, max: 1_000 }),
});

const plays = fc.record({
  one: fc.array(behaviour, { minLength: 4, maxLength: 4 }),
  two: fc.array(behaviour, { minLength: 4, maxLength: 4 }),
  isStream: fc.boolean(),
  cancelMs: fc.option(fc.integer({ min: 0, max: 5_000 })),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
});

describe("any two targets", () => {
  it("give one answer at most, of one of them, and everything they used is booked", async () => {
    await fc.assert(
      fc.asyncProperty(plays, async ({ one, two, isStream, cancelMs, maxAttempts }) => {
        const { outcome, ran, request, events, spentMicrocents, endedAt } = await play({
          one: (number) => one[number % 4] ?? NEVER,
          two: (number) => two[number % 4] ?? NEVER,
          asked: { isStream, mayRepeat: true },
          cancelMs,
          maxAttempts,
        });
        // One answer, of one attempt.
        expect(request.shown.filter((line) => line.endsWith("content")).length).toBeLessThanOrEqual(1);
        expect(request.shown.filter((line) => line.endsWith("end")).length).toBeLessThanOrEqual(1);
        expect(new Set(request.shown.map((line) => line.split(":")[0])).size).toBeLessThanOrEqual(1);
        if (outcome.status === "done") expect(request.shown.at(-1)).toBe(`${outcome.value as string}: end`);
        // At most one second attempt; none after content was shown; none after the call has ended.
        expect(hedges(events).length).toBeLessThanOrEqual(1);
        for (const { at } of ran) expect(at).toBeLessThanOrEqual(endedAt);
        // All attempts are paid for, each with what it said, or with what sending it costs.
        const admitted = events.filter(({ type }) => type === "call-admitted").length;
        expect(outcome.attempts).toBe(admitted);
        expect(ran).toHaveLength(admitted);
        const counts = { one: 0, two: 0 };
        const used = ran.reduce((sum, { target }) => {
          const list = target === "one" ? one : two;
          return sum + (list[counts[target as "one" | "two"]++ % 4]?.microcents ?? 0);
        }, 0);
        expect(spentMicrocents).toBe(used);
      }),
      { numRuns: samples(100, 400) },
    );
  });
});
