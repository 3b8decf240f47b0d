// What one target remembers between calls: its pace, its last counted failure, and what another process knew about it.

import { describe, expect, it, vi } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import type { CallResult } from "../../../src/core/decide/breaker.ts";
import { createRedactor } from "../../../src/core/fault/redact.ts";
import { fault, type Fault } from "../../../src/core/fault/fault.ts";
import { createMemoryJournal, openJournal } from "../../../src/index.ts";
import { SharedState } from "../../../src/runtime/target/shared-state.ts";
import { LiveTarget, SharedPause } from "../../../src/runtime/target/target.ts";
import { Targets } from "../../../src/runtime/target/targets.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { tempFolder } from "../../journal/temp-folder.ts";

const NOW = 1_000_000;
const SETTINGS = {
  rule: { ...DEFAULT_POLICY.breaker, failures: 3 },
  maxConcurrent: 4,
  maxQueued: 4,
  maxPerMinute: Infinity,
};
const nothing = (): void => undefined;

function target(maxPerMinute = Infinity): LiveTarget {
  const settings = { ...SETTINGS, maxPerMinute, changed: nothing };
  return new LiveTarget("t", settings, null, new SharedPause("t", null, nothing));
}

const left = (requests: number): Readonly<Record<string, string>> => ({
  "x-ratelimit-limit-requests": "100",
  "x-ratelimit-remaining-requests": String(requests),
  "x-ratelimit-reset-requests": "10s",
});

describe("a target that was nearly out of requests", () => {
  it("spreads its calls, and starts them at once again when it has plenty", () => {
    const [paced, clock] = [target(), createFakeClock(NOW)];
    expect(paced.reserveStart(NOW)).toBe(NOW);
    paced.applyLimits(left(4), clock);
    const slots = [1, 2, 3].map(() => paced.reserveStart(NOW) - NOW);
    expect(slots[0]).toBeLessThan(slots[1] ?? 0);
    expect(slots[1]).toBeLessThan(slots[2] ?? 0);
    paced.applyLimits(left(90), clock);
    expect(paced.reserveStart(NOW + 1)).toBe(NOW + 1);
  });
});

describe("a start that was reserved and is not used", () => {
  it.each(["memory", "a file"])(
    "goes to the next call, unless a later one is reserved (journal in %s)",
    async (place) => {
      const folder = tempFolder();
      const journal = place === "memory" ? createMemoryJournal() : await openJournal(folder.file("journal.db"));
      try {
        const suppress = (seen: Fault): void => expect.unreachable(seen.message);
        const shared = new SharedState({
          journal,
          clock: createFakeClock(NOW),
          redactor: createRedactor([]),
          suppress,
        });
        const paced = target(6);
        const starts = [await shared.reserveStart(paced), await shared.reserveStart(paced)];
        expect(starts).toEqual([NOW, NOW + 10_000]);
        shared.releaseStart(paced, NOW);
        shared.releaseStart(paced, NOW + 10_000);
        await shared.flush();
        expect(await shared.reserveStart(paced)).toBe(NOW + 10_000);
      } finally {
        await journal.close();
        folder.remove();
      }
    },
  );
});

