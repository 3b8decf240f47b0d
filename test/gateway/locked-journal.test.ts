// A ledger whose journal cannot be written for a while, because another process holds SQLite's lock or answers are lost: every line is in it
// afterwards, in order and once, and a gateway that stops meanwhile says what it could not write.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { decide, DEFAULT_POLICY, fault, situation } from "../../src/core/index.ts";
import type { JournalEvent } from "../../src/core/record/event.ts";
import { KeyAccount } from "../../src/gateway/key/key-account.ts";
import { Ledger } from "../../src/gateway/ledger/ledger.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { usageOfDays } from "../../src/gateway/ledger/usage.ts";
import { systemClock } from "../../src/host/clock.ts";
import { createMemoryJournal, type Journal, openJournal } from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";

const START_AT = Date.parse("2026-11-18T12:00:00Z");
const COST = 7;

const KEEP = { prompts: true, answers: false, forDays: 1 };

function failureOf(call: string): JournalEvent {
  const met = fault("ShapeInvalid", { message: "not what was asked for" });
  const decision = decide(situation(met), DEFAULT_POLICY);
  const at = { call, tool: "one/m", attempt: 1, durationMs: 1, cost: null };
  return { type: "call-failed", ...at, fault: met, decision, breaker: "closed" };
}

interface World {
  readonly clock: FakeClock;
  readonly ledger: Ledger;
  readonly warnings: readonly string[];
  /** So many calls, one after another. */
  call(times: number): void;
  /** What the journal has: the calls of the ledger from the first to the last, their number in the sums, and what was spent. */
  written(): Promise<{ readonly calls: readonly string[]; readonly counted: number; readonly spent: number }>;
  /** Of which calls it has the failure, and of which the prompt. */
  besides(): Promise<{ readonly failed: readonly string[]; readonly kept: readonly string[] }>;
}

function worldOn(journal: Journal, clock: FakeClock): World {
  const warnings: string[] = [];
  const ledger = new Ledger({
    journal,
    clock,
    owner: "gw_1",
    suppress: (_fault, reason) => void warnings.push(reason),
    scrub: (text) => text,
    onJournal: () => undefined,
  });
  const account = new KeyAccount("ci", { hour: null, day: 1_000_000, month: null }, clock, () => undefined);
  let calls = 0;
  return {
    clock,
    ledger,
    warnings,
    call(times) {
      for (let index = 0; index < times; index++) {
        account.book(COST);
        const call = `call_${++calls}`;
        const asked = { call, at: clock.now(), tookMs: 1, key: "ci", route: "*", dialect: "openai-chat", model: "m" };
        const told = { target: "one/m", attempts: 1, status: "done", code: null, microcents: COST, isExact: true };
        const line = { ...asked, ...told, omitted: [], decisions: [] };
        const transcript = { prompt: `the prompt of ${call}`, answer: null };
        ledger.add(line, account, [{ at: clock.now(), event: failureOf(call) }], { rule: KEEP, transcript });
      }
    },
    async besides() {
      const failed: string[] = [];
      for (const { session } of await journal.sessions())
        for await (const { event } of journal.read(session)) if (event.type === "call-failed") failed.push(event.call);
      const kept = await journal.keptByTime("transcript", { order: "oldest", limit: 20_000 });
      return { failed, kept: kept.map(({ key }) => key) };
    },
    async written() {
      const lines = await ledgerOf(journal, 20_000);
      const usage = await usageOfDays(journal, 1, clock.now());
      const spend = (await journal.keptAll("spend", "ci/day")).map(({ value }) => value as { microcents: number });
      return {
        calls: lines.map(({ call }) => call).toReversed(),
        counted: usage.reduce((sum, one) => sum + one.calls, 0),
        spent: spend.reduce((sum, { microcents }) => sum + microcents, 0),
      };
    },
  };
}

function callsTo(last: number): readonly string[] {
  return Array.from({ length: last }, (_none, index) => `call_${index + 1}`);
}

