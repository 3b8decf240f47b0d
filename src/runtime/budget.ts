// Money: reserved before an attempt is sent, booked when it has ended, however it ended.
// M1  The booked sum covers all attempts, including failed, cut and abandoned ones.
// M2  Attempts that run at the same time see each other's reservations, so together they stay within the limit.

import {
  type BudgetRule,
  checkBudget,
  type Cost,
  NOTHING_SPENT,
  rebook,
  type Spending,
  UNPRICED,
} from "../core/flow/money.ts";
import type { JournalEvent } from "../core/record/event.ts";

/** Who holds the sum: a session's state, which its journal's events change, or, outside sessions, the budget itself. */
export interface Account {
  spending: Spending;
}

/** What a call pays from. */
export interface Purse {
  readonly rule: BudgetRule;
  readonly spentMicrocents: number;
  readonly reservedMicrocents: number;
  /** There is a limit, so an attempt needs an estimate before it is sent. */
  readonly isBounded: boolean;
  /** Nothing has to be said about an attempt that may cost this much: it neither exceeds the limit nor triggers a warning. */
  isQuietAt(estimateMicrocents: number): boolean;
  /** Whether an attempt that may cost this much would exceed the limit. null: its cost is not known before, and is marked when booked. */
  exceeds(estimateMicrocents: number | null): boolean;
  /** Whether so much may be spent without asking other processes that share the limit. */
  covers(estimateMicrocents: number | null): boolean;
  /** Asks them. False: there is not enough, or they could not be asked. */
  cover(estimateMicrocents: number | null): Promise<boolean>;
  /** True once: when the share that triggers a warning is reached. */
  shouldWarn(estimateMicrocents: number | null): boolean;
  reserve(estimateMicrocents: number | null): void;
  /** Ends a reservation and books the actual cost. */
  settle(estimateMicrocents: number | null, cost: Cost | null): void;
  /** Books a cost that became known later, in place of what was booked before. */
  rebook(before: Cost | null, after: Cost | null): void;
}

/**
 * Waits until so much may be spent, or cannot be, and then lets the caller take it. Nothing may wait between the last look and `take`, not
 * even for the return of an async function: other calls would count on the same money.
 */
export async function whenCovered<T>(purse: Purse, estimateMicrocents: number | null, take: () => T): Promise<T> {
  let mayBeCovered = true;
  while (mayBeCovered && !purse.covers(estimateMicrocents)) mayBeCovered = await purse.cover(estimateMicrocents);
  return take();
}

export class Budget implements Purse {
  readonly rule: BudgetRule;
  private readonly account: Account;
  /** The account changes when the event that carries the cost is on disk; until then the cost is counted here. */
  private readonly isJournaled: boolean;
  private unwritten = 0;
  private reserved = 0;
  private warned: boolean;

  constructor(rule: BudgetRule, session: (Account & { readonly budgetWarned: boolean }) | null = null) {
    this.rule = rule;
    this.isJournaled = session !== null;
    this.account = session ?? { spending: NOTHING_SPENT };
    this.warned = session?.budgetWarned ?? false;
  }

  get spending(): Spending {
    return this.account.spending;
  }

  get spentMicrocents(): number {
    return this.account.spending.microcents + this.unwritten;
  }

  get isBounded(): boolean {
    return this.rule.maxCostMicrocents !== 0;
  }

  get reservedMicrocents(): number {
    return this.reserved;
  }

  isQuietAt(estimateMicrocents: number): boolean {
    const { exceeds, warns } = checkBudget(this.rule, this.spentMicrocents, this.reserved, estimateMicrocents);
    return !exceeds && (this.warned || !warns);
  }

  /** A tool without an estimate is stopped once the budget is spent. */
  exceeds(estimateMicrocents: number | null): boolean {
    const isSpent = this.isBounded && this.spentMicrocents >= this.rule.maxCostMicrocents;
    if (estimateMicrocents === null && isSpent) return true;
    return checkBudget(this.rule, this.spentMicrocents, this.reserved, estimateMicrocents ?? 0).exceeds;
  }

  /** A session's budget is its own: one process at a time advances it. */
  covers(): boolean {
    return true;
  }

  cover(): Promise<boolean> {
    return Promise.resolve(true);
  }

  shouldWarn(estimateMicrocents: number | null): boolean {
    if (this.warned) return false;
    const { warns } = checkBudget(this.rule, this.spentMicrocents, this.reserved, estimateMicrocents ?? 0);
    this.warned = warns;
    return warns;
  }

  reserve(estimateMicrocents: number | null): void {
    this.reserved += estimateMicrocents ?? 0;
  }

  settle(estimateMicrocents: number | null, cost: Cost | null): void {
    this.reserved -= estimateMicrocents ?? 0;
    if (cost !== null) this.rebook(null, cost);
  }

  rebook(before: Cost | null, after: Cost | null): void {
    if (this.isJournaled) this.unwritten += increaseBy(before, after);
    else this.account.spending = rebook(this.account.spending, before, after);
  }

  /** The event is on disk, and the account has taken its cost in. */
  written(event: JournalEvent): void {
    if ("cost" in event) this.unwritten -= increaseBy("booked" in event ? event.booked : null, event.cost);
  }
}

function increaseBy(before: Cost | null, after: Cost | null): number {
  return after === null ? 0 : (after.microcents ?? 0) - (before?.microcents ?? 0);
}

/** The cost of an attempt: as reported, else as estimated, else unknown. null for a tool that costs nothing. */
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
