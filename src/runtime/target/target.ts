// What calls to one target share: its breaker, a pause the other side asked for, a queue in front of it, and their attempts
// while it is sick (outage.ts).
// T1  An open breaker admits no new call except one probe at a time. A call that has already begun continues its own retries.
// T2  A wait that the target asked of one caller applies to all its callers, and to the account if the limit is account-wide.
// T3  At most `maxConcurrent` attempts run; the others wait in order, and never more than `maxQueued` of them.
// T4  A slot, or the wait for one, is given back whatever happens to the call.

import {
  admit,
  type Breaker,
  type BreakerState,
  type CallResult,
  CLOSED,
  extendPause,
  liftPause,
  mergeBreakers,
  mergePauses,
  movedBy,
  NO_PAUSE,
  type Pause,
  record,
  type Ticket,
} from "../../core/decide/breaker.ts";
import { scopeOf } from "../../core/decide/fallback.ts";
import { hasPlenty, type LimitLeft, readLimits, readPace } from "../../core/classify/limits.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import { Outage } from "./outage.ts";
import { DEFAULT_POLICY } from "../../core/policy/matrix.ts";
import type { BreakerRule } from "../../core/policy/policy.ts";

/** What is called: a model behind an API, an agent CLI, a tool of an MCP server, an HTTP service, or any other tool. */
export type TargetKind = "model" | "cli" | "mcp" | "http" | "tool";

const MINUTE_MS = 60_000;

interface TargetOptions extends TargetSettings {
  /** Called for every change worth keeping: a failure that counted, or a new state of the breaker. */
  readonly changed: (target: LiveTarget, from: BreakerState) => void;
}

/** A call that waits for a slot; `enter` is called once when it gets one. */
interface Waiting {
  enter(): void;
}

/** The pause of one target, or one that the targets of an account share. */
export class SharedPause {
  readonly key: string;
  /** A copy of `state.until`, because every call reads it. */
  until = NO_PAUSE.until;
  private current: Pause = NO_PAUSE;
  private readonly changed: (pause: SharedPause) => void;

  constructor(key: string, known: Pause | null, changed: (pause: SharedPause) => void) {
    this.key = key;
    this.changed = changed;
    if (known !== null) this.set(known);
  }

  get state(): Pause {
    return this.current;
  }

  extend(until: number, fault: Fault): void {
    this.change(extendPause(this.current, until, fault));
  }

  /** A person ends the wait. */
  lift(now: number): void {
    this.change(liftPause(this.current, now));
  }

  /** Merges the pause that another process has written. */
  learn(other: Pause): void {
    this.set(mergePauses(this.current, other));
  }

  move(byMs: number): void {
    if (this.until > 0) this.set({ ...this.current, until: this.until + byMs });
  }

  private change(pause: Pause): void {
    if (pause === this.current) return;
    this.set(pause);
    this.changed(this);
  }

  private set(pause: Pause): void {
    this.current = pause;
    this.until = pause.until;
  }
}

export class LiveTarget {
  readonly id: string;
  private options: TargetOptions;
  private current: Breaker;
  private running = 0;
  private readonly waiting = new Set<Waiting>();
  readonly outage = new Outage();
  readonly recent = new RecentAttempts();
  private readonly silences: { stream: RecentAttempts | null; whole: RecentAttempts | null } = {
    stream: null,
    whole: null,
  };
  /** null until a tool says so. */
  kind: TargetKind | null = null;
  /** The last response headers and when they came; parsed only when `limits` is read. */
  private headers: unknown = null;
  private headersAt = 0;
  readonly ownPause: SharedPause;
  /** Shared with the other targets of its account; its own where it has no account. */
  readonly accountPause: SharedPause;
  /** Calls start this far apart so that the remaining limit lasts; 0 when there is plenty. */
  private spacingMs = 0;
  private reservedAt = 0;
  usedAt = 0;
  /** When the breaker last counted a failure. */
  private failedAt = -Infinity;
  /** The registry dropped it: holders must look it up again. */
  evicted = false;

