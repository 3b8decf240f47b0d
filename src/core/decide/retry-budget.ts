// A token bucket for retries, shared by all calls to one target. Every call earns a little, every retry costs one, so
// when everything fails at once the extra load stays a fixed share instead of multiplying.

import type { RetryBudgetRule } from "../policy/policy.ts";

/** How many retries a target has left, as data. */
export interface RetryBudget {
  readonly tokens: number;
  readonly at: number;
}

/** A retry budget that nothing has been taken from. */
export function fullBudget(rule: RetryBudgetRule, now: number): RetryBudget {
  return { tokens: rule.capacity, at: now };
}

/** A first attempt goes out. */
export function earn(budget: RetryBudget, rule: RetryBudgetRule, now: number): RetryBudget {
  // A full budget stays full until something is spent.
  return budget.tokens === rule.capacity ? budget : add(budget, rule, now, rule.perCall);
}

/** A retry wants to go out: null when the bucket is empty. */
export function spend(budget: RetryBudget, rule: RetryBudgetRule, now: number): RetryBudget | null {
  const filled = add(budget, rule, now, 0);
  return filled.tokens < 1 ? null : { ...filled, tokens: filled.tokens - 1 };
}

/** A retry of a schedule that has begun is sent even if the budget is empty: the debt is earned back by later calls. */
export function borrow(budget: RetryBudget, rule: RetryBudgetRule, now: number): RetryBudget {
  const filled = add(budget, rule, now, 0);
  return { ...filled, tokens: Math.max(filled.tokens - 1, -rule.capacity) };
}

/** What one process has done since it last wrote the budget that all processes share. */
export interface BudgetUse {
  /** First attempts that went out. */
  readonly earned: number;
  /** Retries that went out. */
  readonly spent: number;
}

/**
 * The budget that processes share, after one of them used some of it; `shared` is null before anyone did. The uses of several
 * processes add up in any order, as long as the budget is neither full nor at its limit in between.
 */
export function useBudget(
  shared: RetryBudget | null,
  rule: RetryBudgetRule,
  { earned, spent }: BudgetUse,
  now: number,
): RetryBudget {
  const { tokens, at } = shared ?? fullBudget(rule, now);
  // A time in the future means that the clock was set back: the budget fills from now on.
  const filled = add({ tokens, at: Math.min(at, now) }, rule, now, earned * rule.perCall);
  return { ...filled, tokens: Math.max(filled.tokens - spent, -rule.capacity) };
}

/** A clock that went back adds nothing and takes nothing. */
function add({ tokens, at }: RetryBudget, rule: RetryBudgetRule, now: number, extra: number): RetryBudget {
  const seconds = Math.max(0, now - at) / 1000;
  return { tokens: Math.min(rule.capacity, tokens + seconds * rule.perSecond + extra), at: Math.max(at, now) };
}
