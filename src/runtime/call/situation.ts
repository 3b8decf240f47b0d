// What a failed call looks like to `decide`: the fault, the whole situation around it, and the chain it runs on.

import type { BreakerState } from "../../core/decide/breaker.ts";
import type { Decision } from "../../core/decide/decision.ts";
import {
  type ChainState,
  type NextTarget,
  nextTarget,
  NO_CHAIN,
  NO_TARGET,
  scopeOf,
  SCOPES_THAT_ADVANCE,
  type Target,
} from "../../core/decide/fallback.ts";
import { policyFor, type Situation } from "../../core/decide/situation.ts";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import type { Surface } from "../../core/classify/evidence.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { CallState } from "../../core/flow/call.ts";
import type { Policy, Recourse } from "../../core/policy/policy.ts";
import type { Attempt } from "./attempt.ts";
import { ignoresOpenBreaker, type LiveCall } from "./live-call.ts";
import type { ChainRequest, MemberTool } from "../tool/tool.ts";

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

/** The call's time was up before the tool ran. */
export function outOfTime({ request, binding }: LiveCall): Fault {
  const message = `the time was up before ${binding.tool.id} could start`;
  return fault(request.deadlineCode, { message, context: { ran: false } });
}

/** The code for a time limit, where the surface is a network. */
const TIMEOUT_ON: Readonly<Partial<Record<Surface, FaultCode>>> = { http: "NetworkTimeout", sse: "NetworkTimeout" };

interface Described {
  readonly situation: Situation;
  readonly policy: Policy;
}

/** The failed call as `decide` sees it. `isNews`: other calls have not seen this failure in the same outage. */
export function situationOf(run: LiveCall, seen: Fault, state: CallState, now: number, isNews: boolean): Described {
  const { binding, engine, request } = run;
  const { chain, next, policy } = chainAfter(run, seen, now);
  const { target, retryBudget, place } = binding;
  const alternatives = alternativesOf(run, state);
  const situation: Situation = {
    fault: seen,
    place: request.stage === null ? place : { ...place, stage: request.stage },
    // A refusal counts like an attempt. Otherwise a call could ask a guard forever.
    attempt: Math.max(1, state.attempt + state.refusals),
    waitedMs: state.waitedMs,
    now,
    deadlineAt: Number.isFinite(request.deadline.at) ? request.deadline.at : null,
    breaker: mayPass(run, target.breaker.state),
    // An empty budget does not end a schedule that has begun. A failure that is not news costs the budget nothing.
    retryBudgetLeft: !isNews || state.attempt > 1 || retryBudget.canSpend(now),
    // A person who resumes work they stopped accepts that some of it may have been done.
    idempotent: binding.tool.idempotent || seen.context["repeatApproved"] === true,
    committed: run.committed,
    chain,
    next,
    alternatives,
    offers: offersOf(run, seen, state, alternatives.length > 0),
    taken: state.taken,
    denied: state.denied,
    incidents: engine.incidents.about(run.record.fingerprint, now),
    roll: engine.chance.roll(),
  };
  return { situation, policy };
}

/** The breaker does not stop the call that holds its probe, nor a call in its own retry schedule. */
function mayPass(run: LiveCall, breaker: BreakerState): BreakerState {
  const isHonoured = run.ticket !== null && run.binding.target.honours(run.ticket);
  return isHonoured || ignoresOpenBreaker(run) ? "closed" : breaker;
}

/** The alternatives that were not tried: first those of the tool that was called, then those of the tool in charge. */
export function alternativesOf({ binding, request }: LiveCall, { tried }: CallState): readonly string[] {
  const own = request.binding.alternatives;
  const all = binding === request.binding ? own : [...own, ...binding.alternatives];
  return all.length === 0 ? NONE : all.map(({ id }) => id).filter((id) => !tried.includes(id));
}

const NONE: readonly string[] = [];

function offersOf(run: LiveCall, seen: Fault, state: CallState, hasAlternative: boolean): ReadonlySet<Recourse> {
  const { request, engine } = run;
  const { offers } = request;
  const more: Recourse[] = hasAlternative ? ["alternative"] : [];
  const { isSession } = request.recorder;
  const canAsk = isSession || engine.interactors.canAnswer("Approve");
  if (canAsk && state.questions < MAX_QUESTIONS && mayAskAbout(run, seen)) more.push("ask");
  if (isSession) more.push("park");
  if (run.record.partialValue !== null) more.push("partial");
  if (request.optional) more.push("skip");
  if (request.fallbackValue !== null) more.push("default");
  return more.length === 0 ? offers : new Set([...offers, ...more]);
}

