// One outage and many callers. A call survives every outage that is shorter than its own retry schedule, however many others meet
// it at the same time; and the failing target gets little more than one request from each of them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import {
  createMemoryJournal,
  type FaultCode,
  type JournalEvent,
  type Outcome,
  step,
  tool,
} from "../../../src/index.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { Outage, type Sharer } from "../../../src/runtime/target/outage.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { mostRequests, retryOf, shortestMs } from "../../support/outage-bounds.ts";
import { broken, callTimes, failure, held, type More, START_AT, type World, world } from "../../support/world.ts";
import { samples } from "../../support/grid.ts";

const CODES = [
  "Provider5xx",
  "RateLimited",
  "NetworkDisconnect",
  "Overloaded",
  "ToolUnavailable",
  "ResourceBusy",
] as const;

interface Sick {
  readonly tool: ReturnType<typeof tool<string, string>>;
  /** Requests during the outage, and after it. */
  readonly asked: { down: number; up: number; mostAtOnce: number };
}

/** Down until `downForMs` have passed; each request takes `latencyMs`. */
function sick({ clock }: World, code: FaultCode, downForMs: number, latencyMs: number, more: More = {}): Sick {
  const asked = { down: 0, up: 0, mostAtOnce: 0 };
  let running = 0;
  const made = tool<string, string>({
    idempotent: true,
    ...more,
    id: "sick",
    run: async (input) => {
      const isDown = clock.now() < START_AT + downForMs;
      asked[isDown ? "down" : "up"] += 1;
      running += 1;
      if (clock.now() > START_AT) asked.mostAtOnce = Math.max(asked.mostAtOnce, running);
      await new Promise<void>((resolve) => void clock.after(latencyMs, resolve));
      running -= 1;
      if (isDown) throw failure(code);
      return input;
    },
  });
  return { tool: made, asked };
}

const callers = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 21, max: 500 }));
const code = fc.constantFrom(...CODES);
const latencyMs = fc.constantFrom(0, 1, 7, 60, 400, 2_500);
const seed = fc.integer({ min: 1, max: 1_000_000 });

function together(here: World, called: Sick["tool"], count: number): Promise<readonly Outcome<string>[]> {
  return here.clock.runUntil(
    Promise.all(Array.from({ length: count }, (_, index) => here.fl.protect(called, `${index}`))),
  );
}

describe("an outage that is shorter than the schedule", () => {
  it("fails none of 1 to 500 calls that meet it together, and all of them share attempts", async () => {
    await fc.assert(
      fc.asyncProperty(
        callers,
        code,
        latencyMs,
        seed,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (count, code, latency, seed, share) => {
          const here = world({ chance: createSeededChance(seed) });
          const outageMs = Math.floor(shortestMs(retryOf(code)) * share);
          const down = sick(here, code, outageMs, latency);
          const outcomes = await together(here, down.tool, count);
          expect(outcomes.map((outcome) => (outcome.status === "done" ? outcome.value : outcome))).toEqual(
            Array.from({ length: count }, (_, index) => `${index}`),
          );
          expect(down.asked.down).toBeLessThanOrEqual(mostRequests(retryOf(code), count, outageMs));
          expect(down.asked.up).toBeLessThanOrEqual(count);
          expect(here.fl.targets()).toMatchObject([{ breaker: "closed" }]);
        },
      ),
      { numRuns: samples(20, 60) },
    );
  });

  it.each([1, 5, 20, 60])(
    "fails none of %s steps of a turn, and the journal says who tried for whom",
    async (count) => {
      const journal = createMemoryJournal();
      const here = world({ journal });
      const down = sick(here, "Provider5xx", 2_200, 5);
      const session = await here.clock.runUntil(here.fl.session("s", { limits: { maxParallel: 1_000 } }));
      const plan = Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, step(down.tool, "x")]));
      const turn = await here.clock.runUntil(session.turn(plan, { id: "one" }));
      expect(new Set(Object.values(turn.outcomes).map(({ status }) => status))).toEqual(new Set(["done"]));
      expect(down.asked.down).toBeLessThanOrEqual(mostRequests(retryOf("Provider5xx"), count, 2_200));
      const events: JournalEvent[] = [];
      for await (const { event } of journal.read("s")) events.push(event);
      const shared = events.filter((event) => event.type === "call-decided");
      expect(
        shared.every(({ attempt, fault }) => attempt !== undefined && fault.context["shownBy"] !== undefined),
      ).toBe(true);
      if (count >= 20) expect(shared.length).toBeGreaterThan(count / 2);
      const admitted = events.filter((event) => event.type === "call-admitted");
      expect(admitted).toHaveLength(down.asked.down + down.asked.up);
    },
  );

  it("does not hold a call past its deadline to spare the target a request", async () => {
    const here = world();
    const down = sick(here, "Provider5xx", 1_500, 1);
    const calls = Array.from({ length: 10 }, () => here.fl.protect(down.tool, "x", { deadlineMs: 3_700 }));
    const outcomes = await here.clock.runUntil(Promise.all(calls));
    expect(outcomes.map(({ status }) => status)).toEqual(Array<string>(10).fill("done"));
  });

  it("again and again fails no call: the cost of one outage is not held against the calls of the next", async () => {
    const here = world();
    for (let round = 0; round < 12; round++) {
      const startedAt = here.clock.now();
      const down = sick(here, "Provider5xx", startedAt - START_AT + 1_500, 3);
      expect(new Set((await together(here, down.tool, 100)).map(({ status }) => status))).toEqual(new Set(["done"]));
    }
  });
});

