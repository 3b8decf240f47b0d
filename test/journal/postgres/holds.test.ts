// Holds in PostgreSQL are kept by the server's clock, and answered by this process's. The database answers as scripted; a real one is in
// wrong-clock.test.ts.

import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import type { Database } from "../../../src/journal/postgres/database.ts";
import { createPostgresHolds, serverTime } from "../../../src/journal/postgres/holds.ts";

interface Asked {
  readonly sql: string;
  readonly values: readonly unknown[];
}

function holdsWith(
  offsetMs: number,
  answers: readonly object[],
): { readonly holds: ReturnType<typeof createPostgresHolds>; readonly asked: Asked[]; readonly measured: number[] } {
  const asked: Asked[] = [];
  const measured: number[] = [];
  const ask = (sql: string, values: readonly unknown[] = []): Promise<readonly object[]> => {
    asked.push({ sql, values });
    return Promise.resolve(answers);
  };
  const time = { offsetMs: () => offsetMs, measure: (_sentAt: number, now: number) => void measured.push(now) };
  const db = { ask, address: { secrets: [] } } as unknown as Database;
  return { holds: createPostgresHolds(db, time), asked, measured };
}

it.each([0, 5_000, -5_000])("moves every time by %i ms on its way, and back", async (offsetMs) => {
  const answer = { granted: true, owner: "me", now: 77 };
  const { holds, asked, measured } = holdsWith(offsetMs, [
    { ...answer, n: 1, until: 900 + offsetMs },
    { ...answer, n: 2, until: null, owner: null, granted: false },
  ]);
  const [held, released] = await Promise.all([holds.hold("k", "me", 900, 100), holds.release("k2", "me")]);
  expect(held).toEqual({ granted: true, owner: "me", until: 900 });
  expect(released).toBe(false);
  const [acts, keys, owners, untils, nows, from] = asked[0]?.values ?? [];
  expect([acts, keys, owners, from]).toEqual([
    ["hold", "let-go"],
    ["k", "k2"],
    ["me", "me"],
    ["", ""],
  ]);
  expect([untils, nows]).toEqual([
    [900 + offsetMs, offsetMs],
    [100 + offsetMs, offsetMs],
  ]);
  expect([asked.length, measured]).toEqual([1, [77]]);
});

it.each([0, 5_000, -5_000])("lists and removes holds by this process's clock, %i ms apart", async (offsetMs) => {
  const { holds, asked } = holdsWith(offsetMs, [{ key: "k", owner: "me", until: 900 + offsetMs }]);
  expect(await holds.holds()).toEqual([{ key: "k", granted: true, owner: "me", until: 900 }]);
  await holds.removeExpired(1_000);
  expect(asked.at(-1)?.values).toEqual([1_000 + offsetMs]);
});

describe("how far the server's clock is ahead", () => {
  const answering = (aheadMs: number): Database =>
    ({ ask: () => Promise.resolve([{ now: systemClock.now() + aheadMs }]) }) as unknown as Database;

  it.each([60_000, -60_000])("is measured with an answer: %i ms", async (aheadMs) => {
    const time = await serverTime(answering(aheadMs), systemClock);
    expect(Math.abs(time.offsetMs() - aheadMs)).toBeLessThan(1_000);
  });

  it("is nothing while it is less than a second, and for a clock that a program brought", async () => {
    expect((await serverTime(answering(900), systemClock)).offsetMs()).toBe(0);
    expect((await serverTime(answering(60_000), createFakeClock(1))).offsetMs()).toBe(0);
  });

  it("is not measured with an answer that took longer than a second", async () => {
    const time = await serverTime(answering(60_000), systemClock);
    time.measure(systemClock.now() - 5_000, systemClock.now());
    expect(Math.abs(time.offsetMs() - 60_000)).toBeLessThan(1_000);
  });
});
