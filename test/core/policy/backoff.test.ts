// Waits grow and spread as configured, and stay finite for any attempt.

import fc from "fast-check";
import { expect, it } from "vitest";
import { baseDelayMs, delayBounds, delayMs, schedule, type Retry } from "../../../src/core/index.ts";

const backoff = fc.record({
  kind: fc.constantFrom("fixed", "linear", "exponential"),
  initialMs: fc.nat(100_000),
  maxMs: fc.nat(1_000_000),
  multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
});
const retry: fc.Arbitrary<Retry> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 20 }),
  backoff,
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  maxWaitMs: fc.nat(1_000_000),
  maxTotalWaitMs: fc.nat(10_000_000),
});
const SHORT: Retry = {
  maxAttempts: 2,
  backoff: { kind: "exponential", initialMs: 100, maxMs: 5000, multiplier: 2 },
  jitter: 0,
  maxWaitMs: 5000,
  maxTotalWaitMs: 5000,
};
const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it.each([
  ["fixed", [100, 100, 100]],
  ["linear", [100, 200, 300]],
  ["exponential", [100, 300, 900]],
] as const)("%s", (kind, expected) => {
  expect(
    [2, 3, 4].map((attempt) => baseDelayMs({ kind, initialMs: 100, maxMs: 5000, multiplier: 3 }, attempt)),
  ).toEqual(expected);
});

it("never waits longer than the cap, less than 0, or forever", () => {
  fc.assert(
    fc.property(backoff, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (rule, attempt) => {
      const ms = baseDelayMs(rule, attempt);
      expect(Number.isFinite(ms) && ms >= 0 && ms <= rule.maxMs).toBe(true);
    }),
  );
});

it("stays within the bounds it announces, for every roll", () => {
  fc.assert(
    fc.property(retry, fc.integer({ min: 2, max: 50 }), roll, (rule, attempt, chance) => {
      const { minMs, maxMs } = delayBounds(rule, attempt);
      const ms = delayMs(rule, attempt, chance);
      expect(ms).toBeGreaterThanOrEqual(minMs);
      expect(ms).toBeLessThanOrEqual(maxMs);
    }),
  );
});

it("never grows shorter from one attempt to the next", () => {
  fc.assert(
    fc.property(retry, (rule) => {
      const waits = schedule(rule).map(({ baseMs }) => baseMs);
      expect(waits).toEqual(waits.toSorted((a, b) => a - b));
      expect(waits).toHaveLength(rule.maxAttempts - 1);
    }),
  );
});

it.each([
  ["the lowest roll", 0, 50],
  ["a roll in the middle", 0.25, 75],
  ["the highest roll", 0.999, 150],
  ["a roll that is too high", 1, 100],
  ["a roll below zero", -0.1, 100],
  ["no number at all", Number.NaN, 100],
])("waits its share between the bounds: %s", (_what, chance, expected) => {
  expect(delayMs({ ...SHORT, jitter: 0.5 }, 2, chance)).toBe(expected);
});

it("adds up the waits of a schedule, and marks those that no attempt can follow", () => {
  const rows = schedule({ ...SHORT, maxAttempts: 4, jitter: 0.5, maxWaitMs: 100, maxTotalWaitMs: 150 });
  expect(rows).toEqual([
    { attempt: 2, baseMs: 100, minMs: 50, maxMs: 150, totalMaxMs: 150, reachable: true },
    { attempt: 3, baseMs: 200, minMs: 100, maxMs: 300, totalMaxMs: 450, reachable: true },
    { attempt: 4, baseMs: 400, minMs: 200, maxMs: 600, totalMaxMs: 1050, reachable: false },
  ]);
});