/** A budget has its own setting for whether a person may be asked to exceed it. */
function mayAskAbout({ request }: LiveCall, { code }: Fault): boolean {
  return traitsOf(code).cause !== "budget-exceeded" || request.budget.rule.onExceed === "pause_for_approval";
}

/** Notes in the incident memory that the last recourse helped. */
export function noteHelped(run: LiveCall, now: number): void {
  note(run, run.record.fingerprint, true, now);
}

/** Notes that the last recourse did not help. Whether a retry failed is known with the next decision: pass it to the returned function. */
export function noteFailed(run: LiveCall, now: number): (next: Decision) => void {
  const { fingerprint } = run.record;
  const { decision } = run.record.state;
  if (decision?.recourse !== "retry") {
    note(run, fingerprint, false, now);
    return nothing;
  }
  return (next) => {
    if (next.recourse !== "retry") note(run, fingerprint, false, now);
  };
}

const nothing = (): void => undefined;

function note({ engine, binding, record }: LiveCall, fingerprint: string, worked: boolean, now: number): void {
  if (fingerprint === "" || binding.policy.learnsAfter === 0) return;
  const { decision } = record.state;
  if (decision === null || !HELPS.has(decision.recourse)) return;
  engine.incidents.note(fingerprint, decision.recourse, worked, now, record.incidentsBefore);
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

// The chain a call runs on, as `decide` sees it: its targets, which of them can answer now and when the others are back, and what
// the request needs of them.

/** A chain after a fault of its current target. */
interface ChainAfter {
  readonly chain: ChainState;
  readonly next: NextTarget;
  /** The policy in force: with `retryBeforeFallback` while a target that does not share the fault can answer, else as it is. */
  readonly policy: Policy;
}

export function chainAfter(run: LiveCall, seen: Fault, now: number): ChainAfter {
  const { binding } = run;
  const { id, member } = binding.tool;
  if (member === null) return { chain: NO_CHAIN, next: NO_TARGET, policy: binding.policy };
  const { members, needsOf } = member.chain;
  const { capabilities, inputTokens } = needsOf(run.sentInput as ChainRequest);
  const isOverflow = traitsOf(seen.code).cause === "context-overflow";
  const chain: ChainState = {
    targets: members.map((each) => targetOf(run, each, now)),
    current: members.findIndex((each) => each.id === id),
    needs: capabilities,
    minContextTokens: isOverflow ? Math.max(inputTokens, member.facts.contextWindowTokens + 1) : inputTokens,
  };
  const next = nextTarget(chain, scopeOf(seen));
  return { chain, next, policy: policyFor({ fault: seen, chain, next }, binding.effective) };
}

function targetOf({ binding }: LiveCall, each: MemberTool, now: number): Target {
  const { target } = binding.bindings.bind(each);
  const { lastResort, ...facts } = each.member.facts;
  const backAt = Math.max(target.retryAt(now) ?? Infinity, target.pausedUntil);
  return { ...facts, id: each.id, available: lastResort || backAt <= now, backAt };
}

/** Whether a later target could take over. With `why`: whether one can answer now and would not fail in the same way. */
export function hasFallback(run: LiveCall, why: Fault | undefined): boolean {
  const { id, member } = run.binding.tool;
  if (member === null) return false;
  if (why === undefined) return member.chain.members.at(-1)?.id !== id;
  const { target, sharesTheFailure } = chainAfter(run, why, run.engine.clock.now()).next;
  return SCOPES_THAT_ADVANCE.has(scopeOf(why)) && target !== null && !sharesTheFailure;
}

/** Adds to the fault when the first target is back, if none can be asked now. */
export function withFirstReturn(seen: Fault, { targets, current }: ChainState, now: number): Fault {
  if (!traitsOf(seen.code).lifts || targets.length < 2) return seen;
  // The current target is away for as long as it just said, although that is not noted yet.
  const ownBackAt = seen.resetAt ?? (seen.retryAfterMs === undefined ? null : now + seen.retryAfterMs);
  const backAts = targets.map(({ available, backAt }, index) =>
    index === current && ownBackAt !== null ? ownBackAt : available ? now : backAt,
  );
  const firstAt = Math.min(...backAts);
  return Number.isFinite(firstAt) && firstAt > now ? { ...seen, resetAt: firstAt } : seen;
}
