// What an attempt must pass before it is sent, in this order: a slot among those that run, the pause the target asked for, the
// breaker, the budget. A person's approval passes the guard they were asked about.

import { fault, type Fault, withContext } from "../../core/fault/fault.ts";
import { formatMs } from "../../core/fault/words/time-words.ts";
import type { HeldReason } from "../../core/flow/call.ts";
import { dollars } from "../../core/flow/money.ts";
import { rowFor } from "../../core/policy/policy.ts";
import { whenCovered } from "../budget.ts";
import type { LiveTarget } from "../target/target.ts";
import { chainAfter, outOfTime } from "./situation.ts";
import { ignoresOpenBreaker, type LiveCall, noteBreaker, type NotSent, recordInBackground } from "./live-call.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import type { Attempt } from "./attempt.ts";
import { Moment } from "../../host/clock.ts";
import type { Sharer, Shown } from "../target/outage.ts";

/** True when the target is neither paused nor paced, and the call has time left and is not cancelled. */
export function mayGoAtOnce({ binding, cancelled, request }: LiveCall, now: number): boolean {
  const { pausedUntil, intervalMs } = binding.target;
  return pausedUntil <= now && intervalMs === 0 && cancelled === null && now < request.deadline.at;
}

/** Asks the breaker, for a call that has its slot and a tool that costs nothing. A refusal gives the slot back. */
export function passAtOnce(run: LiveCall): Fault | null {
  const refused = passBreaker(run);
  if (refused !== null) run.binding.target.leave();
  return refused;
}

/** null: the attempt may be sent; it holds a slot, and its cost is reserved. */
export async function passGuards(run: LiveCall, estimateMicrocents: number | null): Promise<NotSent> {
  const { target } = run.binding;
  const notTaken = await takeSlot(run);
  if (notTaken !== null) return notTaken;
  const start: ReservedStart = { at: null };
  const refused = await passRest(run, estimateMicrocents, start);
  if (refused === null && run.cancelled === null) {
    // An approved call also passes an open breaker; without a ticket its result does not count there.
    const from = target.breaker.state;
    run.ticket ??= target.admit(run.engine.clock.now());
    noteBreaker(run, from);
    return null;
  }
  target.leave();
  if (start.at !== null) run.engine.releaseStart(target, start.at);
  if (refused === null) run.request.budget.settle(estimateMicrocents, null);
  return run.cancelled === null ? refused : "cancelled";
}

/** The start that a call has reserved at a paced target; null for none. */
interface ReservedStart {
  at: number | null;
}

async function takeSlot(run: LiveCall): Promise<NotSent> {
  const { target, tool } = run.binding;
  const entered = target.enter();
  if (entered === true) return null;
  if (entered === null) {
    const { maxQueued } = target.settings;
    return fault("QueueFull", {
      message: `${maxQueued} calls already wait for ${tool.id}; raise maxConcurrent or maxQueued`,
      context: { target: target.id, limit: maxQueued },
    });
  }
  const slot = { isTaken: false };
  const taken = Promise.withResolvers<undefined>();
  const waiting = {
    enter: () => {
      slot.isTaken = true;
      taken.resolve(undefined);
    },
  };
  target.queue(waiting);
  await run.within(taken.promise, run.request.deadline.at);
  if (!slot.isTaken) {
    target.unqueue(waiting);
    return run.cancelled === null ? outOfTime(run) : "cancelled";
  }
  if (run.cancelled === null) return null;
  target.leave();
  return "cancelled";
}

/** An approved call skips the guard that the person was asked about: the budget, or the pause and the breaker of the target. */
async function passRest(run: LiveCall, estimateMicrocents: number | null, start: ReservedStart): Promise<Fault | null> {
  const skipsBudget = isMoneyApproved(run);
  const skipsTarget = (run.record.state.approved && !skipsBudget) || run.binding.tool.member?.facts.lastResort === true;
  const opened = skipsTarget ? null : ((await sitOutPause(run, start)) ?? passBreaker(run));
  if (opened !== null) return opened;
  const { budget } = run.request;
  const take = (): Fault | null => {
    const refused = skipsBudget ? null : passBudget(run, estimateMicrocents);
    if (refused === null) budget.reserve(estimateMicrocents);
    return refused;
  };
  // Most budgets belong to one process and never wait here.
  const isCovered = skipsBudget || budget.covers(estimateMicrocents);
  return isCovered ? take() : whenCovered(budget, estimateMicrocents, take);
}

/** Calls start shortly after the pause, each at a different moment, so that they do not arrive all at once. */
const SPREAD = 0.1;
const MAX_SPREAD_MS = 1_000;

