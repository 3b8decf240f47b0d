// What an attempt may cost: checked against the budget before it is sent, and again while it reports its cost.

import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Attempt } from "./attempt.ts";
import type { LiveCall } from "./live-call.ts";

/** Refuses an attempt that the budget cannot pay for. */
export function passBudget(run: LiveCall, estimateMicrocents: number | null): Fault | null {
  const { budget } = run.request;
  const { rule, spentMicrocents, reservedMicrocents } = budget;
  if (rule.maxCostMicrocents === 0 || !run.binding.costs) return null;
  const { maxCostMicrocents } = rule;
  if (budget.shouldWarn(estimateMicrocents)) {
    run.record.aside({ type: "budget-warned", spentMicrocents, maxCostMicrocents });
  }
  // A tool without an estimate is stopped once the budget is spent.
  const isSpent = estimateMicrocents === null && spentMicrocents >= maxCostMicrocents;
  if (rule.onExceed === "warn" || !(isSpent || budget.exceeds(estimateMicrocents))) return null;
  const estimate = estimateMicrocents ?? 0;
  const facts = {
    spentMicrocents,
    reservedMicrocents,
    estimateMicrocents: estimate,
    maxCostMicrocents,
  };
  run.record.aside({ type: "budget-exceeded", call: run.call, ...facts });
  return fault("BudgetExceeded", {
    message: `this attempt may cost ${estimate} micro-cents; ${spentMicrocents} of ${maxCostMicrocents} are spent`,
    context: { limit: maxCostMicrocents, spent: spentMicrocents, estimate },
  });
}

/**
 * An attempt that costs more than was reserved takes the difference from the rest of the budget while there is any. An attempt
 * that a person approved may continue beyond it.
 */
export function meterAttempt(run: LiveCall, attempt: Attempt, microcents: number): Fault | null {
  const { budget } = run.request;
  const { rule, spentMicrocents, reservedMicrocents } = budget;
  const more = microcents - (attempt.reserved ?? 0);
  const { maxCostMicrocents } = rule;
  if (budget.shouldWarn(more)) {
    run.record.aside({ type: "budget-warned", spentMicrocents, maxCostMicrocents });
  }
  if (rule.onExceed === "warn" || run.record.mayOverspend || !budget.exceeds(more)) {
    budget.reserve(more);
    attempt.reserved = microcents;
    return null;
  }
  const facts = { spentMicrocents, reservedMicrocents, estimateMicrocents: more };
  run.record.aside({ type: "budget-exceeded", call: run.call, ...facts, maxCostMicrocents });
  return fault("BudgetExceeded", {
    message: `this attempt has cost ${microcents} micro-cents so far and was stopped; ${spentMicrocents} of ${maxCostMicrocents} were spent before it`,
    context: { limit: maxCostMicrocents, spent: spentMicrocents, estimate: microcents, ran: true },
  });
}

/** A person has let the next attempt past the budget. */
export function isMoneyApproved({ record }: LiveCall): boolean {
  const { approved, fault: about } = record.state;
  return approved && about !== null && traitsOf(about.code).cause === "budget-exceeded";
}
