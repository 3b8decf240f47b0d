// What an attempt must pass before it is sent, in this order: a slot among those that run, the pause the target asked for, the
// breaker, the budget. A person's approval passes the guard they were asked about.

import { fault, type Fault, withContext } from "../../core/fault/fault.ts";
import { formatMs } from "../../core/fault/words/time-words.ts";
import type { HeldReason } from "../../core/flow/call.ts";
import { rowFor } from "../../core/policy/policy.ts";
import type { LiveTarget } from "../target/target.ts";
import { chainAfter } from "./chain.ts";
import { isMoneyApproved, passBudget } from "./guard-budget.ts";
import { ignoresOpenBreaker, type LiveCall, noteBreaker, type NotSent } from "./live-call.ts";
import { recordInBackground } from "./record.ts";

/** True when the target is neither paused nor paced, and the call has time left. */
export function mayGoAtOnce({ binding, cancelled, request }: LiveCall, now: number): boolean {
  const { pausedUntil, intervalMs } = binding.target;
  return pausedUntil <= now && intervalMs === 0 && cancelled === null && now < request.deadline.at;
}

/** Passes the remaining guards for a call that has its slot; a refusal gives the slot back. */
export function passAtOnce(run: LiveCall, estimateMicrocents: number | null): Fault | null {
  const refused = passBreaker(run) ?? passBudget(run, estimateMicrocents);
  if (refused !== null) run.binding.target.leave();
  return refused;
}

/** null: the attempt may be sent; it holds a slot, and its cost is reserved. */
export async function passGuards(run: LiveCall, estimateMicrocents: number | null): Promise<NotSent> {
  const { target } = run.binding;
  const notTaken = await takeSlot(run);
  if (notTaken !== null) return notTaken;
  const refused = await passRest(run, estimateMicrocents);
  if (refused === null && run.cancelled === null) {
    // An approved call also passes an open breaker; without a ticket its result does not count there.
    const from = target.breaker.state;
    run.ticket ??= target.admit(run.engine.clock.now());
    noteBreaker(run, from);
    return null;
  }
  target.leave();
  if (refused === null) run.request.budget.settle(estimateMicrocents, null);
  return run.cancelled === null ? refused : "cancelled";
}

async function takeSlot(run: LiveCall): Promise<NotSent> {
  const { target, tool } = run.binding;
  const entered = target.enter();
  if (entered === true) return null;
  if (entered === null) {
    const { maxQueued } = target.settings;
    return fault("QueueFull", {
      message: `${maxQueued} calls already wait for ${tool.id}`,
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

/** A person's approval passes what they were asked about: the budget, or the guards of the target. */
async function passRest(run: LiveCall, estimateMicrocents: number | null): Promise<Fault | null> {
  const isPaid = isMoneyApproved(run);
  const isFree = (run.record.state.approved && !isPaid) || run.binding.tool.member?.facts.lastResort === true;
  const opened = isFree ? null : ((await sitOutPause(run)) ?? passBreaker(run));
  const refused = opened ?? (isPaid ? null : passBudget(run, estimateMicrocents));
  // Synchronous with the check, or other calls would count on the same money.
  if (refused === null) run.request.budget.reserve(estimateMicrocents);
  return refused;
}

/** Callers start a little after the pause, each at a different moment, so that they do not arrive all at once. */
const SPREAD = 0.1;
const MAX_SPREAD_MS = 1_000;

async function sitOutPause(run: LiveCall): Promise<Fault | null> {
  const { clock, chance } = run.engine;
  const { target, place } = run.binding;
  for (let now = clock.now(); target.pausedUntil > now && run.cancelled === null; now = clock.now()) {
    const { pausedUntil, pauseFault } = target;
    const told = pauseFault ?? fault("RateLimited");
    const leftMs = pausedUntil - now;
    const { policy } = chainAfter(run, told, now);
    const mostMs = rowFor(policy, told, place).retry?.maxWaitMs ?? 0;
    if (leftMs > mostMs || pausedUntil >= run.request.deadline.at) {
      return withContext({ ...told, resetAt: pausedUntil }, { paused: true, ran: false });
    }
    const spreadMs = Math.min(leftMs * SPREAD, MAX_SPREAD_MS) * chance.roll();
    const nextAt = Math.min(Math.ceil(pausedUntil + spreadMs), run.request.deadline.at);
    recordHeld(run, "paused", nextAt);
    await run.waitUntil(nextAt);
  }
  const startAt = target.intervalMs === 0 ? 0 : await run.engine.reserveStart(target);
  if (startAt > clock.now() && run.cancelled === null) {
    const nextAt = Math.min(Math.ceil(startAt), run.request.deadline.at);
    recordHeld(run, "paced", nextAt);
    await run.waitUntil(nextAt);
  }
  return clock.now() >= run.request.deadline.at ? outOfTime(run) : null;
}

/** Recorded at once, so that a wait is visible while it lasts. */
export function recordHeld(run: LiveCall, reason: HeldReason, nextAt: number): void {
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

function outOfTime({ request, binding }: LiveCall): Fault {
  const message = `the time was up before ${binding.tool.id} could start`;
  return fault(request.deadlineCode, { message, context: { ran: false } });
}
