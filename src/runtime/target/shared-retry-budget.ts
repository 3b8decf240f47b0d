// The retry budget of one provider. Processes of a journal merge what each has earned and spent.

import {
  borrow,
  type BudgetUse,
  earn,
  fullBudget,
  type RetryBudget,
  spend,
  useBudget,
} from "../../core/decide/retry-budget.ts";
import type { RetryBudgetRule } from "../../core/policy/policy.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";

/** The retry budget all calls to one provider share, in all processes of the journal. */
export class SharedRetryBudget {
  readonly provider: string;
  readonly #rule: RetryBudgetRule;
  readonly #clock: Clock;
  readonly #spent: (budget: SharedRetryBudget) => void;
  /** In steady time: it fills at its pace, however the wall clock is set. */
  #budget: RetryBudget;
  /** What this process has earned and spent since it last wrote the shared budget. */
  #unsharedEarned = 0;
  #unsharedSpent = 0;

  constructor(provider: string, rule: RetryBudgetRule, clock: Clock, spent: (budget: SharedRetryBudget) => void) {
    this.provider = provider;
    this.#rule = rule;
    this.#clock = clock;
    this.#spent = spent;
    this.#budget = fullBudget(rule, steadyNow(clock));
  }

  /** The registry dropped it: holders must look it up again. */
  evicted = false;

  get isFull(): boolean {
    return this.#budget.tokens >= this.#rule.capacity;
  }

  get budget(): RetryBudget {
    return this.#budget;
  }

  earn(now: number): void {
    const before = this.#budget;
    this.#budget = earn(before, this.#rule, now - this.#clock.shiftMs);
    // Written with the next retry: a call that succeeds writes nothing.
    if (this.#budget !== before) this.#unsharedEarned += 1;
  }

  canSpend(now: number): boolean {
    return spend(this.#budget, this.#rule, now - this.#clock.shiftMs) !== null;
  }

  /** Called when a retry is decided, before its wait: the budget must see a retry storm before it breaks out. */
  spend(now: number): void {
    this.#budget = borrow(this.#budget, this.#rule, now - this.#clock.shiftMs);
    this.#unsharedSpent += 1;
    this.#spent(this);
  }

  /** Takes what is not in the shared budget yet; call `putBack` if the write fails. */
  takeUnshared(): BudgetUse {
    const taken = { earned: this.#unsharedEarned, spent: this.#unsharedSpent };
    this.#unsharedEarned = 0;
    this.#unsharedSpent = 0;
    return taken;
  }

  putBack({ earned, spent }: BudgetUse): void {
    this.#unsharedEarned += earned;
    this.#unsharedSpent += spent;
  }

  /** The shared budget after this use, in wall-clock time. */
  use(shared: RetryBudget | null, used: BudgetUse): RetryBudget {
    return useBudget(shared, this.#rule, used, this.#clock.now());
  }

  /** Replaces the budget with the shared one, less what is not shared yet. */
  learn(shared: RetryBudget): void {
    const { tokens, at } = this.use(shared, { earned: this.#unsharedEarned, spent: this.#unsharedSpent });
    this.#budget = { tokens, at: at - this.#clock.shiftMs };
  }
}
