// What `decideStage` saw, stored with the entry so that the decision can be made again. It leaves out defaults and what the entry
// already says.

import { finiteRetry } from "../decide/seen-situation.ts";
import type { FaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { Retry } from "../policy/policy.ts";
import type { NodePlace, Resolution } from "./node.ts";
import { decideStage, type FailedAttempt, type StageDecision, type StageRules } from "./stage.ts";

/** The situation in which the end of a failed attempt was decided. */
export interface SeenStage {
  readonly roll: number;
  /** Absent for a stage that has one attempt. */
  readonly retry?: Retry;
  readonly retryOn?: readonly FaultCode[];
  /** Absent for `abort-workflow`. */
  readonly resolution?: Resolution;
  readonly idempotent?: true;
  readonly again?: true;
  readonly deadlineAt?: number;
  /** Only for a fault that names the time at which it lifts: no other decision depends on the time. */
  readonly decidedAt?: number;
}

export function seenStage({ fault, again, now, deadlineAt, roll }: FailedAttempt, rules: StageRules): SeenStage {
  const { retry, retryOn, resolution, idempotent } = rules;
  return {
    roll,
    ...(retry.maxAttempts <= 1 ? {} : { retry: finiteRetry(retry) }),
    ...(retryOn === null ? {} : { retryOn }),
    ...(resolution === "abort-workflow" ? {} : { resolution }),
    ...(idempotent ? { idempotent } : {}),
    ...(again ? { again } : {}),
    ...(deadlineAt === null ? {} : { deadlineAt }),
    ...(fault.resetAt === undefined && deadlineAt === null ? {} : { decidedAt: now }),
  };
}

/** Makes the decision about a failed attempt again. `at` is the time of its entry. */
export function stageDecidedAgain(
  { node, attempt, fault }: NodePlace & { readonly fault: Fault },
  saw: SeenStage,
  at: number,
): StageDecision {
  const { roll, retry = ONE_ATTEMPT, retryOn = null, resolution = "abort-workflow", deadlineAt = null } = saw;
  return decideStage(
    { fault, again: saw.again === true, attempt, now: saw.decidedAt ?? at, deadlineAt, roll },
    { node, retry, retryOn, resolution, idempotent: saw.idempotent === true },
  );
}

/** With one attempt, no other field of a retry is ever looked at. */
const ONE_ATTEMPT: Retry = {
  maxAttempts: 1,
  backoff: { kind: "fixed", initialMs: 0, maxMs: 0, multiplier: 1 },
  jitter: 0,
  maxWaitMs: 0,
  maxTotalWaitMs: 0,
};