async function lockable(): Promise<World & { lock(): void; unlock(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-locked-"));
  const file = join(folder, "journal.db");
  const clock = createFakeClock(START_AT, (next) => systemClock.soon(next));
  const journal = await openJournal(file, { clock, onWarning: () => undefined });
  const other = new DatabaseSync(file);
  onTestFinished(async () => {
    other.close();
    await journal.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ...worldOn(journal, clock),
    lock: () => other.exec("BEGIN IMMEDIATE"),
    unlock: () => other.exec("COMMIT"),
  };
}

it.each([1_500, 8_000])(
  "writes every line in order after another process held the lock for %i ms",
  async (lockedMs) => {
    const world = await lockable();
    world.call(3);
    await world.clock.advance(1_000);
    world.lock();
    world.call(2);
    await world.clock.advance(lockedMs / 2);
    world.call(3);
    await world.clock.advance(lockedMs / 2);
    expect((await world.written()).calls).toEqual(callsTo(3));
    world.unlock();
    // Without a further call.
    await world.clock.advance(5_000);
    expect(await world.written()).toEqual({ calls: callsTo(8), counted: 8, spent: 8 * COST });
    expect(await world.besides()).toEqual({ failed: callsTo(8), kept: callsTo(8) });
    expect(new Set(world.warnings)).toEqual(
      new Set(["the gateway writes its ledger and what clients have spent again soon"]),
    );
  },
);

it.each([700, 1_500, 4_000])("stops with every line written if the lock ends %i ms later", async (lockedMs) => {
  const world = await lockable();
  world.lock();
  world.call(5);
  world.clock.after(lockedMs, () => world.unlock());
  await world.clock.runUntil(world.ledger.close(world.clock.now() + 5_000));
  expect(await world.written()).toEqual({ calls: callsTo(5), counted: 5, spent: 5 * COST });
  expect(await world.besides()).toEqual({ failed: callsTo(5), kept: callsTo(5) });
});

it("says what is not written if the lock outlasts its time to stop, and leaves no timer", async () => {
  const world = await lockable();
  world.lock();
  const before = world.clock.pending;
  world.call(5);
  const closing = world.ledger.close(world.clock.now() + 5_000);
  await expect(world.clock.runUntil(closing)).rejects.toThrow(
    "Missing lines of the ledger: 5; clients' spending: 1; failed calls: 5; kept prompts and answers: 5",
  );
  expect(world.clock.pending).toBe(before);
  world.unlock();
});

/** A journal that, while `isLost`, writes what it gets about calls, but whose answer does not arrive. */
function withLostAnswers(journal: Journal, isLost: () => boolean): Journal {
  const lost = async <T>(work: Promise<T>): Promise<T> => {
    const value = await work;
    if (isLost()) throw new Error("the connection was lost");
    return value;
  };
  return new Proxy(journal, {
    get(target, name) {
      if (name === "keep") return (...given: Parameters<Journal["keep"]>) => lost(target.keep(...given));
      if (name === "append") return (...given: Parameters<Journal["append"]>) => lost(target.append(...given));
      if (name === "changeKept")
        return (...given: Parameters<Journal["changeKept"]>) =>
          given[0] === "usage" ? lost(target.changeKept(...given)) : target.changeKept(...given);
      return Reflect.get(target, name, target) as unknown;
    },
  });
}

it("counts no line twice when it was written and only the answer was lost", async () => {
  let isLost = true;
  const clock = createFakeClock(START_AT);
  const world = worldOn(
    withLostAnswers(createMemoryJournal(), () => isLost),
    clock,
  );
  world.call(2);
  await clock.advance(3_000);
  world.call(3);
  await clock.advance(3_000);
  isLost = false;
  await clock.advance(3_000);
  world.call(1);
  await clock.advance(3_000);
  expect(await world.written()).toEqual({ calls: callsTo(6), counted: 6, spent: 6 * COST });
  expect(await world.besides()).toEqual({ failed: callsTo(6), kept: callsTo(6) });
});

it("keeps 10,000 lines for a journal that stays locked, and says how many it dropped", async () => {
  const world = await lockable();
  world.lock();
  world.call(6_000);
  await world.clock.advance(1_000);
  world.call(6_000);
  await world.clock.advance(1_000);
  world.unlock();
  await world.clock.advance(5_000);
  const { calls, counted, spent } = await world.written();
  expect(calls).toEqual(callsTo(10_000));
  expect({ counted, spent }).toEqual({ counted: 10_000, spent: 12_000 * COST });
  expect(world.warnings.filter((one) => one.includes("without"))).toEqual([
    "the gateway continues without 2000 lines in its ledger",
  ]);
});
