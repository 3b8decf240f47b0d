// Everything a decision may depend on. `decide` consults nothing else: no clock, no chance, no memory of its own.

import type { Fault } from "../fault/fault.ts";
import type { Place, Recourse } from "../policy/policy.ts";
import { NOWHERE } from "../policy/policy.ts";
import type { BreakerState } from "./breaker.ts";
import { type ChainState, NO_CHAIN, type NextTarget, nextTarget, scopeOf } from "./fallback.ts";

/** How one recourse went when this kind of fault was met before. */
export interface Incident {
  readonly recourse: Recourse | "retry";
  readonly worked: boolean;
  /** When it was known whether it worked. */
  readonly at: number;
}

/** Everything that `decide` looks at. */
export interface Situation {
  readonly fault: Fault;
  readonly place: Place;
  /** The attempt that just failed at this target; 1 is the first. */
  readonly attempt: number;
  /** Waits of this call so far, added up. */
  readonly waitedMs: number;
  readonly now: number;
  /** When the turn or call must be over; null for never. */
  readonly deadlineAt: number | null;
  readonly breaker: BreakerState;
  /** The target's shared retry budget has a token left. */
  readonly retryBudgetLeft: boolean;
  /** The work may be done twice without harm. Model calls count as such: they cost, but change nothing. */
  readonly idempotent: boolean;
  /** Part of the answer has already reached the caller, and it did not agree to start over. */
  readonly committed: boolean;
  readonly chain: ChainState;
  /** The target of the chain that comes next after this fault. */
  readonly next: NextTarget;
  /** Other tools that could do this, best first. */
  readonly alternatives: readonly string[];
  /** Recourses that can be carried out here: a default exists, the step is optional, a person can be asked … */
  readonly offers: ReadonlySet<Recourse>;
  /** Recourses already taken for this call, or this turn where they count once a turn. */
  readonly taken: readonly Recourse[];
  /** What a person has refused for this call. */
  readonly denied: readonly (Recourse | "retry")[];
  /** Past incidents of this kind of fault, newest first. */
  readonly incidents: readonly Incident[];
  /** Chance, in [0, 1). */
  readonly roll: number;
}

/** A typical situation; pass the fields that differ. */
export function situation(fault: Fault, details: Partial<Omit<Situation, "fault">> = {}): Situation {
  const { chain = NO_CHAIN } = details;
  return {
    fault,
    place: NOWHERE,
    attempt: 1,
    waitedMs: 0,
    now: 0,
    deadlineAt: null,
    breaker: "closed",
    retryBudgetLeft: true,
    idempotent: false,
    committed: false,
    chain,
    next: nextTarget(chain, scopeOf(fault)),
    alternatives: [],
    offers: DEFAULT_OFFERS,
    taken: [],
    denied: [],
    incidents: [],
    roll: 0.5,
    ...details,
  };
}

/** Always possible: telling the model, and giving up. */
const DEFAULT_OFFERS: ReadonlySet<Recourse> = new Set(["surface", "fail"]);
