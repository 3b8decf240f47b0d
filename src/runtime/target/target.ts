// What calls to one target share: its breaker, a pause the other side asked for, a queue in front of it, and their attempts
// while it is sick (outage.ts).
// T1  An open breaker admits no new call except one probe at a time. A call that has already begun continues its own retries.
// T2  A wait that the target asked of one caller applies to all its callers, and to the account if the limit is account-wide.
// T3  at most `maxConcurrent` attempts run; the others wait in order, and never more than `maxQueued` of them.
// T4  a place in the queue or at work is given back whatever happens to the call.

import {
  admit,
  type Breaker,
  type BreakerState,
  type CallResult,
  CLOSED,
  mergeBreakers,
  movedBy,
  record,
  type Ticket,
} from "../../core/decide/breaker.ts";
import { scopeOf } from "../../core/decide/fallback.ts";
import { extendPause, liftPause, mergePauses, NO_PAUSE, type Pause } from "../../core/decide/pause.ts";
import { hasPlenty, type LimitLeft, readLimits, readPace } from "../../core/classify/limits.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import { Outage } from "./outage.ts";
import type { TargetSettings } from "./merge-settings.ts";
import { RecentAttempts } from "./recent-attempts.ts";

/** What is called: a model behind an API, an agent CLI, a tool of an MCP server, an HTTP service, or any other tool. */
export type TargetKind = "model" | "cli" | "mcp" | "http" | "tool";

export interface TargetOptions extends TargetSettings {
  /** Told of every change worth keeping: a failure that counted, or another state. */
  readonly changed: (target: LiveTarget, from: BreakerState) => void;
}

/** A call that waits for a place; `enter` is called once when it gets one. */
export interface Waiting {
  enter(): void;
}

/** The pause of one target, or one that the targets of an account share. */
export class SharedPause {
  readonly key: string;
  /** As in `state`: every call reads it. */
  until = NO_PAUSE.until;
  private now: Pause = NO_PAUSE;
  private readonly changed: (pause: SharedPause) => void;

  constructor(key: string, known: Pause | null, changed: (pause: SharedPause) => void) {
    this.key = key;
    this.changed = changed;
    if (known !== null) this.set(known);
  }

  get state(): Pause {
    return this.now;
  }

  extend(until: number, fault: Fault): void {
    this.change(extendPause(this.now, until, fault));
  }

  /** A person ends the wait. */
  lift(now: number): void {
    this.change(liftPause(this.now, now));
  }

  /** Another process holds this one. */
  learn(other: Pause): void {
    this.set(mergePauses(this.now, other));
  }

  move(byMs: number): void {
    if (this.until > 0) this.set({ ...this.now, until: this.until + byMs });
  }

  private change(pause: Pause): void {
    if (pause === this.now) return;
    this.set(pause);
    this.changed(this);
  }

  private set(pause: Pause): void {
    this.now = pause;
    this.until = pause.until;
  }
}

export class LiveTarget {
  readonly id: string;
  private options: TargetOptions;
  private circuit: Breaker;
  private running = 0;
  private readonly waiting = new Set<Waiting>();
  readonly outage = new Outage();
  readonly recent = new RecentAttempts();
  /** null until a tool says so. */
  kind: TargetKind | null = null;
  /** The last response headers and when they came; read when someone asks what is left. */
  private headers: unknown = null;
  private headersAt = 0;
  readonly own: SharedPause;
  /** Shared with the other targets of its account; its own where it has no account. */
  readonly account: SharedPause;
  /** Calls start this far apart so that the remaining limit lasts; 0 when there is plenty. */
  intervalMs = 0;
  private slotAt = 0;
  usedAt = 0;
  /** When the last failure was counted that the breaker heeds. */
  private failedAt = -Infinity;
  /** The registry dropped it: holders must look it up again. */
  evicted = false;

  constructor(
    id: string,
    options: TargetOptions,
    restored: Breaker | null,
    own: SharedPause,
    account: SharedPause | null = null,
  ) {
    this.id = id;
    this.own = own;
    this.account = account ?? own;
    this.options = options;
    this.circuit = restored ?? CLOSED;
  }

  get breaker(): Breaker {
    return this.circuit;
  }

  /** Until when all callers wait. */
  get pausedUntil(): number {
    return Math.max(this.own.until, this.account.until);
  }

  /** What the caller met that was asked to wait. */
  get pauseFault(): Fault | null {
    return (this.account.until > this.own.until ? this.account : this.own).state.fault;
  }

  /** The wall clock was set: whatever was to last a while lasts as long as before. Accounts move on their own. */
  move(byMs: number): void {
    this.circuit = movedBy(this.circuit, byMs);
    this.slotAt += byMs;
    this.failedAt += byMs;
    this.own.move(byMs);
    this.outage.move(byMs);
  }

  /** No call runs or waits here, and the breaker is closed. */
  isQuiet(now: number): boolean {
    const isBusy = this.running > 0 || this.waiting.size > 0 || this.outage.isWaitedFor;
    return !isBusy && this.pausedUntil <= now && this.circuit.state === "closed";
  }

