// Money as it is spent: reserved before an attempt goes out, booked when it has ended, however it ended.
// M1  what is booked is the sum over all attempts, failed, cut and abandoned ones included.
// M2  attempts that run at the same time see each other's reservations, so together they do not pass the limit either.

import {
  book,
  type BudgetRule,
  checkBudget,
  type Cost,
  NOTHING_SPENT,
  rebook,
  type Spending,
  UNPRICED,
} from "../../core/flow/money.ts";

export class Budget {
  readonly rule: BudgetRule;
  private spent: Spending;
  private reserved = 0;
  private warned: boolean;

  constructor(rule: BudgetRule, spending: Spending = NOTHING_SPENT, warned = false) {
    this.rule = rule;
    this.spent = spending;
    this.warned = warned;
  }

  get spending(): Spending {
    return this.spent;
  }

  /** There is a limit, so that what an attempt may cost has to be known before it goes out. */
  get isBounded(): boolean {
    return this.rule.maxCostMicrocents !== 0;
  }

  get reservedMicrocents(): number {
    return this.reserved;
  }

  /** Whether an attempt that may cost this much may go out. An unknown estimate counts as nothing, and is marked when booked. */
  exceeds(estimateMicrocents: number | null): boolean {
    return checkBudget(this.rule, this.spent.microcents, this.reserved, estimateMicrocents ?? 0).exceeds;
  }

  /** True once: when the share at which a warning is due is reached. */
  shouldWarn(estimateMicrocents: number | null): boolean {
    if (this.warned) return false;
    const { warns } = checkBudget(this.rule, this.spent.microcents, this.reserved, estimateMicrocents ?? 0);
    this.warned = warns;
    return warns;
  }

  reserve(estimateMicrocents: number | null): void {
    this.reserved += estimateMicrocents ?? 0;
  }

  /** Ends a reservation and books what it came to. */
  settle(estimateMicrocents: number | null, cost: Cost | null): void {
    this.reserved -= estimateMicrocents ?? 0;
    this.spent = book(this.spent, cost);
  }

  /** Something that came to light later, in place of what was booked before. */
  rebook(before: Cost | null, after: Cost | null): void {
    this.spent = rebook(this.spent, before, after);
  }
}

/** What an attempt cost: what was reported, else what was estimated, else that nobody knows. null for tools that cost nothing. */
export function costOf(
  isPriced: boolean,
  said: number | null,
  estimate: number | null,
  basis: "reported" | "estimated" = "reported",
): Cost | null {
  if (said !== null) return { microcents: said, basis };
  if (!isPriced) return null;
  return estimate === null ? UNPRICED : { microcents: estimate, basis: "estimated" };
}
