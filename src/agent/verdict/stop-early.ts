// When to stop a run that will come to nothing: it is asked after every line.

import { traitsOf } from "../../core/fault/catalogue.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { AgentState } from "../parse/agent-state.ts";
import type { StopReason } from "./ending.ts";

/** Denials in a row after which the agent has not understood that it may not. */
export const MAX_CONSECUTIVE_DENIALS = 3;
/** Steps in a row without a known end; opencode made 972 requests in 200 seconds like this. */
export const MAX_STALLED_STEPS = 3;

/** Codex says it about every ten seconds while nobody can be reached, and never gives up. */
export const MAX_NETWORK_WAITS = 4;

/** Null: let it run. */
export function whyStop(state: AgentState): Exclude<StopReason, "after-result"> | null {
  if (state.consecutiveDenials >= MAX_CONSECUTIVE_DENIALS) return "permission-loop";
  if (state.networkWaits >= MAX_NETWORK_WAITS) return "network-wait";
  return state.stalledSteps >= MAX_STALLED_STEPS ? "step-loop" : null;
}

export interface EarlyStopRules {
  /** How often a CLI may make one request before another CLI is asked. */
  readonly attemptsBeforeFallback: number;
  /** Another target can be asked that would not fail the same way. */
  readonly hasOther: (why: Fault) => boolean;
  /** The run has done work that another CLI must not repeat. */
  readonly hasWorked: boolean;
}

/** A CLI may cure a refused sign-in by renewing its token: one more attempt shows whether it did. */
const ATTEMPTS_WITH_A_LOGIN = 2;

/** A CLI that announces a longer wait makes way at once for another CLI. */
const LONGEST_OWN_WAIT_MS = 5_000;

/** Whether to end a CLI that retries by itself because of `why`. Without another CLI to ask it continues: it keeps its context. */
export function whyStopRetrying(
  { ownRetries, lastRetry }: Pick<AgentState, "ownRetries" | "lastRetry">,
  why: Fault,
  { attemptsBeforeFallback, hasOther, hasWorked }: EarlyStopRules,
): "no-cure" | "elsewhere" | null {
  const { retryable, lifts, scope } = traitsOf(why.code);
  if (!retryable) return ownRetries >= (scope === "account" && !lifts ? ATTEMPTS_WITH_A_LOGIN : 1) ? "no-cure" : null;
  const isSpent = ownRetries >= attemptsBeforeFallback || (lastRetry?.delayMs ?? 0) > LONGEST_OWN_WAIT_MS;
  return !hasWorked && isSpent && hasOther(why) ? "elsewhere" : null;
}
