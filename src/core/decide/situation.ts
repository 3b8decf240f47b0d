// Everything a decision may depend on, and how a journal entry records it. `decide` uses nothing else: no clock, no randomness, no
// memory of its own.

import type { Fault } from "../fault/fault.ts";
import { NOWHERE, type Place, type Policy, type PolicyRow, type Recourse, type Retry } from "../policy/policy.ts";
import type { BreakerState } from "./breaker.ts";
import { type ChainState, type NextTarget, nextTarget, NO_CHAIN, scopeOf, type Target } from "./fallback.ts";
import { type RetryChange, rowsOfRetry, withRows } from "../policy/layer.ts";
import { traitsOf } from "../fault/catalogue.ts";

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
  /** A random number in [0, 1). */
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

// What `decide` saw, recorded beside the decision, so that the decision can be computed again under the same policy or another one.
// To stay short, it leaves out defaults and what the rest of the entry says.

/** The situation of a recorded decision. */
export interface SeenSituation {
  readonly place: Pick<Place, "surface"> & Partial<Place>;
  readonly roll: number;
  readonly attempt?: number;
  readonly waitedMs?: number;
  readonly deadlineAt?: number;
  readonly breaker?: BreakerState;
  readonly noRetryBudget?: true;
  readonly idempotent?: true;
  readonly committed?: true;
  readonly chain?: Partial<Omit<ChainState, "targets">> & { readonly targets: readonly SeenTarget[] };
  readonly alternatives?: readonly string[];
  /** Besides `surface` and `fail`. */
  readonly offers?: readonly Recourse[];
  readonly taken?: readonly Recourse[];
  readonly denied?: readonly (Recourse | "retry")[];
  readonly incidents?: readonly Incident[];
  /** When the fault said that it lifts, where the entry names a later time; null for never. */
  readonly resetAt?: number | null;
  readonly changes?: Partial<PolicyChanges>;
  /** Decided as runs decide, outside of a stage: a report to a server, for example. */
  readonly unattended?: true;
}

/** `backAt`: when the target is back; absent if it can answer now, null if it is never back. */
type SeenTarget = Omit<Target, "available" | "backAt" | "contextWindowTokens"> & {
  readonly contextWindowTokens?: number;
  readonly unavailable?: true;
  readonly backAt?: number | null;
};

/** `written` is the fault as the entry has it. */
export function seenSituation(
  decided: Situation,
  changes: PolicyChanges,
  { unattended }: Pick<Policy, "unattended">,
  written: Fault,
): SeenSituation {
  const { fault, place, now, deadlineAt, chain, offers, roll } = decided;
  const usual = situation(fault);
  const differs = <K extends keyof Situation>(key: K): Partial<Pick<Situation, K>> =>
    JSON.stringify(decided[key]) === JSON.stringify(usual[key]) ? {} : ({ [key]: decided[key] } as Pick<Situation, K>);
  const extra = [...offers].filter((recourse) => !usual.offers.has(recourse));
  return {
    place: seenPlace(place),
    roll,
    ...differs("attempt"),
    ...differs("waitedMs"),
    ...(deadlineAt === null ? {} : { deadlineAt }),
    ...differs("breaker"),
    ...(decided.retryBudgetLeft ? {} : { noRetryBudget: true as const }),
    ...(decided.idempotent ? { idempotent: true as const } : {}),
    ...(decided.committed ? { committed: true as const } : {}),
    ...(chain === NO_CHAIN ? {} : { chain: { ...chain, targets: chain.targets.map((each) => seenTarget(each, now)) } }),
    ...differs("alternatives"),
    ...(extra.length > 0 ? { offers: extra } : {}),
    ...differs("taken"),
    ...differs("denied"),
    ...differs("incidents"),
    ...(fault.resetAt === written.resetAt ? {} : { resetAt: fault.resetAt ?? null }),
    ...(isUnchanged(changes) ? {} : { changes: changedOnly(changes) }),
    ...(unattended === true && place.stage === "" ? { unattended } : {}),
  };
}

/** What `decide` saw, and what the tool declared. `at` is the time of the entry. */
export function situationOf(
  { tool, fault }: { readonly tool: string; readonly fault: Fault },
  seen: SeenSituation,
  at: number,
): { readonly situation: Situation; readonly changes: PolicyChanges } {
  const { place, roll, chain: seenChain, offers = [], resetAt, changes } = seen;
  const about = resetAt === undefined ? fault : withResetAt(fault, resetAt);
  const usual = situation(about);
  const chain: ChainState =
    seenChain === undefined
      ? NO_CHAIN
      : { ...NO_CHAIN, ...seenChain, targets: seenChain.targets.map((each) => targetOf(each, at)) };
  return {
    situation: {
      fault: about,
      place: { ...usual.place, tool, ...place },
      roll,
      now: at,
      attempt: seen.attempt ?? usual.attempt,
      waitedMs: seen.waitedMs ?? usual.waitedMs,
      deadlineAt: seen.deadlineAt ?? null,
      breaker: seen.breaker ?? usual.breaker,
      retryBudgetLeft: seen.noRetryBudget !== true,
      idempotent: seen.idempotent === true,
      committed: seen.committed === true,
      chain,
      next: nextTarget(chain, scopeOf(about)),
      alternatives: seen.alternatives ?? usual.alternatives,
      offers: new Set([...usual.offers, ...offers]),
      taken: seen.taken ?? usual.taken,
      denied: seen.denied ?? usual.denied,
      incidents: seen.incidents ?? usual.incidents,
    },
    changes: { ...NO_CHANGES, ...changes },
  };
}