describe("a paced target whose journal", () => {
  it.each([
    { what: "does not answer", isSilent: true },
    { what: "refuses every write", isSilent: false },
  ])(
    "$what makes one call wait two seconds at most, keeps its pace, and gives turns again later",
    async ({ isSilent }) => {
      const journal = createMemoryJournal();
      const clock = createFakeClock(NOW);
      let silence: PromiseWithResolvers<never> | null = null;
      const changeKept: typeof journal.changeKept = (...change) =>
        silence === null
          ? journal.changeKept(...change)
          : isSilent
            ? silence.promise
            : Promise.reject(new Error("gone"));
      const shared = new SharedState({
        journal: { ...journal, changeKept, durable: true },
        clock,
        redactor: createRedactor([]),
        suppress: nothing,
      });
      const paced = target(6);
      const startAfter = async (): Promise<number> => (await clock.runUntil(shared.reserveStart(paced))) - NOW;
      expect(await startAfter()).toBe(0);
      silence = Promise.withResolvers<never>();
      expect([await startAfter(), await startAfter(), await startAfter()]).toEqual([10_000, 20_000, 30_000]);
      expect(clock.now() - NOW).toBeLessThanOrEqual(2_000);
      if (isSilent) silence.reject(new Error("the connection was given up"));
      silence = null;
      await clock.advance(1);
      // The next call still keeps its own pace; it asks the journal, and gives the turn back that it got.
      expect(await startAfter()).toBe(40_000);
      await vi.waitFor(async () => expect(await journal.kept("pace", "t")).toEqual({ at: NOW + 40_000 }));
      expect(await startAfter()).toBe(50_000);
      expect(await journal.kept("pace", "t")).toEqual({ at: NOW + 50_000 });
    },
  );
});

describe("an attempt that began elsewhere", () => {
  it.each<[string, readonly CallResult[], number, number]>([
    ["before a failure was counted has shown the same outage", ["failure"], NOW - 10, 1],
    ["after it counts", ["failure"], NOW + 5, 2],
    ["between a failure and a success counts, too", ["failure", "success"], NOW + 5, 1],
  ])("%s", (_what, results, startedAt, failures) => {
    const known = target();
    results.forEach((result, index) => {
      const ticket = known.admit(NOW + index * 10);
      if (ticket !== null) known.record(ticket, result, NOW + index * 10);
    });
    const late = known.admitBegun(startedAt, NOW + 40);
    if (late !== null) known.record(late, "failure", NOW + 40);
    expect(known.breaker).toMatchObject({ state: "closed", failures });
  });
});

describe("what another process knew of a target", () => {
  it("is remembered for as many targets as may be known, and newer facts replace older ones", () => {
    const MAX = 3;
    const targets = new Targets({
      ...{ defaults: SETTINGS, retryBudget: DEFAULT_POLICY.retryBudget, maxTargets: MAX, clock: createFakeClock(NOW) },
      ...{ changed: nothing, paused: nothing, spent: nothing, evicted: nothing },
    });
    const names = Array.from({ length: 2 * MAX }, (_one, index) => `t${index}`);
    for (const generation of [1, 2])
      for (const name of names)
        targets.learnBreaker(name, { state: "closed", failures: 1, observed: 1, generation, opens: 0 });
    const known = names.map((name) => targets.get(name, SETTINGS).breaker.generation);
    expect(known).toEqual(names.map((_name, index) => (index < MAX ? 2 : 0)));
  });

  it("is taken over once: a target that was forgotten since begins afresh", () => {
    const clock = createFakeClock(NOW);
    const targets = new Targets({
      ...{ defaults: SETTINGS, retryBudget: DEFAULT_POLICY.retryBudget, maxTargets: 1, clock },
      ...{ changed: nothing, paused: nothing, spent: nothing, evicted: nothing },
    });
    targets.learnBreaker("t", { state: "closed", failures: 1, observed: 1, generation: 3, opens: 1 });
    const first = targets.get("t", SETTINGS);
    expect(first.breaker).toMatchObject({ failures: 1, generation: 3 });
    const ticket = first.admit(NOW);
    if (ticket !== null) first.record(ticket, "success", NOW);
    targets.get("other", SETTINGS);
    expect(first.evicted).toBe(true);
    expect(targets.get("t", SETTINGS).breaker).toMatchObject({ failures: 0, generation: 0 });
  });
});

describe("a pause that is shared", () => {
  it("moves with the clock, and no pause stays none", () => {
    const shared = new SharedPause("west", null, () => undefined);
    shared.move(500);
    expect(shared.until).toBe(0);
    shared.extend(2_000, fault("RateLimited"));
    shared.move(500);
    expect([shared.until, shared.state.until]).toEqual([2_500, 2_500]);
    shared.move(-300);
    expect(shared.until).toBe(2_200);
  });
});

