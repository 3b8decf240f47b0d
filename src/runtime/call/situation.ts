// What a failed call looks like to `decide`: the fault, and the whole situation around it.

import type { BreakerState } from "../../core/decide/breaker.ts";
import { decide } from "../../core/decide/decide.ts";
import type { Decision } from "../../core/decide/decision.ts";
import type { Situation } from "../../core/decide/situation.ts";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import type { Surface } from "../../core/classify/evidence.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { CallState } from "../../core/flow/call.ts";
import { placeOf } from "../../core/flow/node.ts";
import type { Place, Recourse } from "../../core/policy/policy.ts";
import { type SeenSituation, seenSituation } from "../../core/decide/seen-situation.ts";
import type { Attempt } from "./attempt.ts";
import { chainAfter, withFirstReturn } from "./chain.ts";
import { goesOnPastBreaker, type LiveCall } from "./live-call.ts";

/** A person is asked about one call at most this often, so that a program that answers yes to everything also ends. */
const MAX_QUESTIONS = 3;

export function faultOf({ binding, request }: LiveCall, attempt: Attempt): Fault {
  const { tool } = binding;
  switch (attempt.end) {
    case "timeout":
      return fault(TIMEOUT_ON[tool.surface] ?? "ExecutionTimeout", {
        message: `${tool.id} did not answer within ${tool.timeoutMs} ms`,
        context: { limit: tool.timeoutMs, phase: "total" },
      });
    case "deadline":
      return fault(request.deadlineCode, { message: `the time was up while ${tool.id} was running` });
    case "overspent":
      return attempt.result as Fault;
    default:
      return attempt.classify(attempt.result);
  }
}

/** The code for a time limit, where the surface is a network. */
const TIMEOUT_ON: Readonly<Partial<Record<Surface, FaultCode>>> = { http: "NetworkTimeout", sse: "NetworkTimeout" };

export interface Decided {
  readonly fault: Fault;
  readonly decision: Decision;
  readonly breaker: BreakerState;
  /** What `decide` saw, for the journal; absent outside sessions. */
  readonly saw?: SeenSituation;
}

/**
 * Decides, and applies the decision to what calls share: the retry budget and the target's pause. A failure that other calls
 * have already seen in the same outage costs the budget nothing, and an empty budget does not end a schedule that has begun.
 */
export function decideAbout(
  run: LiveCall,
  seen: Fault,
  state: CallState,
  now: number,
  from: "attempt" | "guard",
  isNews = true,
): Decided {
  const { binding, engine, request } = run;
  const { chain, next, policy } = chainAfter(run, seen, now);
  const { target, provider } = binding;
  const breaker = target.breaker.state;
  const alternatives = alternativesOf(run, state);
  run.record.met = binding.fingerprint(seen);
  if (state.decision?.recourse !== "retry") run.record.metAfter = engine.incidents.noted;
  const situation: Situation = {
    fault: seen,
    place: placeIn(binding.place, request.turn),
    // A refusal counts like an attempt, or a guard could be asked forever.
    attempt: Math.max(1, state.attempt + state.refusals),
    waitedMs: state.waitedMs,
    now,
    deadlineAt: Number.isFinite(request.deadline.at) ? request.deadline.at : null,
    breaker: mayPass(run, breaker),
    retryBudgetLeft: !isNews || state.attempt > 1 || provider.canSpend(now),
    // A person who resumes work they stopped accepts that some of it may have been done.
    idempotent: binding.tool.idempotent || seen.context["repeatApproved"] === true,
    committed: run.committed,
    chain,
    next,
    alternatives,
    offers: offersOf(run, seen, state, alternatives.length > 0),
    taken: state.taken,
    denied: state.denied,
    incidents: engine.incidents.about(run.record.met, now),
    roll: engine.chance.roll(),
  };
  const decision = decide(situation, policy);
  if (decision.recourse === "retry" && isNews) provider.spend(now);
  const until = seen.resetAt ?? (seen.retryAfterMs === undefined ? 0 : now + seen.retryAfterMs);
  // Only the target's own answer holds other calls back, not a guard's refusal.
  if (from === "attempt" && until > target.pausedUntil && until > now && traitsOf(seen.code).lifts) {
    target.pause(until, seen);
    run.record.aside({ type: "target-paused", target: target.id, until, call: run.call });
  }
  const isFinal = decision.recourse === "fail" || decision.recourse === "surface";
  const told = isFinal ? withFirstReturn(seen, chain, now) : seen;
  const saw = request.recorder.session === "" ? {} : { saw: seenSituation(situation, binding.changes, told) };
  return { fault: told, decision, breaker, ...saw };
}