async function sitOutPause(run: LiveCall, start: ReservedStart): Promise<Fault | null> {
  const { clock, chance } = run.engine;
  const { target, place } = run.binding;
  for (let now = clock.now(); target.pausedUntil > now && run.cancelled === null; now = clock.now()) {
    const { pausedUntil, pauseFault } = target;
    const pauseReason = pauseFault ?? fault("RateLimited");
    const leftMs = pausedUntil - now;
    const { policy } = chainAfter(run, pauseReason, now);
    const mostMs = rowFor(policy, pauseReason, place).retry?.maxWaitMs ?? 0;
    if (leftMs > mostMs || pausedUntil >= run.request.deadline.at) {
      return withContext({ ...pauseReason, resetAt: pausedUntil }, { paused: true, ran: false });
    }
    const spreadMs = Math.min(leftMs * SPREAD, MAX_SPREAD_MS) * chance.roll();
    const nextAt = Math.min(Math.ceil(pausedUntil + spreadMs), run.request.deadline.at);
    recordHeld(run, "paused", nextAt);
    await run.waitUntil(nextAt);
  }
  if (target.intervalMs > 0) start.at = await run.engine.reserveStart(target);
  if (start.at !== null && start.at > clock.now() && run.cancelled === null) {
    const nextAt = Math.min(Math.ceil(start.at), run.request.deadline.at);
    recordHeld(run, "paced", nextAt);
    await run.waitUntil(nextAt);
  }
  return clock.now() >= run.request.deadline.at ? outOfTime(run) : null;
}

/** Records the wait when it begins, so that people see it while it lasts. */
function recordHeld(run: LiveCall, reason: HeldReason, nextAt: number): void {
  const { engine, call, binding, record, request } = run;
  const attempt = record.state.attempt + 1;
  const event = { type: "call-held", call, tool: binding.tool.id, attempt, reason, nextAt } as const;
  recordInBackground(engine, request.recorder.record([event], [], engine.clock.now()));
}

function passBreaker(run: LiveCall): Fault | null {
  const { target } = run.binding;
  const now = run.engine.clock.now();
  if (run.ticket !== null && target.honours(run.ticket)) return null;
  const from = target.breaker.state;
  run.ticket = target.admit(now);
  noteBreaker(run, from);
  return run.ticket !== null || ignoresOpenBreaker(run) ? null : breakerOpen(target, run.binding.tool.id, now);
}

/** Says what opened the breaker and when, and when it lets a call through again. */
function breakerOpen(target: LiveTarget, name: string, now: number): Fault {
  const { id, breaker } = target;
  const retryAt = target.retryAt(now) ?? undefined;
  if (breaker.state === "isolated") {
    const message = `${name} was taken out of service (${breaker.reason}); it takes calls again when an operator releases it`;
    return fault("CircuitOpen", { message, context: { target: id } });
  }
  const cause = (breaker.state === "closed" ? null : breaker.cause) ?? null;
  const openedAt = breaker.state === "open" ? breaker.openedAt : null;
  const what = cause === null ? "" : ` after ${cause.code} (${cause.message})`;
  const message =
    openedAt === null
      ? `the circuit of ${name} opened${what}; one call is probing it now, and the others wait for the result`
      : `the circuit of ${name} opened ${formatMs(now - openedAt, "en")} ago${what}; it lets one call through in ${formatMs((retryAt ?? now) - now, "en")}`;
  const context = { target: id, ...(cause !== null && { cause: cause.code }), ...(openedAt !== null && { openedAt }) };
  return fault("CircuitOpen", { message, context, resetAt: retryAt });
}

// What an attempt may cost: checked against the budget before it is sent, and again while it reports its cost.

/** Refuses an attempt that the budget cannot pay for. */
function passBudget(run: LiveCall, estimateMicrocents: number | null): Fault | null {
  const { rule, spentMicrocents } = run.request.budget;
  const { maxCostMicrocents } = rule;
  if (maxCostMicrocents === 0 || !run.binding.costs || !isOverBudget(run, estimateMicrocents, false)) return null;
  const estimate = estimateMicrocents ?? 0;
  return fault("BudgetExceeded", {
    message: `this attempt may cost ${dollars(estimate)}; ${dollars(spentMicrocents)} of ${dollars(maxCostMicrocents)} is spent`,
    context: { limit: maxCostMicrocents, spent: spentMicrocents, estimate },
  });
}

/**
 * Reserves the difference for an attempt that costs more than was reserved. Returns a fault if the budget has no room for it, unless a
 * person approved that the attempt exceeds the budget.
 */
