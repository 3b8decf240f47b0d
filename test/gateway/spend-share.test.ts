// Processes that share a limit, each by what it sets aside: in any order of requests and pauses they never pass the limit together, and one
// that asks alone gets all of it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallPurse, KeyAccount, windowStart } from "../../src/gateway/key/key-account.ts";
import { heldByOthers, HELD_MS, SHARE_MS, sharedSpend, takeShare } from "../../src/gateway/key/spend-share.ts";
import { Ledger } from "../../src/gateway/ledger/ledger.ts";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";

const LIMIT = 1_000;
const HOUR_MS = 3_600_000;

interface Process {
  readonly owner: string;
  share: number;
  until: number;
  spent: number;
}

interface Step {
  readonly process: number;
  readonly estimate: number;
  /** What the call really costs, as a share of what it may cost. */
  readonly costs: number;
  readonly waitMs: number;
  /** No call of its process runs. */
  readonly isIdle: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  process: fc.nat(3),
  estimate: fc.integer({ min: 1, max: 300 }),
  isIdle: fc.boolean(),
  costs: fc.double({ min: 0, max: 1, noNaN: true }),
  waitMs: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, { arbitrary: fc.nat(2 * HELD_MS), weight: 1 }),
});

function ask(kept: unknown, one: Process, now: number, needed: number, isIdle: boolean): unknown {
  const { owner, share, until, spent } = one;
  const left = now < until ? Math.max(0, share - spent) : 0;
  const after = takeShare(kept, { owner, start: 5, now, spent, limit: LIMIT, kept: left, needed, isIdle, running: 0 });
  const own = sharedSpend(after).held[owner];
  Object.assign(one, { share: own?.microcents ?? 0, until: own === undefined ? 0 : now + SHARE_MS, spent: 0 });
  return after;
}

describe("what processes set aside of a limit", () => {
  it("never exceeds it together with what they have spent, except by the last call", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const processes = Array.from({ length: 4 }, (_, index): Process => {
          return { owner: `p${index}`, share: 0, until: 0, spent: 0 };
        });
        let kept: unknown = null;
        let [now, spentByAll, dearest] = [1_000, 0, 0];
        for (const { process, estimate, costs, waitMs, isIdle } of steps) {
          const one = processes[process];
          if (one === undefined) throw new Error("unreachable");
          now += waitMs;
          if (now >= one.until || one.spent + estimate > one.share) kept = ask(kept, one, now, estimate, isIdle);
          // What it has set aside covers the call, or the call is refused.
          if (now < one.until && one.spent + estimate <= one.share) {
            const cost = Math.floor(estimate * costs);
            one.spent += cost;
            spentByAll += cost;
            dearest = Math.max(dearest, cost);
          }
          const { microcents, held } = sharedSpend(kept);
          const shares = Object.values(held).map((share) => share.microcents);
          const setAside = shares.reduce((sum, share) => sum + share, 0);
          expect(setAside - Math.max(0, ...shares)).toBeLessThanOrEqual(Math.max(0, LIMIT - microcents));
          expect(spentByAll).toBeLessThanOrEqual(LIMIT + dearest);
        }
      }),
    );
  });

  it("is all of the rest for a process that needs it, when the others have not renewed theirs", () => {
    const request = { start: 5, limit: LIMIT, spent: 0, kept: 0, running: 0, isIdle: false };
    const first = takeShare(null, { ...request, owner: "a", now: 0, needed: 400 });
    expect(sharedSpend(first).held).toEqual({ a: { microcents: 460, until: HELD_MS } });
    const early = takeShare(first, { ...request, owner: "b", now: HELD_MS - 1, needed: LIMIT });
    expect(early).toBe(first);
    expect(heldByOthers(sharedSpend(first), "b", HELD_MS - 1)).toBe(460);
    const late = takeShare(first, { ...request, owner: "b", now: HELD_MS, needed: LIMIT });
    expect(sharedSpend(late)).toEqual({
      at: 5,
      microcents: 0,
      held: { b: { microcents: LIMIT, until: 2 * HELD_MS } },
    });
  });

  it.each([
    { isIdle: true, held: {}, own: 300 },
    { isIdle: false, held: {}, own: 0 },
    { isIdle: true, held: { b: { microcents: 10, until: HELD_MS } }, own: 300 },
    { isIdle: true, held: { b: { microcents: 25, until: HELD_MS } }, own: 300 },
    // A quarter of what it may cost is not left.
    { isIdle: true, held: { b: { microcents: 26, until: HELD_MS } }, own: 0 },
    { isIdle: true, held: { b: { microcents: 100, until: HELD_MS } }, own: 0 },
  ])(
    "is all that a call may cost if a quarter of that is left and no other call of its process runs: $isIdle, $held",
    (row) => {
      const { isIdle, held, own } = row;
      const kept = { at: 5, microcents: LIMIT - 100, held };
      const after = takeShare(kept, {
        owner: "a",
        start: 5,
        now: 1,
        limit: LIMIT,
        spent: 0,
        kept: 0,
        running: 0,
        needed: 300,
        isIdle,
      });
      expect(sharedSpend(after).held["a"]?.microcents ?? 0).toBe(own);
    },
  );

  it("is written only when something changes: a limit that is used up costs no write", () => {
    const spent = { at: 5, microcents: LIMIT, held: {} };
    const request = {
      owner: "a",
      start: 5,
      now: 1,
      limit: LIMIT,
      spent: 0,
      kept: 0,
      running: 0,
      needed: 1,
      isIdle: true,
    };
    expect(takeShare(spent, request)).toBe(spent);
    expect(takeShare({ at: 5, microcents: 7 }, { ...request, limit: null, spent: 3 })).toEqual({
      ...spent,
      microcents: 10,
    });
  });
});

