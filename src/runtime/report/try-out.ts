// What would be decided about a failure, without a trace: nothing is written, no breaker or budget counts it.

import { classify, rulesWith } from "../../core/classify/classify.ts";
import type { Evidence, Surface } from "../../core/classify/evidence.ts";
import { decide } from "../../core/decide/decide.ts";
import type { Decision } from "../../core/decide/decision.ts";
import { situation } from "../../core/decide/situation.ts";
import type { Fault } from "../../core/fault/fault.ts";
import {
  type DelayBounds,
  delayBounds,
  type Place,
  type Policy,
  type PolicyRow,
  type Recourse,
  type Retry,
  rowFor,
} from "../../core/policy/policy.ts";
import type { LiveEngine } from "../create-engine.ts";
import { EXECUTOR_RECOURSES, type ReportedEvidence } from "./failure-report.ts";

/** A failure to try out. */
export interface TriedFailure {
  readonly evidence: ReportedEvidence;
  /** Where it was seen. Default: `tool`, or `http` for evidence with a status. */
  readonly surface?: Surface;
  readonly provider?: string;
  /** A registered tool's own rows and rules apply. */
  readonly tool?: string;
  readonly stage?: string;
  /** The attempt that failed. Default: 1. */
  readonly attempt?: number;
  readonly idempotent?: boolean;
  readonly alternatives?: readonly string[];
  /** How long the caller can wait. Default: forever. */
  readonly deadlineMs?: number;
  /** Decides under this policy. Default: the one in force. */
  readonly policy?: Policy;
}

/** The fault, and what is decided each time it happens again. */
export interface TriedDecisions {
  readonly fault: Fault;
  readonly policy: string;
  readonly row: PolicyRow;
  /** First the retries, each with its wait; the last one is what follows when they did not help. */
  readonly decisions: readonly TriedDecision[];
}

/** One decision of a schedule, and the bounds of its wait. */
export interface TriedDecision {
  readonly decision: Decision;
  /** How long it waits; jitter lies between the bounds. Both 0 for a decision without a wait. */
  readonly wait: DelayBounds;
}

/** More decisions are not listed: a schedule of this length says enough. */
const MAX_DECISIONS = 50;

export function tryOut(engine: LiveEngine, tried: TriedFailure): TriedDecisions {
  const { clock, bindings, find, targets } = engine;
  const now = clock.now();
  const {
    evidence,
    tool = "",
    provider,
    stage = "",
    attempt = 1,
    alternatives = [],
    deadlineMs,
    policy: other,
  } = tried;
  const registered = find(tool);
  const binding =
    registered === undefined ? null : (other === undefined ? bindings : engine.bindingsFor(other)).bind(registered);
  const surface = tried.surface ?? binding?.tool.surface ?? (evidence.status === undefined ? "tool" : "http");
  const place: Place = { surface, provider: provider ?? binding?.tool.provider ?? "", tool, stage };
  const seen: Evidence = { observedAt: now, ...evidence, surface, provider: place.provider };
  const fault = binding === null ? classify(seen, rulesWith(bindings.deps.rules)) : binding.classifySeen(evidence, now);
  const policy = binding?.policy ?? other ?? bindings.policy;
  const about = {
    place,
    now,
    deadlineAt: deadlineMs === undefined ? null : now + deadlineMs,
    breaker: targets.list().find(({ id }) => id === (binding?.tool.target ?? tool))?.breaker.state ?? "closed",
    idempotent: tried.idempotent ?? binding?.tool.idempotent ?? false,
    alternatives,
    offers: binding?.offers ?? OFFERS,
  } as const;
  const row = rowFor(policy, fault, place);
  return {
    fault,
    policy: policy.name,
    row,
    decisions: schedule(fault, policy, row.retry, attempt, about),
  };
}

function schedule(
  fault: Fault,
  policy: Policy,
  retry: Retry | null,
  first: number,
  about: Parameters<typeof situation>[1] & { readonly now: number },
): readonly TriedDecision[] {
  const decisions: TriedDecision[] = [];
  let waitedMs = 0;
  for (let attempt = first; decisions.length < MAX_DECISIONS; attempt++) {
    // Time passes with the waits. A server that named a wait names it again from the next failure on.
    const again =
      fault.retryAfterMs === undefined || fault.resetAt === undefined
        ? fault
        : { ...fault, resetAt: fault.resetAt + waitedMs };
    const decision = decide(situation(again, { ...about, attempt, waitedMs, now: about.now + waitedMs }), policy);
    decisions.push({ decision, wait: waitOf(decision, retry, about.now + waitedMs) });
    if (decision.recourse !== "retry") break;
    waitedMs += decision.delayMs;
  }
  return decisions;
}

/** A wait that the other side named is exact. */
function waitOf(decision: Decision, retry: Retry | null, now: number): DelayBounds {
  if (decision.recourse === "retry" && !decision.serverWait && retry !== null)
    return delayBounds(retry, decision.attempt);
  const waitMs =
    decision.recourse === "retry" ? decision.delayMs : decision.recourse === "park" ? decision.wakeAt - now : 0;
  return { minMs: waitMs, maxMs: waitMs };
}

/** What an executor can usually do about a failure of a tool that is not registered here. */
const OFFERS: ReadonlySet<Recourse> = new Set([...EXECUTOR_RECOURSES, "alternative", "park", "ask", "surface", "fail"]);
