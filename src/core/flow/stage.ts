// One attempt of a stage, as a pure machine: Setup → Init → CheckGate → Act → Assert → Exit → Next. Also decides what follows a
// failed attempt: another attempt from Setup, a later one, skipping the stage, or the end. Invariants:
// S1  Phases come in their order; CheckGate may skip Act and Assert, and Exit always comes before Next.
// S2  Only its own retry policy repeats a stage. Retries of its calls do not count here.
// S3  `decide` chooses, by a policy of two rows built from the stage's declaration.
// S4  `skip` is honoured for every fault. `retry-later` is, as long as an attempt is left, unless the work may have been done and
//     is not idempotent. Cancellation wins over both.

import { decide, mayHaveRun } from "../decide/decide.ts";
import type { Decision } from "../decide/decision.ts";
import { finiteRetry, situation } from "../decide/situation.ts";
import { type CatalogueRow, FAULT_CODES, type FaultCode, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { delayMs, type Policy, type Recourse, type Retry } from "../policy/policy.ts";
import { DEFAULT_POLICY } from "../policy/matrix.ts";
import type { NodePlace, Resolution, StagePhase } from "./visit.ts";

/** The result of a phase. `retry` and `skip` are verdicts of CheckGate and Assert. */
export type PhaseVerdict = "ok" | "retry" | "skip" | "fail";

/** How an attempt stands while its phases go by. */
export interface AttemptState {
  readonly phase: StagePhase;
  /** The input of Exit and Next. */
  readonly ending: "completed" | "skipped" | "failed";
  /** A verdict asked for another attempt. */
  readonly again: boolean;
  /** No phase follows. */
  readonly isOver: boolean;
}

export const FIRST_PHASE: AttemptState = Object.freeze({
  phase: "setup",
  ending: "completed",
  again: false,
  isOver: false,
});

const AFTER: Readonly<Record<StagePhase, StagePhase | null>> = {
  "setup": "init",
  "init": "check-gate",
  "check-gate": "act",
  "act": "assert",
  "assert": "exit",
  "exit": "next",
  "next": null,
};

export function advanceAttempt(state: AttemptState, verdict: PhaseVerdict): AttemptState {
  const { phase } = state;
  const next = AFTER[phase];
  // A failure in Exit or Next changes the ending of the attempt; it does not start it again.
  if (next === null || phase === "exit") {
    const ending = verdict === "fail" ? "failed" : state.ending;
    // A stage that is retried names no next node yet.
    return next === null || ending === "failed"
      ? { ...state, ending, isOver: true }
      : { ...state, phase: next, ending };
  }
  switch (verdict) {
    case "ok":
      return { ...state, phase: next };
    case "skip":
      return { ...state, phase: "exit", ending: "skipped" };
    case "retry":
      return { ...state, phase: "exit", ending: "failed", again: true };
    case "fail":
      return { ...state, phase: "exit", ending: "failed" };
  }
}

/** What a stage declares about failures of its attempts. */
export interface StageRules {
  readonly node: string;
  /** `maxAttempts` 1: never tried again. */
  readonly retry: Retry;
  /** Only these are tried again; null for everything that may be. */
  readonly retryOn: readonly FaultCode[] | null;
  readonly resolution: Resolution;
  /** The whole attempt may be done twice without harm. */
  readonly idempotent: boolean;
}

export interface FailedAttempt {
  readonly fault: Fault;
  /** A verdict of the stage asked for another attempt, whatever the fault is. */
  readonly again: boolean;
  readonly attempt: number;
  readonly now: number;
  readonly deadlineAt: number | null;
  readonly roll: number;
}

export type StageDecision =
  | { readonly do: "retry"; readonly decision: Decision; readonly delayMs: number }
  | { readonly do: "defer"; readonly decision: Decision; readonly delayMs: number }
  | { readonly do: "skip" | "fail"; readonly decision: Decision };

export function decideStage(failed: FailedAttempt, rules: StageRules): StageDecision {
  const { fault, again, attempt, now, deadlineAt, roll } = failed;
  const { node, resolution, retry } = rules;
  // A verdict that asks for another attempt has seen that the work is not done.
  const idempotent = rules.idempotent || again;
  const decision = decide(
    situation(fault, {
      place: { surface: "node", provider: "", tool: "", stage: node },
      attempt,
      now,
      deadlineAt,
      idempotent,
      offers: resolution === "skip" && !traitsOf(fault.code).endsRun ? SKIP_OR_FAIL : FAIL_ONLY,
      roll,
    }),
    policyOf(rules, again),
  );
  if (decision.recourse === "retry") return { do: "retry", decision, delayMs: decision.delayMs };
  const mayComeAgain = attempt < retry.maxAttempts && (idempotent || !mayHaveRun(fault));
  const { cancels, endsRun } = traitsOf(fault.code);
  if (resolution === "retry-later" && mayComeAgain && !cancels && !endsRun)
    return { do: "defer", decision, delayMs: delayMs(retry, attempt + 1, roll) };
  return { do: decision.recourse === "skip" ? "skip" : "fail", decision };
}

const SKIP_OR_FAIL: ReadonlySet<Recourse> = new Set<Recourse>(["skip", "fail"]);
const FAIL_ONLY: ReadonlySet<Recourse> = new Set<Recourse>(["fail"]);

/** Codes for which a stage may be tried again: failures that pass, outputs that a model may improve, and work that failed while it ran. */
export function isRedoable(code: FaultCode): boolean {
  const { retryable, mayHaveHappened, scope, cancels }: CatalogueRow = traitsOf(code);
  const failedRunning = mayHaveHappened && (scope === "tool" || scope === "endpoint" || scope === "target");
  return !cancels && (retryable || scope === "output" || failedRunning);
}

export const REDOABLE_CODES: readonly FaultCode[] = FAULT_CODES.filter(isRedoable);

function policyOf({ node, retry, retryOn }: StageRules, again: boolean): Policy {
  const origin = { layer: "stage", at: node } as const;
  const then: readonly Recourse[] = ["fail"];
  const code = again ? FAULT_CODES : REDOABLE_CODES.filter((one) => retryOn?.includes(one) ?? true);
  return {
    ...DEFAULT_POLICY,
    name: `stage ${node}`,
    rows: [
      { match: { code }, retry, then, origin },
      { match: {}, retry: null, then, origin },
    ],
    learnsAfter: 0,
  };
}

// What `decideStage` saw, stored with the entry so that the decision can be made again. It leaves out defaults and what the entry
// already says.

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
