// While a target is sick, the calls to it share their attempts. So an outage that many calls meet together costs the target little more than
// one call, and an outage that is shorter than a call's retry schedule fails none of them.
// O1  A call whose retry is due sends it only if no other attempt was sent lately: within the last half of the time that this call has waited.
//     Otherwise the call waits for the result of that other attempt.
// O2  A failed attempt counts as the retry of every call that was waiting when it was sent. It does not count for a retry that
//     became due later: by then the outage may have been over.
// O3  An attempt that was sent after the first failure and succeeds ends the outage. All waiting calls then proceed, paced.

import type { Fault } from "../../core/fault/fault.ts";

/** The failed attempt of another call. */
export interface Shown {
  readonly fault: Fault;
  readonly call: string;
}

/** A call that waits with a due retry. */
export interface Sharer {
  /** How many attempts had been sent to the target when it began to wait. */
  sentBefore: number;
  /** The failure that counts as its retry; null while there is none. */
  shown: Shown | null;
  /** When it may be sent, once the target is healthy again; null while it is sick. */
  goAt: number | null;
  wake(): void;
}

/** Waiting calls start this far apart … */
const PACE_MS = 10;
/** … and closer, if the last one would start later than this. */
const MAX_SPREAD_MS = 1_000;

export class Outage {
  /** How many attempts were sent. The number of an attempt orders it, even among attempts of the same millisecond. */
  private sent = 0;
  private sentAt = -Infinity;
  /** The value of `sent` when the outage's first failure was seen; null while the target is healthy. */
  private sickSince: number | null = null;
  /** The value of `sent` when a failure was last reported as news. */
  private observed = 0;
  /** The latest time at which some call will retry. */
  private retriesUntil = -Infinity;
  private readonly waiting = new Set<Sharer>();

  get isSick(): boolean {
    return this.sickSince !== null;
  }

  get isWaitedFor(): boolean {
    return this.waiting.size > 0;
  }

  /** An attempt is sent; returns its number. */
  depart(now: number): number {
    this.sentAt = now;
    return ++this.sent;
  }

  /** A retry is about to be sent: other waiting calls see that at once and do not send theirs, too. */
  claim(now: number): void {
    this.sentAt = now;
  }

  /** When a retry that has waited this long may be sent. */
  mayGoAt(waitedMs: number): number {
    return this.sickSince === null ? -Infinity : this.sentAt + waitedMs / 2;
  }

  /** A call will retry at this time. */
  announce(retryAt: number): void {
    this.retriesUntil = Math.max(this.retriesUntil, retryAt);
  }

  /**
   * Returns whether the failure is news. It is not when a failure was seen since the attempt was sent, or when other calls
   * already wait for this outage to end.
   */
  failed(attempt: number, shown: Shown, now: number): boolean {
    const isKnown = this.sickSince !== null && now < this.retriesUntil;
    this.sickSince ??= this.sent;
    for (const sharer of this.waiting) {
      if (sharer.sentBefore >= attempt) continue;
      sharer.shown ??= shown;
      sharer.wake();
    }
    if (isKnown || attempt <= this.observed) return false;
    this.observed = this.sent;
    return true;
  }

  succeeded(attempt: number, now: number): void {
    if (this.sickSince !== null && attempt > this.sickSince) this.sickSince = null;
    if (this.sickSince === null && this.waiting.size > 0) this.release(now);
  }

  join(sharer: Sharer): void {
    sharer.sentBefore = this.sent;
    this.waiting.add(sharer);
  }

  leave(sharer: Sharer): void {
    this.waiting.delete(sharer);
  }

  get count(): number {
    return this.sent;
  }

  /** Something else that waiting calls depend on has changed: the breaker. */
  wakeAll(): void {
    for (const sharer of this.waiting) sharer.wake();
  }

  /** The wall clock was set by `byMs`. */
  move(byMs: number): void {
    this.sentAt += byMs;
    this.retriesUntil += byMs;
    for (const sharer of this.waiting) if (sharer.goAt !== null) sharer.goAt += byMs;
  }

  private release(now: number): void {
    const paceMs = Math.min(PACE_MS, MAX_SPREAD_MS / this.waiting.size);
    let place = 0;
    for (const sharer of this.waiting) {
      // A call that already has its turn keeps it.
      sharer.goAt ??= Math.floor(now + place * paceMs);
      place += 1;
      sharer.wake();
    }
  }
}