  constructor(
    id: string,
    options: TargetOptions,
    restored: Breaker | null,
    ownPause: SharedPause,
    accountPause: SharedPause | null = null,
  ) {
    this.id = id;
    this.ownPause = ownPause;
    this.accountPause = accountPause ?? ownPause;
    this.options = options;
    this.current = restored ?? CLOSED;
  }

  get breaker(): Breaker {
    return this.current;
  }

  /** Until when all callers wait. */
  get pausedUntil(): number {
    return Math.max(this.ownPause.until, this.accountPause.until);
  }

  /** The fault of the caller that the target asked to wait. */
  get pauseFault(): Fault | null {
    return (this.accountPause.until > this.ownPause.until ? this.accountPause : this.ownPause).state.fault;
  }

  /** The wall clock was set by `byMs`: everything that lasts for a while keeps its length. Account pauses are moved by `Targets`. */
  move(byMs: number): void {
    this.current = movedBy(this.current, byMs);
    this.reservedAt += byMs;
    this.failedAt += byMs;
    this.ownPause.move(byMs);
    this.outage.move(byMs);
  }

  /** No call runs or waits here, and the breaker is closed. */
  isQuiet(now: number): boolean {
    const isBusy = this.running > 0 || this.waiting.size > 0 || this.outage.isWaitedFor;
    return !isBusy && this.pausedUntil <= now && this.current.state === "closed";
  }

  /** The breaker has counted failures and is still closed. */
  get hasFailures(): boolean {
    return this.current.state === "closed" && this.current.failures > 0;
  }

  /** How long attempts of chains with hedging took until they showed something: streams their first content, others all of it. */
  silence(isStream: boolean): RecentAttempts {
    return (this.silences[isStream ? "stream" : "whole"] ??= new RecentAttempts());
  }

  get settings(): TargetSettings {
    return this.options;
  }

  /** Applies new settings, merged with those of another tool that shares this target. */
  configure(options: TargetOptions): void {
    this.options = options;
  }

  /** Takes a slot: true when one was free, false when the caller has to queue, null when the queue is full. */
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