interface GatewayAccount {
  readonly ledger: Ledger;
  readonly account: KeyAccount;
}

describe("a gateway", () => {
  /** How often a gateway changes the shared value for so many calls, one after the other, within a moment. */
  async function changesFor(
    calls: number,
    limit: number,
  ): Promise<{ readonly changes: number; readonly paid: number }> {
    const clock = createFakeClock();
    const memory = createMemoryJournal({ clock });
    let changes = 0;
    const journal: Journal = {
      ...memory,
      changeKept: (...asked) => {
        changes += 1;
        return memory.changeKept(...asked);
      },
    };
    const suppress = (): never => {
      throw new Error("the journal answers");
    };
    const ledger = new Ledger({
      journal,
      clock,
      owner: "gw",
      suppress,
      scrub: (text) => text,
      onJournal: () => undefined,
    });
    const account = new KeyAccount("alice", { hour: null, day: limit, month: null }, clock, () => undefined);
    let paid = 0;
    for (let call = 0; call < calls; call++) {
      const purse = new CallPurse(account, ledger.cover);
      while (!purse.covers(COST) && (await purse.cover(COST)));
      if (purse.exceeds(COST)) continue;
      purse.reserve(COST);
      purse.settle(COST, { microcents: COST, basis: "reported" });
      paid += 1;
    }
    return { changes, paid };
  }
  const COST = 10;

  it("asks the journal once for many calls far from a limit, and for each call near it, and spends all of it", async () => {
    expect(await changesFor(500, COST * 1_000_000)).toEqual({ changes: 1, paid: 500 });
    const near = await changesFor(50, COST * 20);
    expect(near.paid).toBe(20);
    expect(near.changes).toBeGreaterThan(10);
  });

  /** Gateways of one journal that spend as fast as they can, until they are refused three times. Resolves with how many calls they paid. */
  async function paidBy(
    journal: Journal,
    clock: FakeClock,
    callers: number,
    owners: readonly string[] = ["a", "b", "c"],
  ): Promise<number> {
    let paid = 0;
    const gateway = (owner: string): Promise<unknown> => {
      const ledger = new Ledger({
        journal,
        clock,
        owner,
        suppress: () => undefined,
        scrub: (text) => text,
        onJournal: () => undefined,
      });
      const account = new KeyAccount("alice", { hour: null, day: 100 * COST, month: null }, clock, () => undefined);
      const caller = async (): Promise<void> => {
        for (let refused = 0; refused < 3;) {
          const purse = new CallPurse(account, ledger.cover);
          while (!purse.covers(COST) && (await purse.cover(COST)));
          if (purse.exceeds(COST)) refused += 1;
          else {
            purse.reserve(COST);
            await pause(clock, 20);
            purse.settle(COST, { microcents: COST, basis: "reported" });
            paid += 1;
          }
        }
      };
      return Promise.all(Array.from({ length: callers }, caller));
    };
    await clock.runUntil(Promise.all(owners.map(gateway)));
    return paid;
  }
  const pause = (clock: FakeClock, ms: number): Promise<void> =>
    new Promise((resolve) => void clock.after(ms, resolve));

  it.each([
    [8, 1],
    [8, 900],
    [3, 2_000],
    [1, 6_000],
  ])(
    "whose %i callers share a limit with those of others does not pass it, on a journal that takes %i ms for a change",
    async (callers, takesMs) => {
      const clock = createFakeClock();
      const memory = createMemoryJournal({ clock });
      const changeKept: Journal["changeKept"] = async (...asked) => {
        await pause(clock, takesMs);
        return memory.changeKept(...asked);
      };
      const paid = await paidBy({ ...memory, changeKept }, clock, callers);
      expect(paid).toBeLessThanOrEqual(100);
      expect(paid).toBeGreaterThan(60);
    },
  );

  /** Gateways of one journal, each with an account of the same client. */
  function gateways(clock: FakeClock, journal: Journal, limit: number, owners: number): readonly GatewayAccount[] {
    return Array.from({ length: owners }, (_, index) => {
      const suppress = (): never => {
        throw new Error("the journal answers");
      };
      const deps = { journal, clock, owner: `gw${index}`, suppress, scrub: (text: string) => text };
      const ledger = new Ledger({ ...deps, onJournal: () => undefined });
      const limits = { hour: limit, day: null, month: null };
      return { ledger, account: new KeyAccount("alice", limits, clock, () => undefined) };
    });
  }

  /** Starts a call that may cost so much; null when it is refused. Its end takes what it cost. */
  async function startCall(
    { ledger, account }: GatewayAccount,
    most: number,
  ): Promise<((cost: number) => void) | null> {
    const purse = new CallPurse(account, ledger.cover);
    while (!purse.covers(most) && (await purse.cover(most)));
    if (purse.exceeds(most)) return null;
    purse.reserve(most);
    return (cost) => {
      purse.settle(most, { microcents: cost, basis: "reported" });
      const about = { call: "c", at: 0, tookMs: 1, key: "alice", route: "*", dialect: "openai-chat", model: "m" };
      const end = { target: "t", attempts: 1, status: "done", code: null, microcents: cost, isExact: true };
      ledger.add({ ...about, ...end, omitted: [], decisions: [] }, account);
    };
  }

  const TURNS = [2, 4, 8].flatMap((owners) => [0.1, 0.25, 0.5, 0.9, 1.5].map((share) => ({ owners, share })));

  it.each(TURNS)(
    "of $owners that take turns refuses no call that may cost $share of the limit while little is spent",
    async ({ owners, share }) => {
      const clock = createFakeClock();
      const all = gateways(clock, createMemoryJournal({ clock }), 1_000_000, owners);
      for (let turn = 0; turn < 3 * owners; turn++) {
        const one = all[turn % owners];
        const end = one === undefined ? null : await startCall(one, share * 1_000_000);
        expect(end, `turn ${turn}`).not.toBeNull();
        await clock.advance(2_000);
        end?.(400);
        // The ledger writes four times a second.
        await clock.advance(300);
      }
      await Promise.all(all.map(({ ledger }) => ledger.close(clock.now())));
    },
  );

  interface Call {
    readonly gateway: number;
    readonly most: number;
    readonly cost: number;
    readonly at: number;
    readonly lasts: number;
  }

  /** Runs these calls on three gateways of one journal, from `before` ms before a window ends; says what each window has to pay, and its dearest call. */
  async function paidWith(
    calls: readonly Call[],
    before: number,
  ): Promise<readonly { readonly paid: number; readonly dearest: number }[]> {
    const clock = createFakeClock();
    await clock.advance(HOUR_MS - (clock.now() % HOUR_MS) - before);
    const all = gateways(clock, createMemoryJournal({ clock }), LIMIT, 3);
    const windows = new Map<number, { paid: number; dearest: number }>();
    const one = async ({ gateway, most, cost, at, lasts }: Call): Promise<void> => {
      await pause(clock, at + 1);
      const used = all[gateway];
      const end = used === undefined ? null : await startCall(used, most);
      if (end === null) return;
      await pause(clock, lasts + 1);
      end(cost);
      const window = windowStart("hour", clock.now());
      const { paid, dearest } = windows.get(window) ?? { paid: 0, dearest: 0 };
      windows.set(window, { paid: paid + cost, dearest: Math.max(dearest, cost) });
    };
    await clock.runUntil(Promise.all(calls.map(one)));
    await Promise.all(all.map(({ ledger }) => ledger.close(clock.now())));
    return [...windows.values()];
  }

  /** Two gateways that each hold a part of the limit, and each ask for a call that may cost more than the rest. */
  const TWO_ALONE: readonly Call[] = [
    { gateway: 0, most: 168, cost: 0, at: 0, lasts: 0 },
    { gateway: 1, most: 1004, cost: 1004, at: 10, lasts: 10 },
    { gateway: 0, most: 1004, cost: 1004, at: 11, lasts: 10 },
  ];
  /** A call that may cost more than the rest, another one that is refused when what its gateway holds has to be renewed, and the next one. */
  const REFUSED_BESIDE: readonly Call[] = [
    { gateway: 0, most: 1001, cost: 0, at: 0, lasts: 0 },
    { gateway: 0, most: 1001, cost: 1001, at: 2_600, lasts: 5_000 },
    { gateway: 0, most: 1, cost: 1, at: 5_002, lasts: 0 },
    { gateway: 1, most: 1001, cost: 1001, at: 5_003, lasts: 0 },
  ];
  /** Calls that run when the window ends, and those that begin with the next window. */
  const INTO_NEXT: readonly Call[] = [
    { gateway: 0, most: 299, cost: 299, at: 0, lasts: 31_000 },
    { gateway: 1, most: 700, cost: 700, at: 28_000, lasts: 3_000 },
    { gateway: 2, most: 500, cost: 500, at: 30_000, lasts: 10 },
    { gateway: 2, most: 500, cost: 500, at: 30_000, lasts: 10 },
  ];

  it.each([
    { most: 400, before: HOUR_MS },
    { most: 2_000, before: HOUR_MS },
    { most: 400, before: 30_000 },
    { most: 2_000, before: 30_000 },
  ])(
    "lets gateways exceed a limit by one call at most, with calls that may cost up to $most, in any order, $before ms before a window ends",
    async ({ most, before }) => {
      const call = fc
        .record({
          gateway: fc.nat(2),
          most: fc.integer({ min: 1, max: most }),
          share: fc.constantFrom(0, 0.5, 1, 1),
          at: fc.nat(60_000),
          lasts: fc.oneof(fc.nat(50), fc.nat(2_000), fc.nat(40_000)),
        })
        .map(({ share, ...rest }) => ({ ...rest, cost: Math.floor(rest.most * share) }));
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 15, maxLength: 60, size: "max" }), async (calls) => {
          for (const { paid, dearest } of await paidWith(calls, before))
            expect(paid).toBeLessThanOrEqual(LIMIT + dearest);
        }),
        { numRuns: 60, examples: [TWO_ALONE, REFUSED_BESIDE, INTO_NEXT].map((calls) => [[...calls]]) },
      );
    },
  );

  it("gives back at once what a call has set aside that cost nothing", async () => {
    const clock = createFakeClock();
    const all = gateways(clock, createMemoryJournal({ clock }), LIMIT, 2);
    const [first, second] = all as [GatewayAccount, GatewayAccount];
    const end = await startCall(first, 0.8 * LIMIT);
    expect(await startCall(second, 0.8 * LIMIT)).toBeNull();
    end?.(0);
    await clock.advance(250);
    expect(await startCall(second, 0.8 * LIMIT)).not.toBeNull();
    await Promise.all(all.map(({ ledger }) => ledger.close(clock.now())));
  });

  it.each([1_000, 4_000, 9_000])(
    "that shares a limit with others does not pass it, on a journal that is locked for %i ms",
    async (lockedMs) => {
      const clock = createFakeClock();
      const memory = createMemoryJournal({ clock });
      const until = clock.now() + lockedMs;
      const changeKept: Journal["changeKept"] = (...asked) =>
        clock.now() < until
          ? Promise.reject(new FaultError(fault("StoreUnavailable", { message: "database is locked" })))
          : memory.changeKept(...asked);
      const paid = await paidBy({ ...memory, changeKept }, clock, 8);
      expect(paid).toBeLessThanOrEqual(100);
      expect(paid).toBeGreaterThan(60);
    },
  );

  it.each([0, 2_000, 4_000])(
    "keeps what is set aside for calls that run for minutes and began %i ms after it asked",
    async (laterMs) => {
      const clock = createFakeClock();
      const journal = createMemoryJournal({ clock });
      const ledger = new Ledger({
        journal,
        clock,
        owner: "slow",
        suppress: () => undefined,
        scrub: (text) => text,
        onJournal: () => undefined,
      });
      const account = new KeyAccount("alice", { hour: null, day: 100 * COST, month: null }, clock, () => undefined);
      const begin = async (calls: number): Promise<void> => {
        for (let call = 0; call < calls; call++) {
          const purse = new CallPurse(account, ledger.cover);
          while (!purse.covers(COST) && (await purse.cover(COST)));
          expect(purse.exceeds(COST)).toBe(false);
          purse.reserve(COST);
        }
      };
      if (laterMs > 0) {
        expect(await ledger.cover(account, 5 * COST)).toBe(true);
        await clock.advance(laterMs);
        expect(account.covers(5 * COST)).toBe(true);
      }
      await begin(5);
      if (laterMs === 0) await begin(75);
      const running = laterMs === 0 ? 80 : 5;
      await clock.advance(120_000);
      expect(await paidBy(journal, clock, 2, ["quick"])).toBeLessThanOrEqual(100 - running);
      await ledger.close(clock.now());
    },
  );

  it("warns that a budget runs low when it learns what other gateways have spent", () => {
    const clock = createFakeClock();
    const low: string[] = [];
    const limits = { hour: 100, day: 1_000, month: null };
    const account = new KeyAccount("alice", limits, clock, (_account, window) => void low.push(window));
    account.book(40);
    account.learn("hour", account.startOf("hour"), 39);
    expect(low).toEqual([]);
    account.learn("hour", account.startOf("hour"), 40);
    account.learn("hour", account.startOf("hour"), 60);
    account.learn("day", account.startOf("day"), 60);
    expect(low).toEqual(["hour"]);
  });

  it("says what is set aside to a client that is refused because of it, and to ask again soon", async () => {
    const clock = createFakeClock();
    const journal = createMemoryJournal({ clock });
    const ledger = new Ledger({
      journal,
      clock,
      owner: "a",
      suppress: () => undefined,
      scrub: (text) => text,
      onJournal: () => undefined,
    });
    const account = new KeyAccount("alice", { hour: null, day: 1e8, month: null }, clock, () => undefined);
    const purse = new CallPurse(account, ledger.cover);
    const tomorrow = account.endOf("day");
    expect(purse.refusing(2e8)?.endsAt).toBe(tomorrow);
    // Four times the limit, and more.
    expect(purse.refusing(4e8)?.endsAt).toBe(tomorrow);
    expect(purse.refusing(4e8 + 1)).toEqual({
      words: "The call may cost more than the key's whole budget per day allows, so waiting does not help.",
      endsAt: null,
    });
    purse.reserve(0.75e8);
    expect(purse.refusing(0.5e8)).toEqual({
      words: "Of the key's budget per day, $0.75 is set aside for other calls. Ask again in a moment.",
      endsAt: clock.now() + SHARE_MS,
    });
    purse.settle(0.75e8, { microcents: 0.75e8, basis: "reported" });
    expect(purse.refusing(0.5e8)).toMatchObject({ endsAt: tomorrow });
    await ledger.close(clock.now());
  });
});
