// Costs of attempts, in integer micro-cents (1e-8 dollars). An unknown price is marked, never counted as zero.

const MICROCENTS_PER_USD = 100_000_000;

/** Never 0 for a positive amount, because a limit of 0 means no limit. */
export function microcentsOf(usd: number): number {
  return usd > 0 ? Math.max(1, Math.round(usd * MICROCENTS_PER_USD)) : 0;
}

export function usdOf(microcents: number): number {
  return microcents / MICROCENTS_PER_USD;
}

/** `$0.0376`: two to four decimals; three digits of an amount below a cent. */
export function dollars(microcents: number): string {
  const usd = usdOf(microcents);
  const digits = usd === 0 || Math.abs(usd) >= 0.01 ? 4 : 2 - Math.floor(Math.log10(Math.abs(usd)));
  const [whole = "0", decimals = ""] = usd.toFixed(Math.min(8, digits)).split(".");
  return `$${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** Where the figure of a cost comes from. */
export type CostBasis =
  | "reported" //  the provider said so
  | "estimated" // counted here, from the request and the response
  | "unpriced"; // there is no price

/** What one attempt cost. */
export interface Cost {
  /** In micro-cents: 1 is 1e-8 US dollars. null when unpriced. */
  readonly microcents: number | null;
  readonly basis: CostBasis;
}

export const UNPRICED: Cost = Object.freeze({ microcents: null, basis: "unpriced" });

/** What a session, a turn or a tool has cost so far. */
export interface Spending {
  /** In micro-cents: 1 is 1e-8 US dollars. */
  readonly microcents: number;
  /** How much of it is estimated. */
  readonly estimatedMicrocents: number;
  /** Attempts without a price: their cost is missing from the sum. */
  readonly unpricedAttempts: number;
}

export const NOTHING_SPENT: Spending = Object.freeze({ microcents: 0, estimatedMicrocents: 0, unpricedAttempts: 0 });

export function book(spending: Spending, cost: Cost | null): Spending {
  if (cost === null) return spending;
  const { microcents, estimatedMicrocents, unpricedAttempts } = spending;
  if (cost.microcents === null) return { microcents, estimatedMicrocents, unpricedAttempts: unpricedAttempts + 1 };
  return {
    microcents: microcents + cost.microcents,
    estimatedMicrocents: estimatedMicrocents + (cost.basis === "estimated" ? cost.microcents : 0),
    unpricedAttempts,
  };
}

/** Replaces a booked cost by one that became known later. */
export function rebook(spending: Spending, before: Cost | null, after: Cost | null): Spending {
  return after === null ? spending : book(unbook(spending, before), after);
}

function unbook(spending: Spending, cost: Cost | null): Spending {
  if (cost === null) return spending;
  if (cost.microcents === null) return { ...spending, unpricedAttempts: spending.unpricedAttempts - 1 };
  return {
    ...spending,
    microcents: spending.microcents - cost.microcents,
    estimatedMicrocents: spending.estimatedMicrocents - (cost.basis === "estimated" ? cost.microcents : 0),
  };
}

export const ON_EXCEED = ["warn", "pause_for_approval", "fail"] as const;
/** What happens to an attempt that would pass a budget. */
export type OnExceed = (typeof ON_EXCEED)[number];

/** How much a session may spend, as a program says it. */
export interface BudgetOptions {
  /** The most the session may cost, in US dollars. Default: 0, which means no limit. */
  readonly maxUsd?: number;
  /** What happens to an attempt that would pass the limit. Default: `fail`. */
  readonly onExceed?: OnExceed;
  /** The share of the limit, in percent, at which the session records one warning. Default: 80. */
  readonly warnAtPercent?: number;
}

/** A budget as the runtime keeps it, in whole micro-cents (1e-8 US dollars). */
export interface BudgetRule {
  /** 0 means no limit. */
  readonly maxCostMicrocents: number;
  readonly onExceed: OnExceed;
  /** A warning is recorded once when this share of the budget is used. */
  readonly warnAtPercent: number;
}

export const NO_BUDGET: BudgetRule = Object.freeze({ maxCostMicrocents: 0, onExceed: "fail", warnAtPercent: 80 });

/** `base`, changed by the options of a program. */
export function budgetRule(base: BudgetRule, { maxUsd, onExceed, warnAtPercent }: BudgetOptions = {}): BudgetRule {
  return {
    maxCostMicrocents: maxUsd === undefined ? base.maxCostMicrocents : microcentsOf(maxUsd),
    onExceed: onExceed ?? base.onExceed,
    warnAtPercent: warnAtPercent ?? base.warnAtPercent,
  };
}

/** Whether the next attempt fits: money spent, money reserved by running attempts, and its own estimate. */
export function checkBudget(
  rule: BudgetRule,
  spentMicrocents: number,
  reservedMicrocents: number,
  estimateMicrocents: number,
): { readonly exceeds: boolean; readonly warns: boolean } {
  if (rule.maxCostMicrocents === 0) return { exceeds: false, warns: false };
  const after = spentMicrocents + reservedMicrocents + estimateMicrocents;
  return {
    exceeds: after > rule.maxCostMicrocents,
    warns: after * 100 >= rule.maxCostMicrocents * rule.warnAtPercent,
  };
}