  /** Gives the slot to the call that has waited longest. */
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
    const before = this.current;
    const admission = admit(before, this.options.rule, now);
    this.set(admission.breaker, before);
    return admission.admitted ? admission.ticket : null;
  }

  /** Whether a ticket is still valid: not after the breaker has opened again, nor once a later probe has replaced its own. */
  honours({ generation, probe }: Ticket): boolean {
    const breaker = this.current;
    return generation === breaker.generation && (breaker.state !== "half-open" || probe === breaker.probes);
  }

  /** When the breaker would next admit a call; null when it is isolated, until a person releases it. */
  retryAt(now: number): number | null {
    const admission = admit(this.current, this.options.rule, now);
    return admission.admitted ? now : admission.retryAt;
  }

  record(ticket: Ticket, result: CallResult, now: number): void {
    const before = this.current;
    // The usual case: one more success of a healthy target changes nothing.
    if (result === "success" && before.state === "closed" && before.failures === 0) return;
    this.set(record(before, this.options.rule, ticket, result, now), before);
    if (result === "failure" && this.current !== before) this.failedAt = now;
  }

  /** A ticket for an attempt that began in another program, without asking the breaker; null while the breaker admits no call. */
  admitBegun(startedAt: number, now: number): Ticket | null {
    const ticket = this.admit(now);
    // A failure that was counted while the attempt ran belongs to the same outage.
    return ticket === null || startedAt > this.failedAt ? ticket : { ...ticket, observed: -1 };
  }

  /** Sets the breaker after a person has changed it, or after its cause has become known. */
  replace(breaker: Breaker): void {
    const from = this.current.state;
    this.set(breaker, this.current);
    if (breaker.state !== from) this.outage.wakeAll();
  }

  /** Merges the breaker that another process has written for this target. */
  learn(other: Breaker): void {
    const merged = mergeBreakers(this.current, other);
    if (merged === this.current) return;
    this.current = merged;
    this.outage.wakeAll();
  }

  /** Attempts that run now. */
  get runs(): number {
    return this.running;
  }

  /** Calls that wait for a slot. */
  get queued(): number {
    return this.waiting.size;
  }

  /** A limit of the whole account holds back its other targets too. */
  pause(until: number, fault: Fault): void {
    const pause = scopeOf(fault) === "account" ? this.accountPause : this.ownPause;
    pause.extend(until, fault);
  }

  /** Applies the limits in a response: nothing left pauses the target, little left spaces the calls, plenty changes nothing. */
  applyLimits(headers: unknown, clock: Clock): void {
    const now = clock.now();
    this.spacingMs = 0;
    this.noteHeaders(headers, now);
    if (hasPlenty(headers)) return;
    const { emptyUntil, intervalMs } = readPace(headers, now);
    this.spacingMs = intervalMs;
    if (emptyUntil > now) this.pause(emptyUntil, fault("RateLimited", { message: `${this.id} said nothing is left` }));
  }

  /** Called for a refusal, too: its headers say how much is left. */
  noteHeaders(headers: unknown, now: number): void {
    if (typeof headers !== "object" || headers === null) return;
    this.headers = headers;
    this.headersAt = now;
  }

  /** What is left of the target's limits, as its last response headers said. */
  get limits(): readonly LimitLeft[] {
    return readLimits(this.headers, this.headersAt);
  }

  /** How far apart calls start: as a tool declares, or as a limit that is nearly reached demands; 0 when neither does. */
  get intervalMs(): number {
    return Math.max(this.spacingMs, MINUTE_MS / this.options.maxPerMinute);
  }

  /** Reserves the next start time and returns it. */
  reserveStart(now: number): number {
    if (this.intervalMs === 0) return now;
    this.reservedAt = this.startAfter(this.reservedAt, now);
    return this.reservedAt;
  }

  /** The last start that this process knows to be reserved. */
  get lastStart(): number {
    return this.reservedAt;
  }

  /** A start that the journal has given. This process continues behind it if the journal goes away. */
  noteStart(startAt: number): number {
    return (this.reservedAt = startAt);
  }

  releaseStart(startAt: number): void {
    if (this.reservedAt === startAt) this.reservedAt = this.startBefore(startAt);
  }

  /** The start time that was reserved before this one. */
  startBefore(startAt: number): number {
    return startAt - this.intervalMs;
  }

  /** The start time that follows one that was reserved. */
  startAfter(reservedAt: number, now: number): number {
    return Math.max(reservedAt + this.intervalMs, now);
  }

  private set(breaker: Breaker, before: Breaker): void {
    if (breaker === before) return;
    this.current = breaker;
    this.options.changed(this, before.state);
  }
}

// How the last attempts at a target went: how long they took, and how many failed. A ring in memory, made with the first attempt.

/** How the last attempts at a target went. */
export interface RecentReport {
  /** How many of the last attempts this is about. */
  readonly attempts: number;
  /** The share that failed, from 0 to 1. Cancelled attempts do not count. */
  readonly errorRate: number;
  /** Half of the attempts took no longer; null when no duration is known. */
  readonly p50Ms: number | null;
  /** 95 of 100 attempts took no longer. */
  readonly p95Ms: number | null;
}

const KEPT = 128;

export class RecentAttempts {
  private durationsMs: Float32Array | null = null;
  private readonly failed = new Uint8Array(KEPT);
  private noted = 0;

  /** `durationMs` is null when only the executor knows it. */
  note(ok: boolean, durationMs: number | null): void {
    this.durationsMs ??= new Float32Array(KEPT);
    const at = this.noted++ % KEPT;
    this.durationsMs[at] = durationMs ?? NaN;
    this.failed[at] = ok ? 0 : 1;
  }

