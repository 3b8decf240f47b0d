// The policy as it applies to one tool's calls: with the tool's own retries in front, and with the retries that apply while another
// target of its chain can answer. Pure, so that a past decision can be made again under a changed policy.

import { traitsOf } from "../fault/catalogue.ts";
import { type RetryChange, rowsOfRetry, withRows } from "../policy/layer.ts";
import type { Place, Policy, PolicyRow, Retry } from "../policy/policy.ts";
import type { ChainState } from "./fallback.ts";
import type { Situation } from "./situation.ts";

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
  const isLast = next.target === null || next.isLastResort;
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
