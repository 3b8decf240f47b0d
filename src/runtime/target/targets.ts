// All targets and providers a runtime knows, with eviction: names may come from a model, so their number is bounded.
// Breakers are kept in the journal: a restart does not forget that a provider is down.

import { type Breaker, type BreakerState, isolate, release } from "../../core/decide/breaker.ts";
import { borrow, earn, fullBudget, type RetryBudget, spend } from "../../core/decide/retry-budget.ts";
import type { RetryBudgetRule } from "../../core/policy/policy.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import { mergeSettings, settledRule, type TargetSettings } from "./merge-settings.ts";
import { LiveTarget, Pause } from "./target.ts";
import type { FailureDomains } from "../../core/decide/fallback.ts";

export interface TargetsOptions {
  /** How a target is treated about which no tool says anything. */
  readonly defaults: TargetSettings;
  readonly retryBudget: RetryBudgetRule;
  readonly maxTargets: number;
  readonly clock: Clock;
  readonly changed: (target: LiveTarget, from: BreakerState) => void;
  /** Nothing is remembered of it any more. */
  readonly evicted: (id: string) => void;
}

export class Targets {
  readonly #options: TargetsOptions;
  readonly #targets = new Map<string, LiveTarget>();
  readonly #providers = new Map<string, Provider>();
  readonly #accounts = new Map<string, Pause>();
  readonly #restored = new Map<string, Breaker>();
  /** Made for a person, before a tool said how its target is to be treated. */
  readonly #byHand = new Set<string>();

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** What the journal kept from an earlier life. */
  restore(id: string, breaker: Breaker): void {
    const known = this.#targets.get(id);
    if (known === undefined) {
      if (this.#restored.size < this.#options.maxTargets) this.#restored.set(id, breaker);
    } else if (known.breaker.generation === 0) known.replace(breaker);
  }

  /** The target of that name, treated as the strictest of all tools that asked for it says. `account`: see `accountKey`. */
  get(id: string, asked: TargetSettings, account = ""): LiveTarget {
    const { changed, defaults } = this.#options;
    const settings = { ...asked, rule: settledRule(asked.rule) };
    let target = this.#targets.get(id);
    if (target === undefined) {
      const now = this.#options.clock.now();
      this.#evict(now);
      const breaker = this.#restored.get(id) ?? null;
      target = new LiveTarget(id, { ...settings, changed }, breaker, this.#account(account, now));
      target.usedAt = now;
      this.#restored.delete(id);
      this.#targets.set(id, target);
    } else if (this.#byHand.delete(id)) target.treat({ ...settings, changed });
    else target.treat({ ...mergeSettings(target.settings, settings, defaults), changed });
    return target;
  }

  #account(key: string, now: number): Pause | null {
    if (key === "") return null;
    let pause = this.#accounts.get(key);
    if (pause !== undefined) return pause;
    if (this.#accounts.size >= this.#options.maxTargets) this.#dropIdleAccounts(now);
    pause = new Pause();
    this.#accounts.set(key, pause);
    return pause;
  }

  /** A pause that a target holds stays: the account's next target must share it. */
  #dropIdleAccounts(now: number): void {
    const held = new Set([...this.#targets.values()].map(({ account }) => account));
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

  provider(id: string): Provider {
    let provider = this.#providers.get(id);
    if (provider === undefined) {
      if (this.#providers.size >= this.#options.maxTargets) this.#dropProvider();
      provider = new Provider(this.#options.retryBudget, this.#options.clock);
      this.#providers.set(id, provider);
    }
    return provider;
  }

  /** The wall clock was set by `byMs`: durations that are running keep their length. */
  move(byMs: number): void {
    for (const target of this.#targets.values()) target.move(byMs);
    for (const pause of this.#accounts.values()) pause.move(byMs);
  }

  list(): readonly LiveTarget[] {
    return [...this.#targets.values()];
  }

  /** Out of service until released; also before the target was ever used. */
  isolate(id: string, reason: string, now: number, settings: TargetSettings): void {
    const target = this.#getByHand(id, settings);
    target.replace(isolate(target.breaker, reason, now));
  }

  release(id: string, settings: TargetSettings): void {
    const target = this.#getByHand(id, settings);
    target.replace(release(target.breaker));
  }

  /**
   * Evicts idle targets, least recently used first, and targets that have failed only when there are no others. One
   * that is broken, busy or paused always stays.
   */
  #evict(now: number): void {
    if (this.#targets.size < this.#options.maxTargets) return;
    const quiet = [...this.#targets.values()].filter((target) => target.isQuiet(now));
    const well = quiet.filter(({ hasFailures }) => !hasFailures);
    const going = (well.length > 0 ? well : quiet).sort((a, b) => a.usedAt - b.usedAt);
    for (const target of going.slice(0, Math.max(1, Math.ceil(this.#options.maxTargets / 10)))) {
      target.evicted = true;
      this.#targets.delete(target.id);
      this.#byHand.delete(target.id);
      this.#options.evicted(target.id);
    }
  }

  /** A provider whose budget is full has nothing to remember; else the oldest goes. */
  #dropProvider(): void {
    const all = [...this.#providers];
    const [id, provider] = all.find(([, { isFull }]) => isFull) ?? all[0] ?? [];
    if (id === undefined || provider === undefined) return;
    provider.evicted = true;
    this.#providers.delete(id);
  }
}

/** The retry budget all calls to one provider share. */
export class Provider {
  readonly #rule: RetryBudgetRule;
  readonly #clock: Clock;
  /** In steady time: it fills at its pace, however the wall clock is set. */
  #budget: RetryBudget;

  constructor(rule: RetryBudgetRule, clock: Clock) {
    this.#rule = rule;
    this.#clock = clock;
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
    this.#budget = earn(this.#budget, this.#rule, now - this.#clock.shiftMs);
  }

  canSpend(now: number): boolean {
    return spend(this.#budget, this.#rule, now - this.#clock.shiftMs) !== null;
  }

  /** A retry that waits counts already, so that a storm in the making is seen. */
  spend(now: number): void {
    this.#budget = borrow(this.#budget, this.#rule, now - this.#clock.shiftMs);
  }
}

// The name under which calls share a breaker, a pause and a queue: all that can fail together, and nothing secret.

/** `gpt-5@openai+https://api.openai.com#team-a` */
export function targetKey({ endpoint, account, model }: FailureDomains): string {
  return `${model}@${endpoint}#${account}`;
}

/** The name under which the targets of one credential share a pause. */
export function accountKey({ endpoint, account }: FailureDomains): string {
  return `${endpoint}#${account}`;
}