  /** The figures of all of them together; null before the first attempt. */
  static report(all: readonly RecentAttempts[]): RecentReport | null {
    const attempts = all.reduce((sum, { noted }) => sum + Math.min(noted, KEPT), 0);
    if (attempts === 0) return null;
    const known = Float32Array.from(all.flatMap((one) => one.known())).sort();
    const failures = all.reduce((sum, { failed }) => sum + failed.reduce((own, each) => own + each, 0), 0);
    return { attempts, errorRate: failures / attempts, p50Ms: percentile(known, 0.5), p95Ms: percentile(known, 0.95) };
  }

  private known(): readonly number[] {
    const seen = this.durationsMs?.slice(0, Math.min(this.noted, KEPT)) ?? [];
    return [...seen].filter((durationMs) => durationMs >= 0);
  }
}

/** The nearest rank: always a duration that was seen. */
function percentile(sorted: Float32Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

// Merges the settings of several tools that share one target. A setting left at its default does not count. Of the others the
// strictest wins, so the order in which the tools are used does not matter.

export interface TargetSettings {
  readonly rule: BreakerRule;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Attempts that may start in a minute. */
  readonly maxPerMinute: number;
}

/** `defaults` applies where no tool sets a value. */
export function mergeSettings(known: TargetSettings, added: TargetSettings, defaults: TargetSettings): TargetSettings {
  const addsNothing = added.rule === defaults.rule || added.rule === known.rule;
  return {
    rule: addsNothing ? known.rule : strictestRule(known.rule, added.rule, defaults.rule),
    maxConcurrent: chosen(Math.min, known.maxConcurrent, added.maxConcurrent, defaults.maxConcurrent),
    maxQueued: chosen(Math.min, known.maxQueued, added.maxQueued, defaults.maxQueued),
    maxPerMinute: chosen(Math.min, known.maxPerMinute, added.maxPerMinute, defaults.maxPerMinute),
  };
}

/** Applies `defaultMaxOpenMs` to a rule whose `maxOpenMs` was never set; other rules are returned unchanged. */
export function settledRule(rule: BreakerRule): BreakerRule {
  const { defaultMaxOpenMs, ...settled } = rule;
  if (defaultMaxOpenMs === undefined) return rule;
  const { openMs, maxOpenMs } = settled;
  if (maxOpenMs !== DEFAULT_POLICY.breaker.maxOpenMs) return settled;
  return { ...settled, maxOpenMs: Math.min(maxOpenMs, Math.max(openMs, defaultMaxOpenMs)) };
}

type Stricter = (one: number, other: number) => number;

/** Which of two values is stricter: fewer failures open the breaker; a larger value of any other field holds calls back longer. */
const STRICTER: Readonly<Record<Exclude<keyof BreakerRule, "counts" | "defaultMaxOpenMs">, Stricter>> = {
  failures: Math.min,
  successes: Math.max,
  openMs: Math.max,
  growth: Math.max,
  maxOpenMs: Math.max,
  probeTimeoutMs: Math.max,
};

function strictestRule(known: BreakerRule, added: BreakerRule, defaults: BreakerRule): BreakerRule {
  const pick = (field: keyof typeof STRICTER): number =>
    chosen(STRICTER[field], known[field], added[field], defaults[field]);
  return {
    failures: pick("failures"),
    successes: pick("successes"),
    openMs: pick("openMs"),
    growth: pick("growth"),
    maxOpenMs: pick("maxOpenMs"),
    probeTimeoutMs: pick("probeTimeoutMs"),
    // Each tool decides for its own calls whether a call counts once or with each attempt.
    counts: known.counts,
  };
}

function chosen(stricter: Stricter, known: number, added: number, byDefault: number): number {
  if (added === byDefault) return known;
  return known === byDefault ? added : stricter(known, added);
}
