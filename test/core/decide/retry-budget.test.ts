// When everything fails, retries stay a fixed share of the calls.

import fc from "fast-check";
import { expect, it } from "vitest";
import { borrow } from "../../../src/core/decide/breaker.ts";
import { earn, fullBudget, spend, type RetryBudgetRule } from "../../../src/core/index.ts";

const RULE: RetryBudgetRule = { capacity: 10, perCall: 0.2, perSecond: 0 };

it("allows the saved ones at once and then one retry per five calls", () => {
  let budget = fullBudget(RULE, 0);
  let retries = 0;
  for (let call = 0; call < 1000; call++) {
    budget = earn(budget, RULE, 0);
    const after = spend(budget, RULE, 0);
    if (after !== null) {
      retries++;
      budget = after;
    }
  }
  expect(retries).toBeGreaterThanOrEqual(200);
  expect(retries).toBeLessThanOrEqual(212);
});

it("fills with time, never above its capacity, and a clock that goes back changes nothing", () => {
  const trickle = { ...RULE, perSecond: 2 };
  const empty = { tokens: 0, at: 10_000 };
  expect(spend(empty, trickle, 10_100)).toBeNull();
  expect(spend(empty, trickle, 10_500)?.tokens).toBe(0);
  expect(earn(empty, trickle, 1e9).tokens).toBe(10);
  expect(earn(empty, trickle, 5_000)).toEqual({ tokens: 0.2, at: 10_000 });
});

it("lets a schedule that has begun borrow, up to its capacity, and refuses until that is earned back", () => {
  let budget = fullBudget(RULE, 0);
  for (let retry = 0; retry < 100; retry++) budget = borrow(budget, RULE, 0);
  expect(budget.tokens).toBe(-RULE.capacity);
  for (let call = 0; call < 54; call++) budget = earn(budget, RULE, 0);
  expect(spend(budget, RULE, 0)).toBeNull();
  for (let call = 0; call < 2; call++) budget = earn(budget, RULE, 0);
  expect(spend(budget, RULE, 0)).not.toBeNull();
});

it("never goes below zero or above its capacity", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(5000)), { maxLength: 100 }), (moves) => {
      let budget = fullBudget(RULE, 0);
      let now = 0;
      for (const [spends, ms] of moves) {
        now += ms;
        budget = spends ? (spend(budget, RULE, now) ?? budget) : earn(budget, RULE, now);
        expect(budget.tokens).toBeGreaterThanOrEqual(0);
        expect(budget.tokens).toBeLessThanOrEqual(RULE.capacity);
      }
    }),
  );
});
