// What a client's key has spent, in windows of an hour, a day and a month (UTC). Accounts outlive a reload of the settings.

import { checkBudget, type BudgetRule, type Cost, dollars, NO_BUDGET } from "../../core/flow/money.ts";
import type { Clock } from "../../host/clock.ts";
import type { Purse } from "../../runtime/budget.ts";
import type { SpendLimits } from "../config/settings.ts";
import {
  HELD_MS,
  heldByOthers,
  mayStartAlone,
  SHARE_MS,
  shareFor,
  type SharedSpend,
  type ShareRequest,
} from "./spend-share.ts";

export type WindowName = keyof SpendLimits;

export const WINDOW_NAMES = ["hour", "day", "month"] as const satisfies readonly WindowName[];

/** The start of the window that holds this moment. */
export function windowStart(name: WindowName, now: number): number {
  if (name !== "month") return now - (now % (name === "day" ? 24 * HOUR_MS : HOUR_MS));
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

interface Window {
  start: number;
  /** When it ends and the next one begins. */
  end: number;
  /** What all processes have written to the journal, as far as this one knows. */
  written: number;
  /** What this process has spent that is not in the journal yet. */
  unwritten: number;
  /** What this process has set aside in the journal: for what is not written yet, for running calls and for the next ones. */
  share: number;
  /** Until when the share is valid. */
  shareUntil: number;
  /** What other processes have set aside, as far as this one knows. */
  heldByOthers: number;
  warned: boolean;
}

function windowAt(name: WindowName, now: number): Window {
  const start = windowStart(name, now);
  const nothing = { written: 0, unwritten: 0, share: 0, shareUntil: 0, heldByOthers: 0 };
  return { start, end: windowStart(name, start + LONGER_THAN[name]), ...nothing, warned: false };
}

const HOUR_MS = 3_600_000;
/** Added to the start of a window, this is a moment in the next window. */
const LONGER_THAN = { hour: HOUR_MS + 1, day: 25 * HOUR_MS, month: 32 * 24 * HOUR_MS };

const WARN_AT_PERCENT = 80;

/** What is to be written about one window. */
export interface WindowRequest extends ShareRequest {
  readonly name: WindowName;
  /** When the next window begins. */
  readonly end: number;
}

/** Called once for each window, when most of its limit is spent. */
type LowListener = (account: KeyAccount, window: WindowName) => void;

export function isBounded(limits: SpendLimits): boolean {
  return WINDOW_NAMES.some((name) => limits[name] !== null);
}

export class KeyAccount {
  readonly name: string;
  limits: SpendLimits;
  private readonly clock: Clock;
  private readonly windows: Record<WindowName, Window>;
  private readonly low: LowListener;
  private reserved = 0;

  constructor(name: string, limits: SpendLimits, clock: Clock, low: LowListener) {
    this.name = name;
    this.limits = limits;
    this.clock = clock;
    this.low = low;
    const now = clock.now();
    this.windows = { hour: windowAt("hour", now), day: windowAt("day", now), month: windowAt("month", now) };
  }

  get isBounded(): boolean {
    return isBounded(this.limits);
  }

  get now(): number {
    return this.clock.now();
  }

  get reservedMicrocents(): number {
    return this.reserved;
  }

  /** What was spent in the present window. */
  spent(name: WindowName): number {
    const { written, unwritten } = this.window(name);
    return written + unwritten;
  }

  /** The start of the present window. */
  startOf(name: WindowName): number {
    return this.window(name).start;
  }

  /** When the present window ends and the next one begins. */
  endOf(name: WindowName): number {
    return this.window(name).end;
  }

  /** Takes over what all processes have written for a window. The figure only grows, so one that arrives late changes nothing. */
  learn(name: WindowName, start: number, written: number): void {
    const window = this.window(name);
    if (window.start !== start) return;
    window.written = Math.max(window.written, written);
    this.warnIfLow(name, window);
  }

  /** Its shares, and what it knows about other processes, are still valid. */
  get isCurrent(): boolean {
    const now = this.clock.now();
    return WINDOW_NAMES.every((name) => this.limits[name] === null || now < this.window(name, now).shareUntil);
  }

  /** Whether this process has set so much aside that it may spend the estimate without asking the journal. */
  covers(estimate: number): boolean {
    const now = this.clock.now();
    return WINDOW_NAMES.every((name) => {
      const limit = this.limits[name];
      if (limit === null) return true;
      const { written, unwritten, heldByOthers: held, share, shareUntil } = this.window(name, now);
      const needed = unwritten + this.reserved + estimate;
      if (now >= shareUntil || needed > share) return false;
      // More than the rest is set aside only for calls that run, and for a single call that gets the whole rest. Or the limit was lowered since.
      const left = limit - written - unwritten - held;
      return this.reserved + estimate <= left || (this.reserved === 0 && mayStartAlone(left, estimate));
    });
  }

  /** More is set aside than what is spent, what running calls may cost, and a part of the rest. */
  get holdsMore(): boolean {
    const now = this.clock.now();
    return WINDOW_NAMES.some((name) => {
      const { share, shareUntil } = this.window(name, now);
      return now < shareUntil && share > this.enough(name, now);
    });
  }

  /** What to write to the journal now, and to set aside for a call that may cost `estimate`; 0 when no call asks. It counts as unwritten until `written` is called. */
  requests(owner: string, estimate: number): readonly WindowRequest[] {
    const now = this.clock.now();
    if (estimate === 0) this.release(now);
    return WINDOW_NAMES.flatMap((name) => {
      const { start, end, unwritten: spent, share, shareUntil } = this.window(name, now);
      const limit = this.limits[name];
      if (spent === 0 && limit === null) return [];
      const kept = now < shareUntil ? Math.max(0, share - spent) : 0;
      const running = this.reserved;
      return [
        {
          name,
          owner,
          start,
          end,
          now,
          spent,
          limit,
          kept,
          running,
          needed: running + estimate,
          isIdle: running === 0,
        },
      ];
    });
  }

  /** The journal has written the request. */
  written({ name, owner, start, spent, now }: WindowRequest, all: SharedSpend): void {
    const window = this.windows[name];
    if (window.start !== start) return;
    window.unwritten -= spent;
    this.learn(name, start, all.microcents);
    const own = all.held[owner];
    window.share = own?.microcents ?? 0;
    // The next write may take as long as this one. Until it is done, other processes must not take the share.
    const answeredAt = this.clock.now();
    window.shareUntil = Math.min(answeredAt + SHARE_MS, now + HELD_MS - (answeredAt - now));
    window.heldByOthers = heldByOthers(all, owner, now);
  }

  /** The window with the least left. */
  tightest(): {
    readonly name: WindowName;
    readonly rule: BudgetRule;
    readonly spent: number;
    /** Set aside for running calls, in all processes. */
    readonly setAside: number;
    readonly endsAt: number;
  } | null {
    let found = null;
    let least = Infinity;
    for (const name of WINDOW_NAMES) {
      const limit = this.limits[name];
      if (limit === null) continue;
      const { end, heldByOthers: held } = this.window(name);
      const spent = this.spent(name);
      if (limit - spent >= least) continue;
      least = limit - spent;
      found = { name, rule: ruleOf(limit), spent, setAside: this.reserved + held, endsAt: end };
    }
    return found;
  }

  /** Money that other processes have set aside counts as spent while their shares are valid. */
  exceeds(estimate: number): boolean {
    const now = this.clock.now();
    return WINDOW_NAMES.some((name) => {
      const limit = this.limits[name];
      if (limit === null) return false;
      const { written, unwritten, heldByOthers: held, shareUntil } = this.window(name, now);
      const heldNow = now < shareUntil ? held : 0;
      const spent = written + unwritten;
      if (this.reserved === 0 && mayStartAlone(limit - spent - heldNow, estimate)) return false;
      return checkBudget(ruleOf(limit), spent, this.reserved + heldNow, estimate).exceeds;
    });
  }

  reserve(microcents: number): void {
    this.reserved += microcents;
  }

  book(microcents: number): void {
    const now = this.clock.now();
    for (const name of WINDOW_NAMES) {
      const window = this.window(name, now);
      window.unwritten += microcents;
      this.warnIfLow(name, window);
    }
  }

  /** Warns about money that was spent, here and by other processes, not about reservations. */
  private warnIfLow(name: WindowName, window: Window): void {
    const limit = this.limits[name];
    const spent = window.written + window.unwritten;
    if (limit === null || window.warned || !checkBudget(ruleOf(limit), spent, 0, 0).warns) return;
    window.warned = true;
    this.low(this, name);
  }

  /**
   * Gives up the part of the shares that ended calls did not use, so that other processes can have it. The journal
   * follows with the next write.
   */
  private release(now: number): void {
    for (const name of WINDOW_NAMES) {
      const window = this.window(name, now);
      window.share = Math.min(window.share, this.enough(name, now));
    }
  }

  /** What it needs to set aside while no call asks. */
  private enough(name: WindowName, now: number): number {
    const limit = this.limits[name];
    if (limit === null) return 0;
    const { written, unwritten, heldByOthers: held } = this.window(name, now);
    return unwritten + shareFor(this.reserved, limit - written - unwritten - held);
  }

  private window(name: WindowName, now = this.clock.now()): Window {
    if (now >= this.windows[name].end) this.windows[name] = windowAt(name, now);
    return this.windows[name];
  }
}

function ruleOf(limit: number): BudgetRule {
  return { maxCostMicrocents: limit, onExceed: "fail", warnAtPercent: WARN_AT_PERCENT };
}

/** The budget that one call pays from: the account of its key. It also counts what this call has cost. */
export class CallPurse implements Purse {
  private readonly account: KeyAccount;
  private readonly ask: (account: KeyAccount, estimate: number) => Promise<boolean>;
  /** What the call has cost so far, in micro-cents. */
  microcents = 0;
  /** False: some of it is estimated, or has no price. */
  isExact = true;

  /** `ask` sets something aside for a call; false when there is not enough. */
  constructor(account: KeyAccount, ask: (account: KeyAccount, estimate: number) => Promise<boolean>) {
    this.account = account;
    this.ask = ask;
  }

  /** null: a model without a price, which runs outside the budget. */
  covers(estimate: number | null): boolean {
    return estimate === null || this.account.covers(estimate);
  }

  cover(estimate: number | null): Promise<boolean> {
    return this.ask(this.account, estimate ?? 0);
  }

  get rule(): BudgetRule {
    return this.account.tightest()?.rule ?? NO_BUDGET;
  }

  get spentMicrocents(): number {
    return this.account.tightest()?.spent ?? 0;
  }

  get reservedMicrocents(): number {
    return this.account.reservedMicrocents;
  }

  get isBounded(): boolean {
    return this.account.isBounded;
  }

  get now(): number {
    return this.account.now;
  }

  isQuietAt(estimate: number): boolean {
    return this.account.covers(estimate);
  }

  /** Nothing is left in one of its windows. */
  get isSpent(): boolean {
    const tightest = this.account.tightest();
    return tightest !== null && tightest.spent >= tightest.rule.maxCostMicrocents;
  }

  /** Tells a client which budget refuses a call with this estimate, and when to ask again if that helps. null: the key has no budget. */
  refusing(estimate: number): { readonly words: string; readonly endsAt: number | null } | null {
    const tightest = this.account.tightest();
    if (tightest === null) return null;
    const { name, rule, spent, setAside, endsAt } = tightest;
    // Running calls may cost less than their reservations, and then the rest is enough.
    if (setAside > 0 && mayStartAlone(rule.maxCostMicrocents - spent, estimate)) {
      const words = `Of the key's budget per ${name}, ${dollars(setAside)} is set aside for other calls. Ask again in a moment.`;
      return { words, endsAt: this.account.now + SHARE_MS };
    }
    if (!mayStartAlone(rule.maxCostMicrocents, estimate)) {
      const words = `The call may cost more than the key's whole budget per ${name} allows, so waiting does not help.`;
      return { words, endsAt: null };
    }
    const words = `The key's budget per ${name} starts again at ${new Date(endsAt).toISOString()}.`;
    return { words, endsAt };
  }

  exceeds(estimate: number | null): boolean {
    return estimate !== null && this.account.exceeds(estimate);
  }

  /** The account itself warns when most of a limit is spent: see `KeyAccount.book`. */
  shouldWarn(): boolean {
    return false;
  }

  reserve(estimate: number | null): void {
    this.account.reserve(estimate ?? 0);
  }

  settle(estimate: number | null, cost: Cost | null): void {
    this.account.reserve(-(estimate ?? 0));
    this.rebook(null, cost);
  }

  rebook(before: Cost | null, after: Cost | null): void {
    if (after === null) return;
    const more = (after.microcents ?? 0) - (before?.microcents ?? 0);
    this.isExact &&= after.basis === "reported";
    this.microcents += more;
    this.account.book(more);
  }
}