function seenPlace({ surface, provider, stage }: Place): SeenSituation["place"] {
  return { surface, ...(provider === "" ? {} : { provider }), ...(stage === "" ? {} : { stage }) };
}

function seenTarget({ available, backAt, contextWindowTokens, ...rest }: Target, now: number): SeenTarget {
  return {
    ...rest,
    ...(Number.isFinite(contextWindowTokens) ? { contextWindowTokens } : {}),
    ...(available ? {} : { unavailable: true as const }),
    ...(backAt === now ? {} : { backAt: Number.isFinite(backAt) ? backAt : null }),
  };
}

function targetOf({ unavailable, backAt, contextWindowTokens = Infinity, ...rest }: SeenTarget, now: number): Target {
  const back = backAt === undefined ? now : (backAt ?? Infinity);
  return { ...rest, contextWindowTokens, available: unavailable !== true, backAt: back };
}

function withResetAt({ resetAt: _written, ...fault }: Fault, resetAt: number | null): Fault {
  return resetAt === null ? fault : { ...fault, resetAt };
}

/** JSON has no Infinity; the largest number means the same to `decide`. */
export function finiteRetry<T extends RetryChange>({ backoff, ...rest }: T): T {
  const numbers = Object.entries(rest).map(([key, value]) => [key, Math.min(Number(value), Number.MAX_VALUE)] as const);
  return { ...Object.fromEntries(numbers), ...(backoff === undefined ? {} : { backoff }) } as T;
}

function isUnchanged({ retry, retryBeforeFallback, learns }: PolicyChanges): boolean {
  return retry === null && retryBeforeFallback === null && learns;
}

function changedOnly({ retry, retryBeforeFallback, learns }: PolicyChanges): Partial<PolicyChanges> {
  return {
    ...(retry === null ? {} : { retry: finiteRetry(retry) }),
    ...(retryBeforeFallback === null ? {} : { retryBeforeFallback: finiteRetry(retryBeforeFallback) }),
    ...(learns ? {} : { learns }),
  };
}

// The policy as it applies to one tool's calls: with the tool's own retries in front, and with the retries that apply while another
// target of its chain can answer. Pure, so that a past decision can be made again under a changed policy.

/** What a tool declares that changes the policy for its own calls. */
export interface PolicyChanges {
  /** Its differences from the policy's retry; null for none. */
  readonly retry: RetryChange | null;
  /** How often it is retried while another target of its chain can answer; null: as the policy says. */
  readonly retryBeforeFallback: Retry | null;
  /** False: incident memory neither notes nor uses how its retries went. */
  readonly learns: boolean;
}

export const NO_CHANGES: PolicyChanges = Object.freeze({ retry: null, retryBeforeFallback: null, learns: true });

export interface EffectivePolicy {
  readonly own: Policy;
  /** While another target of its chain can answer. */
  readonly beforeFallback: Policy;
}

/** Does not depend on the stage of `place`. */
export function effectivePolicy(policy: Policy, place: Place, changes: PolicyChanges): EffectivePolicy {
  const { retry, retryBeforeFallback, learns } = changes;
  const { rows } = withRows(policy, retry === null ? [] : rowsOfRetry(place.tool, retry, policy));
  // Rows about other tools never match here, and every decision walks the list.
  const own = {
    ...policy,
    learnsAfter: learns ? policy.learnsAfter : 0,
    rows: rows.filter((row) => concerns(row, place)),
  };
  const sooner = retryBeforeFallback === null ? [] : rowsOfRetry(place.tool, retryBeforeFallback, { ...policy, rows });
  return { own, beforeFallback: retryBeforeFallback === null ? own : withRows(own, sooner) };
}

function concerns({ match }: PolicyRow, { surface, provider, tool }: Place): boolean {
  return (
    (match.surface?.includes(surface) ?? true) &&
    (match.provider?.includes(provider) ?? true) &&
    (match.tool?.includes(tool) ?? true)
  );
}

/** The policy in force: `beforeFallback` while a target that does not share the fault can answer, else the tool's own. */
export function policyFor(
  { fault, chain, next }: Pick<Situation, "fault" | "chain" | "next">,
  { own, beforeFallback }: EffectivePolicy,
): Policy {
  if (chain.targets.length === 0) return own;
  const isLast = next.target === null || next.sharesTheFailure;
  const policy = isLast ? own : beforeFallback;
  // A target that was silent until its time limit is not tried again while another can answer.
  const mayRetry = currentMeetsNeeds(chain) && (isLast || traitsOf(fault.code).cause !== "timeout");
  return mayRetry ? policy : { ...policy, rows: policy.rows.map((row) => ({ ...row, retry: null })) };
}

/** A request needs more once part of its answer has been sent: the target that began the answer may not be able to continue it. */
function currentMeetsNeeds({ targets, current, needs }: ChainState): boolean {
  const capabilities = targets[current]?.capabilities ?? [];
  return needs.every((need) => capabilities.includes(need));
}
