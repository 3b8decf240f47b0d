// All targets and retry budgets a runtime knows, with eviction: names may come from a model, so their number is bounded.
// Breakers, pauses and retry budgets are shared with the other processes of the journal (shared-state.ts).

import {
  borrow,
  type Breaker,
  type BreakerState,
  type BudgetUse,
  earn,
  fullBudget,
  isolate,
  letProbe,
  mergeBreakers,
  mergePauses,
  type Pause,
  release,
  type RetryBudget,
  spend,
  useBudget,
} from "../../core/decide/breaker.ts";
import type { RetryBudgetRule } from "../../core/policy/policy.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import { LiveTarget, mergeSettings, settledRule, SharedPause, type TargetKind, type TargetSettings } from "./target.ts";
import type { FailureDomains } from "../../core/decide/fallback.ts";

interface TargetsOptions {
  /** The settings of a target for which no tool sets any. */
  readonly defaults: TargetSettings;
  readonly retryBudget: RetryBudgetRule;
  readonly maxTargets: number;
  readonly clock: Clock;
  readonly changed: (target: LiveTarget, from: BreakerState) => void;
  readonly paused: (pause: SharedPause) => void;
  /** A retry was taken from the budget. */
  readonly spent: (budget: SharedRetryBudget) => void;
  /** The target was evicted: this process forgets what it knew of it. */
  readonly evicted: (target: LiveTarget) => void;
}

export class Targets {
  readonly #options: TargetsOptions;
  readonly #targets = new Map<string, LiveTarget>();
  readonly #retryBudgets = new Map<string, SharedRetryBudget>();
  readonly #accounts = new Map<string, SharedPause>();
  /** What the journal says about targets, pauses and retry budgets that were not used here yet. */
  readonly #restored = new Map<string, Breaker>();
  readonly #restoredPauses = new Map<string, Pause>();
  readonly #restoredBudgets = new Map<string, RetryBudget>();
  /** Created by an operator's command, before any tool has declared settings. */
  readonly #byHand = new Set<string>();

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** Merges a breaker that an earlier or another process has kept in the journal. */
  learnBreaker(id: string, breaker: Breaker): void {
    const live = this.#targets.get(id);
    if (live !== undefined) live.learn(breaker);
    else this.#remember(this.#restored, id, breaker, mergeBreakers);
  }

  learnPause(key: string, pause: Pause): void {
    const live = key.startsWith(ACCOUNT)
      ? this.#accounts.get(key.slice(ACCOUNT.length))
      : this.#targets.get(key.slice(TARGET.length))?.ownPause;
    if (live !== undefined) live.learn(pause);
    else this.#remember(this.#restoredPauses, key, pause, mergePauses);
  }

  learnBudget(id: string, budget: RetryBudget): void {
    const live = this.#retryBudgets.get(id);
    if (live !== undefined) live.learn(budget);
    else this.#remember(this.#restoredBudgets, id, budget, (_, newer) => newer);
  }

  #remember<T>(known: Map<string, T>, key: string, value: T, merge: (own: T, other: T) => T): void {
    const before = known.get(key);
    if (before !== undefined) known.set(key, merge(before, value));
    else if (known.size < this.#options.maxTargets) known.set(key, value);
  }

  #pause(key: string): SharedPause {
    const pause = new SharedPause(key, this.#restoredPauses.get(key) ?? null, this.#options.paused);
    this.#restoredPauses.delete(key);
    return pause;
  }

