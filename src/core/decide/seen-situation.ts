// What `decide` saw, written beside the decision: with it the decision can be made again, under the same policy or another one.
// Only what the rest of the entry does not say, and nothing that is as usual, so that it stays short.

import type { BreakerState } from "./breaker.ts";
import { NO_CHANGES, type PolicyChanges } from "./effective-policy.ts";
import { type ChainState, NO_CHAIN, nextTarget, scopeOf, type Target } from "./fallback.ts";
import { type Incident, type Situation, situation as typical } from "./situation.ts";
import type { Fault } from "../fault/fault.ts";
import type { RetryChange } from "../policy/layer.ts";
import type { Place, Policy, Recourse } from "../policy/policy.ts";

/** The situation that a recorded decision was made in. */
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

/** `backAt`: absent for now, null for never. */
type SeenTarget = Omit<Target, "available" | "backAt" | "contextWindowTokens"> & {
  readonly contextWindowTokens?: number;
  readonly unavailable?: true;
  readonly backAt?: number | null;
};

/** `written` is the fault as the entry has it. */
export function seenSituation(
  situation: Situation,
  changes: PolicyChanges,
  { unattended }: Pick<Policy, "unattended">,
  written: Fault,
): SeenSituation {
  const { fault, place, now, deadlineAt, chain, offers, roll } = situation;
  const usual = typical(fault);
  const differs = <K extends keyof Situation>(key: K): Partial<Pick<Situation, K>> =>
    JSON.stringify(situation[key]) === JSON.stringify(usual[key])
      ? {}
      : ({ [key]: situation[key] } as Pick<Situation, K>);
  const extra = [...offers].filter((recourse) => !usual.offers.has(recourse));
  return {
    place: seenPlace(place),
    roll,
    ...differs("attempt"),
    ...differs("waitedMs"),
    ...(deadlineAt === null ? {} : { deadlineAt }),
    ...differs("breaker"),
    ...(situation.retryBudgetLeft ? {} : { noRetryBudget: true as const }),
    ...(situation.idempotent ? { idempotent: true as const } : {}),
    ...(situation.committed ? { committed: true as const } : {}),
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
  const usual = typical(about);
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