describe("a target that may be forgotten", () => {
  const failedOnce = (known: LiveTarget): void => {
    const ticket = known.admit(NOW);
    if (ticket !== null) known.record(ticket, "failure", NOW);
  };
  it.each<[string, boolean, (known: LiveTarget) => void]>([
    ["has no call and no pause", true, nothing],
    ["runs a call", false, (known) => void known.enter()],
    ["has a call in its queue", false, (known) => known.queue({ enter: nothing })],
    [
      "has a call that waits for its outage to end",
      false,
      (known) => known.outage.join({ sentBefore: 0, shown: null, goAt: null, wake: nothing }),
    ],
    ["is paused", false, (known) => known.pause(NOW + 1, fault("RateLimited"))],
    ["was paused until now", true, (known) => known.pause(NOW, fault("RateLimited"))],
    ["has failed, and its breaker is closed", true, failedOnce],
    ["has an open breaker", false, (known) => [1, 2, 3].forEach(() => failedOnce(known))],
  ])("is one that %s: %s", (_what, isQuiet, prepare) => {
    const known = target();
    prepare(known);
    expect(known.isQuiet(NOW)).toBe(isQuiet);
  });
});

describe("the slots of a target", () => {
  it("are taken up to its limit, then calls queue, and then they are refused", () => {
    const known = target();
    expect([1, 2, 3, 4].map(() => known.enter())).toEqual([true, true, true, true]);
    const entered: number[] = [];
    for (const place of [1, 2, 3, 4]) {
      expect(known.enter()).toBe(false);
      known.queue({ enter: () => void entered.push(place) });
    }
    expect([known.enter(), known.runs, known.queued]).toEqual([null, 4, 4]);
    known.leave();
    known.leave();
    expect([entered, known.runs, known.queued]).toEqual([[1, 2], 4, 2]);
  });

  it("go to the calls that wait before a new call gets one, and are free again when no call waits", () => {
    const known = target();
    known.enter();
    const waiting = { enter: nothing };
    known.queue(waiting);
    expect(known.enter()).toBe(false);
    known.unqueue(waiting);
    known.leave();
    expect([known.runs, known.queued, known.enter()]).toEqual([0, 0, true]);
  });
});

describe("the pause of a target", () => {
  const account = (): { known: LiveTarget; shared: SharedPause } => {
    const shared = new SharedPause("account/a", null, nothing);
    const settings = { ...SETTINGS, changed: nothing };
    return { known: new LiveTarget("t", settings, null, new SharedPause("t", null, nothing), shared), shared };
  };
  it.each([
    { limitOf: "account", own: 0, accounts: NOW + 5 },
    { limitOf: "model", own: NOW + 5, accounts: 0 },
  ])("by a limit of the $limitOf holds back its own calls until $own and its account until $accounts", (row) => {
    const { known, shared } = account();
    known.pause(NOW + 5, fault("RateLimited", { context: { limitOf: row.limitOf } }));
    expect([known.ownPause.until, shared.until, known.pausedUntil]).toEqual([row.own, row.accounts, NOW + 5]);
    expect(known.pauseFault?.code).toBe("RateLimited");
  });

  it("is the longer one of its own and its account's, with the fault of that one", () => {
    const { known } = account();
    known.pause(NOW + 5, fault("Overloaded"));
    known.pause(NOW + 9, fault("RateLimited", { context: { limitOf: "account" } }));
    expect([known.pausedUntil, known.pauseFault?.code]).toEqual([NOW + 9, "RateLimited"]);
    known.pause(NOW + 11, fault("Overloaded"));
    expect([known.pausedUntil, known.pauseFault?.code]).toEqual([NOW + 11, "Overloaded"]);
  });
});