  /** The target of that name, with the strictest settings of all tools that use it. `account`: see `accountKey`. */
  get(id: string, asked: TargetSettings, account = "", kind: TargetKind | null = null): LiveTarget {
    const { changed, defaults } = this.#options;
    const settings = { ...asked, rule: settledRule(asked.rule) };
    let target = this.#targets.get(id);
    if (target === undefined) {
      const now = this.#options.clock.now();
      this.#evict(now);
      const breaker = this.#restored.get(id) ?? null;
      const ownPause = this.#pause(`${TARGET}${id}`);
      target = new LiveTarget(id, { ...settings, changed }, breaker, ownPause, this.#accountPause(account, now));
      target.usedAt = now;
      this.#restored.delete(id);
      this.#targets.set(id, target);
    } else if (this.#byHand.delete(id)) target.configure({ ...settings, changed });
    else target.configure({ ...mergeSettings(target.settings, settings, defaults), changed });
    target.kind ??= kind;
    return target;
  }

  #accountPause(key: string, now: number): SharedPause | null {
    if (key === "") return null;
    let pause = this.#accounts.get(key);
    if (pause !== undefined) return pause;
    if (this.#accounts.size >= this.#options.maxTargets) this.#dropIdleAccounts(now);
    pause = this.#pause(`${ACCOUNT}${key}`);
    this.#accounts.set(key, pause);
    return pause;
  }

  /** A pause that a target holds stays: the account's next target must share it. */
  #dropIdleAccounts(now: number): void {
    const held = new Set([...this.#targets.values()].map(({ accountPause }) => accountPause));
    for (const [key, pause] of this.#accounts) {
      if (pause.until <= now && !held.has(pause)) this.#accounts.delete(key);
    }
  }

  #getByHand(id: string, settings: TargetSettings): LiveTarget {
    const known = this.#targets.get(id);
    if (known !== undefined) return known;
    const made = this.get(id, settings);
    this.#byHand.add(id);
    return made;
  }

  retryBudget(provider: string): SharedRetryBudget {
    let budget = this.#retryBudgets.get(provider);
    if (budget === undefined) {
      if (this.#retryBudgets.size >= this.#options.maxTargets) this.#dropRetryBudget();
      const { retryBudget, clock, spent } = this.#options;
      budget = new SharedRetryBudget(provider, retryBudget, clock, spent);
      const restored = this.#restoredBudgets.get(provider);
      if (restored !== undefined) budget.learn(restored);
      this.#restoredBudgets.delete(provider);
      this.#retryBudgets.set(provider, budget);
    }
    return budget;
  }

  /** The wall clock was set by `byMs`: durations that are running keep their length. */
  move(byMs: number): void {
    for (const target of this.#targets.values()) target.move(byMs);
    for (const pause of this.#accounts.values()) pause.move(byMs);
  }

  /** This process has used it, or the journal has it. */
  knows(id: string): boolean {
    return this.#targets.has(id) || this.#restored.has(id) || this.#restoredPauses.has(`${TARGET}${id}`);
  }

  list(): readonly LiveTarget[] {
    return [...this.#targets.values()];
  }

  /** Targets that this process has not used, as the journal knows them; of some it knows only a pause. */
  *remembered(): Iterable<{ readonly id: string; readonly breaker: Breaker | null; readonly pause: Pause | null }> {
    for (const [id, breaker] of this.#restored) {
      yield { id, breaker, pause: this.#restoredPauses.get(`${TARGET}${id}`) ?? null };
    }
    for (const [key, pause] of this.#restoredPauses) {
      const id = key.slice(TARGET.length);
      if (key.startsWith(TARGET) && !this.#restored.has(id)) yield { id, breaker: null, pause };
    }
  }

  /** Out of service until released; also before the target was ever used. */
  isolate(id: string, reason: string, now: number, settings: TargetSettings): void {
    const target = this.#getByHand(id, settings);
    target.replace(isolate(target.breaker, reason, now));
  }

  /** Back into service, and no longer paused. */
  release(id: string, now: number, settings: TargetSettings): void {
    const target = this.#getByHand(id, settings);
    target.replace(release(target.breaker, now));
    target.ownPause.lift(now);
    target.accountPause.lift(now);
  }

  /** The next call goes out as a probe. */
  probe(id: string, now: number, settings: TargetSettings): void {
    const target = this.#getByHand(id, settings);
    target.replace(letProbe(target.breaker, now));
  }

  /**
   * Evicts idle targets, least recently used first, and targets that have failed only when there are no others. One
   * that is broken, busy or paused always stays.
   */
  #evict(now: number): void {
    if (this.#targets.size < this.#options.maxTargets) return;
    const quiet = [...this.#targets.values()].filter((target) => target.isQuiet(now));
    const well = quiet.filter(({ hasFailures }) => !hasFailures);
    const candidates = (well.length > 0 ? well : quiet).sort((a, b) => a.usedAt - b.usedAt);
    for (const target of candidates.slice(0, Math.max(1, Math.ceil(this.#options.maxTargets / 10)))) {
      target.evicted = true;
      this.#targets.delete(target.id);
      this.#byHand.delete(target.id);
      this.#options.evicted(target);
    }
  }

  /** Drops a full budget, because a new one starts full, too; else the oldest. */
  #dropRetryBudget(): void {
    const all = [...this.#retryBudgets];
    const [provider, budget] = all.find(([, { isFull }]) => isFull) ?? all[0] ?? [];
    if (provider === undefined || budget === undefined) return;
    budget.evicted = true;
    this.#retryBudgets.delete(provider);
  }
}

/** The prefixes of the keys of kept pauses. */
const TARGET = "target/";
const ACCOUNT = "account/";

// The keys of shared state. A key names everything that can fail together, and contains no secret.

/** `gpt-5@openai+https://api.openai.com#team-a` */
export function targetKey({ endpoint, account, model }: FailureDomains): string {
  return `${model}@${endpoint}#${account}`;
}

/** The model in such a key; null for the name of a tool. */
export function modelInKey(key: string): string | null {
  return /^(.+)@[^@]+#[^#]*$/.exec(key)?.[1] ?? null;
}

const ONCE = " only for ";

/** A name for the account that only one attempt uses, so that no pause and no breaker of earlier calls applies to it. */
export function accountOnce(account: string, attempt: string): string {
  return `${account}${ONCE}${attempt}`;
}

/** The key without the attempt that `accountOnce` added. */
export function lastingKey(key: string): string {
  const at = key.lastIndexOf(ONCE);
  return at < 0 ? key : key.slice(0, at);
}

/** The name under which the targets of one credential share a pause. */
export function accountKey({ endpoint, account }: FailureDomains): string {
  return `${endpoint}#${account}`;
}

// The retry budget of one provider. Processes of a journal merge what each has earned and spent.

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