describe("an outage that is longer than the schedule", () => {
  it("fails every call with the target's answer, at little more than one request each", async () => {
    await fc.assert(
      fc.asyncProperty(callers, code, latencyMs, seed, async (count, code, latency, seed) => {
        const here = world({ chance: createSeededChance(seed) });
        const down = sick(here, code, Infinity, latency);
        const outcomes = await together(here, down.tool, count);
        const codes = outcomes.map((outcome) => ("fault" in outcome ? outcome.fault.code : outcome.status));
        expect(new Set(codes)).toEqual(new Set([code]));
        const retry = retryOf(code);
        // Holding a retry back makes a schedule at most half as long again, and each attempt takes its time.
        const longestMs = 2 * shortestMs(retry) + retry.maxAttempts * latency;
        expect(down.asked.down).toBeLessThanOrEqual(mostRequests(retry, count, longestMs));
        expect(down.asked.down).toBeLessThanOrEqual(count * retry.maxAttempts);
      }),
      { numRuns: samples(10, 30) },
    );
  });

  it("counts as one outage for the breaker however many calls meet it: five waves open it, and new calls learn why", async () => {
    const here = world();
    const down = sick(here, "Provider5xx", Infinity, 5);
    for (let wave = 1; wave <= 5; wave++) {
      expect(here.fl.targets()[0]?.breaker ?? "closed").toBe("closed");
      const outcomes = await together(here, down.tool, 50);
      expect(new Set(outcomes.map((outcome) => "fault" in outcome && outcome.fault.code))).toEqual(
        new Set(["Provider5xx"]),
      );
    }
    expect(here.fl.targets()).toMatchObject([{ breaker: "open" }]);
    const asked = down.asked.down;
    for (const refused of await together(here, down.tool, 50)) {
      expect(refused).toMatchObject({ attempts: 0, fault: { code: "CircuitOpen", context: { cause: "Provider5xx" } } });
    }
    expect(down.asked.down).toBe(asked);
    // One of many new calls decides whether it is over.
    await here.clock.advance(30_000);
    await together(here, down.tool, 50);
    expect(down.asked.down - asked).toBeLessThanOrEqual(retryOf("Provider5xx").maxAttempts);
  });

  it("is learned from once: the next calls still start to retry", async () => {
    const policy = { ...DEFAULT_POLICY, breaker: { ...DEFAULT_POLICY.breaker, failures: 1_000 } };
    const here = world({ policy });
    const down = broken("down", "ToolUnavailable");
    await together(here, down.tool, 100);
    expect(await callTimes(here, down.tool, 1)).toMatchObject([{ attempts: 5 }]);
  });
});

describe("calls that wait for a failing target", () => {
  it("end at once when they are cancelled, and leave nothing behind", async () => {
    const here = world();
    const down = sick(here, "Provider5xx", Infinity, 1);
    const controller = new AbortController();
    const calls = Array.from({ length: 20 }, () => here.fl.protect(down.tool, "x", { signal: controller.signal }));
    await here.clock.advance(1_250);
    controller.abort();
    const outcomes = await here.clock.runUntil(Promise.all(calls));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
    const before = down.asked.down;
    await here.clock.runAll();
    expect(down.asked.down).toBe(before);
  });

  it("do not share an attempt that was sent before their retry was due", async () => {
    const here = world();
    const slow = held("slow", here.clock, { target: "one" });
    const first = here.fl.protect(slow.tool, "first");
    const second = here.fl.protect(slow.tool, "second");
    await here.clock.advance(0);
    slow.run(0).fail(failure("ToolUnavailable"));
    // The second attempt is sent before the first call's retry is due, and fails afterwards.
    await here.clock.advance(105);
    slow.run(1).fail(failure("ToolUnavailable"));
    await here.clock.advance(60);
    slow.run(2).answer("well");
    await here.clock.advance(200);
    slow.run(3).answer("well");
    expect(await first).toMatchObject({ status: "done", attempts: 2 });
    expect(await second).toMatchObject({ status: "done", attempts: 2 });
  });

  it("continue slightly spread out once one has succeeded", async () => {
    const here = world();
    const down = sick(here, "RateLimited", 3_000, 5);
    await together(here, down.tool, 300);
    expect(down.asked.up).toBe(300);
    expect(down.asked.mostAtOnce).toBeLessThan(60);
  });
});