export function meterAttempt(run: LiveCall, attempt: Attempt, microcents: number): Fault | null {
  const { budget } = run.request;
  const { rule, spentMicrocents } = budget;
  const { maxCostMicrocents } = rule;
  const more = microcents - (attempt.reserved ?? 0);
  if (!isOverBudget(run, more, run.record.mayOverspend)) {
    budget.reserve(more);
    attempt.reserved = microcents;
    return null;
  }
  return fault("BudgetExceeded", {
    message: `this attempt has cost ${dollars(microcents)} so far and was stopped; ${dollars(spentMicrocents)} of ${dollars(maxCostMicrocents)} was spent before it`,
    context: { limit: maxCostMicrocents, spent: spentMicrocents, estimate: microcents, ran: true },
  });
}

/** Whether `microcents` more are too much, unless a person `approved` it. Records that, and that the budget runs low. */
function isOverBudget({ call, record, request }: LiveCall, microcents: number | null, approved: boolean): boolean {
  const { budget } = request;
  const { rule, spentMicrocents, reservedMicrocents } = budget;
  const { maxCostMicrocents, onExceed } = rule;
  if (budget.shouldWarn(microcents)) record.attach({ type: "budget-warned", spentMicrocents, maxCostMicrocents });
  if (onExceed === "warn" || approved || !budget.exceeds(microcents)) return false;
  const facts = { spentMicrocents, reservedMicrocents, estimateMicrocents: microcents ?? 0, maxCostMicrocents };
  record.attach({ type: "budget-exceeded", call, ...facts });
  return true;
}

/** A person approved that the next attempt exceeds the budget. */
export function isMoneyApproved({ record }: LiveCall): boolean {
  const { approved, fault: about } = record.state;
  return approved && about !== null && traitsOf(about.code).cause === "budget-exceeded";
}

// A retry that is due while its target is sick: another call's attempt may count as this retry (O1–O3 in `outage.ts`).

/** Waits while other calls try the target. null: this call sends its own attempt. Otherwise: what another call's attempt showed. */
export async function shareAttempt(run: LiveCall): Promise<Shown | "cancelled" | null> {
  const { decision, attempt } = run.record.state;
  if (decision?.recourse !== "retry" || attempt === 0) return null;
  const wait = new SharedWait(run, decision.delayMs);
  if (!wait.tryGo()) await wait.untilDue();
  return run.cancelled === null ? wait.shown : "cancelled";
}

class SharedWait implements Sharer {
  sentBefore = 0;
  shown: Sharer["shown"] = null;
  goAt: number | null = null;
  readonly #run: LiveCall;
  readonly #waitedMs: number;
  /** By then, an attempt that was sent at once would have timed out. */
  readonly #latest: Moment;

  constructor(run: LiveCall, waitedMs: number) {
    this.#run = run;
    this.#waitedMs = waitedMs;
    const { clock } = run.engine;
    this.#latest = new Moment(clock, clock.now() + Math.max(waitedMs, run.binding.tool.timeoutMs));
  }

  wake(): void {
    this.#run.wake?.();
  }

  /** Returns true if this call sends its attempt now. It claims that moment, so that other waiting calls do not also send theirs. */
  tryGo(): boolean {
    const run = this.#run;
    const { target } = run.binding;
    const { outage } = target;
    const now = run.engine.clock.now();
    if (this.#nextAt(now) > now) return false;
    if (this.goAt !== null && outage.isSick) {
      // The outage ended, and the target failed again before the turn of this call came.
      this.goAt = null;
      this.sentBefore = outage.count;
      return this.tryGo();
    }
    if (outage.isSick) outage.claim(now);
    if (this.#isBesideProbe()) run.ticket = target.admit(now);
    return true;
  }

  async untilDue(): Promise<void> {
    const run = this.#run;
    const { outage } = run.binding.target;
    const { clock } = run.engine;
    outage.join(this);
    recordHeld(run, "paced", Math.ceil(this.#nextAt(clock.now())));
    try {
      while (run.cancelled === null && this.shown === null && !this.tryGo()) {
        await run.waitOnce(this.#nextAt(clock.now()));
      }
    } finally {
      outage.leave(this);
    }
  }

  /** When it may be sent if no other attempt answers first. No call waits past its deadline to spare the target a request. */
  #nextAt(now: number): number {
    const { binding, request } = this.#run;
    const { outage } = binding.target;
    const goAt = this.goAt ?? Math.min(outage.mayGoAt(this.#waitedMs), this.#latest.at);
    const probeEndsAt = this.#isBesideProbe() ? (binding.target.retryAt(now) ?? now) : now;
    if (probeEndsAt > now) return Math.min(Math.max(goAt, probeEndsAt), request.deadline.at);
    return goAt < request.deadline.at ? goAt : now;
  }

  /** No attempt is sent beside a half-open breaker's probe: it waits for the probe's result, or becomes the next probe. */
  #isBesideProbe(): boolean {
    const run = this.#run;
    const { target } = run.binding;
    if (target.breaker.state !== "half-open" || !ignoresOpenBreaker(run)) return false;
    return run.ticket === null || !target.honours(run.ticket);
  }
}