  /** Failures that count and have not led to a break. */
  get hasFailures(): boolean {
    return this.circuit.state === "closed" && this.circuit.failures > 0;
  }

  get settings(): TargetSettings {
    return this.options;
  }

  /** Another tool with its own settings shares this target. */
  treat(options: TargetOptions): void {
    this.options = options;
  }

  /** A place at work: true when there is one now, false when the caller has to queue, null when the queue is full. */
  enter(): boolean | null {
    if (this.running < this.options.maxConcurrent && this.waiting.size === 0) {
      this.running += 1;
      return true;
    }
    return this.waiting.size < this.options.maxQueued ? false : null;
  }

  queue(waiting: Waiting): void {
    this.waiting.add(waiting);
  }

  unqueue(waiting: Waiting): void {
    this.waiting.delete(waiting);
  }

  /** Gives the place to the call that has waited longest. */
  leave(): void {
    if (this.waiting.size === 0) {
      this.running -= 1;
      return;
    }
    for (const next of this.waiting) {
      this.waiting.delete(next);
      next.enter();
      return;
    }
  }

  /** Asks the breaker; null when it refuses. */
  admit(now: number): Ticket | null {
    this.usedAt = now;
    const before = this.circuit;
    const admission = admit(before, this.options.rule, now);
    this.set(admission.breaker, before);
    return admission.admitted ? admission.ticket : null;
  }

  /** Whether a ticket still lets its call through: not after another break, nor once a later probe has its place. */
  honours({ generation, probe }: Ticket): boolean {
    const breaker = this.circuit;
    return generation === breaker.generation && (breaker.state !== "half-open" || probe === breaker.probes);
  }

  /** When the breaker would next admit a call; null when it is isolated, until a person releases it. */
  retryAt(now: number): number | null {
    const admission = admit(this.circuit, this.options.rule, now);
    return admission.admitted ? now : admission.retryAt;
  }

  record(ticket: Ticket, result: CallResult, now: number): void {
    const before = this.circuit;
    // Nearly always: one more success of a target that is well changes nothing.
    if (result === "success" && before.state === "closed" && before.failures === 0) return;
    this.set(record(before, this.options.rule, ticket, result, now), before);
    if (result === "failure" && this.circuit !== before) this.failedAt = now;
  }

  /** A ticket for an attempt that began elsewhere, at `startedAt`, without asking; null while the breaker lets none begin. */
  admitBegun(startedAt: number, now: number): Ticket | null {
    const ticket = this.admit(now);
    // A failure that was counted while the attempt ran has shown the same outage.
    return ticket === null || startedAt > this.failedAt ? ticket : { ...ticket, observed: -1 };
  }

  /** A person changes the breaker, or its cause is known. */
  replace(breaker: Breaker): void {
    const from = this.circuit.state;
    this.set(breaker, this.circuit);
    if (breaker.state !== from) this.outage.wakeAll();
  }

  /** Another process holds this breaker for the same target. */
  learn(other: Breaker): void {
    const merged = mergeBreakers(this.circuit, other);
    if (merged === this.circuit) return;
    this.circuit = merged;
    this.outage.wakeAll();
  }

  /** Attempts that run now. */
  get runs(): number {
    return this.running;
  }

  /** Calls that wait for a place. */
  get queued(): number {
    return this.waiting.size;
  }

  /** A limit of the whole account holds back its other targets too. */
  pause(until: number, fault: Fault): void {
    const { own, account } = this;
    (scopeOf(fault) === "account" ? account : own).extend(until, fault);
  }

  /** What a response said about its limits: there is plenty, little enough to be spread, or nothing. */
  heed(headers: unknown, clock: Clock): void {
    const now = clock.now();
    this.intervalMs = 0;
    this.noteHeaders(headers, now);
    if (hasPlenty(headers)) return;
    const { emptyUntil, intervalMs } = readPace(headers, now);
    this.intervalMs = intervalMs;
    if (emptyUntil > now) this.pause(emptyUntil, fault("RateLimited", { message: `${this.id} said nothing is left` }));
  }

  /** Those of a refusal too: they say how much is left. */
  noteHeaders(headers: unknown, now: number): void {
    if (typeof headers !== "object" || headers === null) return;
    this.headers = headers;
    this.headersAt = now;
  }

  /** What is left of the target's limits, as its last response headers said. */
  get limits(): readonly LimitLeft[] {
    return readLimits(this.headers, this.headersAt);
  }

  /** When the next attempt may start, which is then taken; calls are spread only while a limit is nearly reached. */
  takeSlot(now: number): number {
    if (this.intervalMs === 0) return now;
    this.slotAt = Math.max(this.slotAt + this.intervalMs, now);
    return this.slotAt;
  }

  private set(breaker: Breaker, before: Breaker): void {
    if (breaker === before) return;
    this.circuit = breaker;
    this.options.changed(this, before.state);
  }
}