interface Waiter extends Sharer {
  woken: number;
}

function waiter(): Waiter {
  return { sentBefore: 0, shown: null, goAt: null, woken: 0, wake: () => undefined };
}

function joined(outage: Outage): Waiter {
  const one = waiter();
  one.wake = (): void => void one.woken++;
  outage.join(one);
  return one;
}

const shown = { fault: fault("Overloaded"), call: "c1" };

describe("an outage", () => {
  it("begins with a failed attempt, and ends when an attempt that was sent after it succeeds", () => {
    const outage = new Outage();
    expect(outage.isSick).toBe(false);
    const [early, failing] = [outage.depart(100), outage.depart(110)];
    expect(outage.failed(failing, shown, 200)).toBe(true);
    outage.succeeded(early, 210);
    expect(outage.isSick).toBe(true);
    outage.succeeded(failing, 211);
    expect(outage.isSick).toBe(true);
    outage.succeeded(outage.depart(220), 230);
    expect(outage.isSick).toBe(false);
  });

  it("holds a retry back for half of its wait after the last attempt; without an outage a retry goes at once", () => {
    const outage = new Outage();
    const attempt = outage.depart(100);
    expect(outage.mayGoAt(80)).toBe(-Infinity);
    outage.failed(attempt, shown, 110);
    expect(outage.mayGoAt(80)).toBe(140);
    outage.claim(300);
    expect([outage.mayGoAt(80), outage.count]).toEqual([340, 1]);
  });

  it("counts a failure as the retry of each call that waited when the attempt was sent, and the first one counts", () => {
    const outage = new Outage();
    const before = joined(outage);
    const attempt = outage.depart(100);
    const after = joined(outage);
    outage.failed(attempt, shown, 200);
    outage.failed(outage.depart(300), { ...shown, call: "c2" }, 400);
    expect([before.shown?.call, before.woken]).toEqual(["c1", 2]);
    expect([after.shown?.call, after.woken]).toEqual(["c2", 1]);
  });

  it("has news in a failure only if no failure was seen since the attempt was sent and no call will retry", () => {
    const outage = new Outage();
    const [first, beside] = [outage.depart(0), outage.depart(0)];
    expect([outage.failed(first, shown, 10), outage.failed(beside, shown, 11)]).toEqual([true, false]);
    outage.announce(1_000);
    outage.announce(500);
    expect(outage.failed(outage.depart(900), shown, 999)).toBe(false);
    expect(outage.failed(outage.depart(950), shown, 1_000)).toBe(true);
  });

  it("is waited for from the first call that joins until the last one leaves", () => {
    const outage = new Outage();
    expect(outage.isWaitedFor).toBe(false);
    const one = joined(outage);
    expect(outage.isWaitedFor).toBe(true);
    outage.leave(one);
    expect(outage.isWaitedFor).toBe(false);
  });

  it.each([
    { calls: 1, lastAfterMs: 0 },
    { calls: 3, lastAfterMs: 20 },
    { calls: 100, lastAfterMs: 990 },
    { calls: 200, lastAfterMs: 995 },
  ])("when it is over, lets $calls waiting calls go one after the other within a second", ({ calls, lastAfterMs }) => {
    const outage = new Outage();
    outage.failed(outage.depart(0), shown, 10);
    const all = Array.from({ length: calls }, () => joined(outage));
    const kept = all[0];
    if (kept !== undefined && calls > 1) kept.goAt = 7;
    outage.succeeded(outage.depart(20), 1_000);
    expect(all.at(-1)?.goAt).toBe(1_000 + lastAfterMs);
    expect([kept?.goAt, kept?.woken]).toEqual([calls > 1 ? 7 : 1_000, 1]);
  });

  it("moves with the wall clock: times to go, the last attempt, and until when calls retry", () => {
    const outage = new Outage();
    outage.failed(outage.depart(100), shown, 110);
    outage.announce(1_000);
    const [going, waiting] = [joined(outage), joined(outage)];
    going.goAt = 200;
    outage.move(5_000);
    expect([going.goAt, waiting.goAt, outage.mayGoAt(0)]).toEqual([5_200, null, 5_100]);
    expect(outage.failed(outage.depart(5_900), shown, 5_999)).toBe(false);
    expect(outage.failed(outage.depart(5_900), shown, 6_000)).toBe(true);
  });
});
