// Which target of a chain comes next. A fault says what it is a property of (its scope); a target that shares that
// property would fail the same way and is passed over. So is one that lacks what the request needs.

import type { FaultScope } from "../fault/catalogue.ts";

export interface Target {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  /** Which key or account it uses. */
  readonly credential: string;
  /** What it can do: `streaming`, `tools`, `vision` … */
  readonly capabilities: readonly string[];
  readonly contextWindowTokens: number;
  /** False while its breaker is open or the other side asked for a pause. */
  readonly available: boolean;
  /** When it is available again; Infinity when nobody knows. */
  readonly backAt: number;
}

export interface Chain {
  readonly targets: readonly Target[];
  /** Index of the target that failed. */
  readonly current: number;
  /** What the request needs of a target. */
  readonly needs: readonly string[];
  /** A lower bound for the window: above the current one after an overflow. */
  readonly minContextTokens: number;
}

export const NO_CHAIN: Chain = Object.freeze({ targets: [], current: 0, needs: [], minContextTokens: 0 });

/** Scopes another target may cure; for an answer that is no good, only where a policy row says so. The rest would fail the same way everywhere, or is not about the target at all. */
export const SCOPES_THAT_ADVANCE: ReadonlySet<FaultScope> = new Set([
  "credential",
  "model",
  "provider",
  "network",
  "target",
  "output",
]);

export interface NextTarget {
  readonly target: Target | null;
  readonly passedOver: readonly PassedOver[];
}

export interface PassedOver {
  readonly id: string;
  readonly why:
    "same credential" | "same model" | "same provider" | "lacks capability" | "window too small" | "breaker open";
}

export function nextTarget({ targets, current, needs, minContextTokens }: Chain, scope: FaultScope): NextTarget {
  const failed = targets[current];
  const passedOver: PassedOver[] = [];
  for (const target of targets.slice(current + 1)) {
    const why =
      (failed === undefined ? null : sharedProperty(failed, target, scope)) ??
      (hasAll(target, needs) ? null : "lacks capability") ??
      (target.contextWindowTokens >= minContextTokens ? null : "window too small") ??
      (target.available ? null : "breaker open");
    if (why === null) return { target, passedOver };
    passedOver.push({ id: target.id, why });
  }
  return { target: null, passedOver };
}

/** The target that can take the request first, among those that are out of service for a known time; null when there is none. */
export function firstBack({ targets, current, needs, minContextTokens }: Chain): Target | null {
  let first: Target | null = null;
  for (const target of targets) {
    const fits = hasAll(target, needs) && target.contextWindowTokens >= minContextTokens;
    const isOther = target !== targets[current] && fits && !target.available && Number.isFinite(target.backAt);
    if (isOther && (first === null || target.backAt < first.backAt)) first = target;
  }
  return first;
}

function hasAll({ capabilities }: Target, needs: readonly string[]): boolean {
  return needs.every((need) => capabilities.includes(need));
}

function sharedProperty(failed: Target, target: Target, scope: FaultScope): PassedOver["why"] | null {
  if (scope === "credential") return failed.credential === target.credential ? "same credential" : null;
  if (scope === "model" || scope === "output")
    return failed.provider === target.provider && failed.model === target.model ? "same model" : null;
  if (scope === "provider" || scope === "network") return failed.provider === target.provider ? "same provider" : null;
  return null;
}
