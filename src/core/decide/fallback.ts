// Which target of a chain comes next. A fault's scope names the domain that failed; targets in that domain are skipped, and so
// are targets that lack a capability the request needs.

import { type FaultScope, limitsUse, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";

/** Where a target can fail together with another one: an address, a credential there, a model there. */
export interface FailureDomains {
  /** Where it is reached: a base URL and the API spoken there, or an agent CLI. */
  readonly endpoint: string;
  /** The credential at the endpoint, by the operator's name for it or a short hash; never the secret. */
  readonly account: string;
  readonly model: string;
}

/** A target of a chain, as `decide` sees it. */
export interface Target extends FailureDomains {
  readonly id: string;
  /** What it can do: `streaming`, `tools`, `vision` … */
  readonly capabilities: readonly string[];
  readonly contextWindowTokens: number;
  /** False while its breaker is open or the other side asked for a pause. */
  readonly available: boolean;
  /** When it is available again; Infinity when unknown. */
  readonly backAt: number;
}

/** The targets of a chain at the moment of a decision. */
export interface ChainState {
  readonly targets: readonly Target[];
  /** Index of the target that failed. */
  readonly current: number;
  /** What the request needs of a target. */
  readonly needs: readonly string[];
  /** A lower bound for the window: above the current one after an overflow. */
  readonly minContextTokens: number;
}

export const NO_CHAIN: ChainState = Object.freeze({ targets: [], current: 0, needs: [], minContextTokens: 0 });

interface SharedDomains {
  /** A target that has all of these in common with the failed one shares what failed. */
  readonly shares: readonly (keyof FailureDomains)[];
  /** It fails the same way for certain. Otherwise it is asked when no better target is left. */
  readonly isCertain: boolean;
  readonly why: PassedOver["why"];
}

/**
 * What failed, by the fault's scope. Scopes that are not listed are not about a target: no target shares them, so any may be asked
 * where a policy row says so. The matrix never does; an operator who writes `ContentFiltered: [fallback]` knows another model that answers.
 */
const DOMAINS_OF_SCOPE: ReadonlyMap<FaultScope, SharedDomains> = new Map<FaultScope, SharedDomains>([
  // 401: every model that uses this key at this address is refused.
  ["account", { shares: ["endpoint", "account"], isCertain: true, why: "same account" }],
  // 429: another model, or the same model with another key, has a limit of its own.
  ["rate", { shares: ["endpoint", "account", "model"], isCertain: true, why: "same rate limit" }],
  // 529, model not found: another key may have reserved capacity, or access.
  ["model", { shares: ["endpoint", "model"], isCertain: false, why: "same model" }],
  // An answer that is not usable; only where a policy row says so.
  ["output", { shares: ["endpoint", "model"], isCertain: false, why: "same model" }],
  // 500, a lost connection: often one model or one route only, so the others are worth a try before giving up.
  ["endpoint", { shares: ["endpoint"], isCertain: false, why: "same endpoint" }],
  ["network", { shares: ["endpoint"], isCertain: false, why: "same endpoint" }],
  // An open circuit, a full queue: of this target alone.
  ["target", { shares: ["endpoint", "account", "model"], isCertain: true, why: "same target" }],
]);

/** Scopes another target may cure without an operator who says so. */
export const SCOPES_THAT_ADVANCE: ReadonlySet<FaultScope> = new Set(DOMAINS_OF_SCOPE.keys());

/** What failed. An answer may say more than its code: a rate limit of the whole account, a quota of one model. */
export function scopeOf({ code, context }: Pick<Fault, "code" | "context">): FaultScope {
  const traits = traitsOf(code);
  const limitOf = limitsUse(traits) ? context["limitOf"] : undefined;
  if (limitOf === "account") return "account";
  return limitOf === "model" ? "rate" : traits.scope;
}

/** The next target of a chain, and those that were passed over. */
export interface NextTarget {
  readonly target: Target | null;
  /** The target shares what failed: it is asked only because no other is left, so retrying the failed target comes first. */
  readonly sharesTheFailure: boolean;
  readonly passedOver: readonly PassedOver[];
}

/** A target that was passed over, and why. */
export interface PassedOver {
  readonly id: string;
  readonly why:
    | "same account"
    | "same rate limit"
    | "same model"
    | "same endpoint"
    | "same target"
    | "lacks capability"
    | "window too small"
    | "breaker open";
}

export const NO_TARGET: NextTarget = Object.freeze({ target: null, sharesTheFailure: false, passedOver: [] });

/** The next target of a chain that would not fail for the same reason. */
export function nextTarget({ targets, current, needs, minContextTokens }: ChainState, scope: FaultScope): NextTarget {
  const failed = targets[current];
  const domains = DOMAINS_OF_SCOPE.get(scope);
  const passedOver: PassedOver[] = [];
  let sharing: Target | null = null;
  for (const target of targets.slice(current + 1)) {
    const cannot =
      (hasAll(target, needs) ? null : "lacks capability") ??
      (target.contextWindowTokens >= minContextTokens ? null : "window too small") ??
      (target.available ? null : "breaker open");
    const shared = failed !== undefined && domains !== undefined && sharesAll(failed, target, domains.shares);
    if (!shared && cannot === null) return { target, sharesTheFailure: false, passedOver };
    passedOver.push({ id: target.id, why: shared ? domains.why : (cannot ?? "breaker open") });
    const isWorthATry = shared && cannot === null && !domains.isCertain && !sharesAll(failed, target, EVERY_DOMAIN);
    if (isWorthATry) sharing ??= target;
  }
  const others = passedOver.filter(({ id }) => id !== sharing?.id);
  return { target: sharing, sharesTheFailure: sharing !== null, passedOver: others };
}

/** The other targets that can take the request and are not certain to fail the same way, in the chain's order. */
export function otherTargets(
  { targets, current, needs, minContextTokens }: ChainState,
  scope: FaultScope,
): readonly Target[] {
  const failed = targets[current];
  const domains = DOMAINS_OF_SCOPE.get(scope);
  return targets.filter((target) => {
    const isSame = failed !== undefined && sharesAll(failed, target, EVERY_DOMAIN);
    const failsToo = failed !== undefined && domains?.isCertain === true && sharesAll(failed, target, domains.shares);
    return !isSame && !failsToo && hasAll(target, needs) && target.contextWindowTokens >= minContextTokens;
  });
}

const EVERY_DOMAIN: readonly (keyof FailureDomains)[] = ["endpoint", "account", "model"];

/** Whether two targets have these domains in common. */
export function sharesAll(
  one: FailureDomains,
  other: FailureDomains,
  domains: readonly (keyof FailureDomains)[],
): boolean {
  return domains.every((domain) => one[domain] === other[domain]);
}

/** The target that can take the request first, among those that are out of service for a known time; null when there is none. */
export function firstBack({ targets, current, needs, minContextTokens }: ChainState): Target | null {
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