/** The breaker does not stop the call that holds its probe, nor a call in its own retry schedule. */
function mayPass(run: LiveCall, breaker: BreakerState): BreakerState {
  const isHonoured = run.ticket !== null && run.binding.target.honours(run.ticket);
  return isHonoured || goesOnPastBreaker(run) ? "closed" : breaker;
}

/** Those of the tool that was asked for, then those of the one in charge; each is tried once. */
export function alternativesOf({ binding, request }: LiveCall, { tried }: CallState): readonly string[] {
  const own = request.binding.alternatives;
  const all = binding === request.binding ? own : [...own, ...binding.alternatives];
  return all.length === 0 ? NONE : all.map(({ id }) => id).filter((id) => !tried.includes(id));
}

const NONE: readonly string[] = [];

function offersOf(run: LiveCall, seen: Fault, state: CallState, hasAlternative: boolean): ReadonlySet<Recourse> {
  const { request, engine } = run;
  const { offers } = request.binding;
  const more: Recourse[] = hasAlternative ? ["alternative"] : [];
  const inSession = request.recorder.session !== "";
  const canAsk = inSession || engine.interactors.canAnswer("Approve");
  if (canAsk && state.questions < MAX_QUESTIONS && mayAskAbout(run, seen)) more.push("ask");
  if (inSession) more.push("park");
  if (run.record.partialValue !== null) more.push("partial");
  if (request.optional) more.push("skip");
  if (request.fallbackValue !== null) more.push("default");
  return more.length === 0 ? offers : new Set([...offers, ...more]);
}

/** Whether a limit may be passed on a person's word was settled when the limit was set. */
function mayAskAbout({ request }: LiveCall, { code }: Fault): boolean {
  return traitsOf(code).cause !== "budget-exceeded" || request.budget.rule.onExceed === "pause_for_approval";
}

/** What follows a recourse shows whether it helped: the attempt after it, or where it was to try again, the end of the tries. */
export function noteWhatHelped(run: LiveCall, worked: boolean, now: number): void {
  note(run, run.record.met, worked, now);
}

/** The same for a failure, which is decided about meanwhile: call the result with that decision. */
export function noteWhatFailed(run: LiveCall, now: number): (next: Decision) => void {
  const { met } = run.record;
  const { decision } = run.record.state;
  if (decision?.recourse !== "retry") {
    note(run, met, false, now);
    return nothing;
  }
  return (next) => {
    if (next.recourse !== "retry") note(run, met, false, now);
  };
}

const nothing = (): void => undefined;

function note({ engine, binding, record }: LiveCall, met: string, worked: boolean, now: number): void {
  if (met === "" || binding.policy.learnsAfter === 0) return;
  const { decision } = record.state;
  if (decision === null || !HELPS.has(decision.recourse)) return;
  engine.incidents.note(met, decision.recourse, worked, now, record.metAfter);
}

/** Recourses that run the work again, so that the next attempt says whether they helped. */
const HELPS: ReadonlySet<Decision["recourse"]> = new Set([
  "retry",
  "alternative",
  "fallback",
  "refresh-credential",
  "compact",
  "regenerate",
  "park",
]);

/** A call within an attempt of a workflow's node happens in that stage. */
function placeIn(place: Place, turn: string): Place {
  const stage = placeOf(turn)?.node;
  return stage === undefined ? place : { ...place, stage };
}
