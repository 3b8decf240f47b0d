// Decides after every line whether to stop a run that cannot succeed.

import { traitsOf } from "../../core/fault/catalogue.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { AgentState } from "../parse/agent-state.ts";
import type { StopReason } from "./ending.ts";

/** After this many denials in a row, the agent is not going to stop asking. */
const MAX_CONSECUTIVE_DENIALS = 3;
/** Steps in a row that ended for an unknown reason. opencode made 972 requests in 200 seconds like this. */
const MAX_STALLED_STEPS = 3;

/** Codex reports a wait about every ten seconds while the network is down, and never gives up. */
export const MAX_NETWORK_WAITS = 4;

/** Null: let it run. */
export function whyStop(state: AgentState): Exclude<StopReason, "after-result"> | null {
  if (state.consecutiveDenials >= MAX_CONSECUTIVE_DENIALS) return "permission-loop";
  if (state.networkWaits >= MAX_NETWORK_WAITS) return "network-wait";
  return state.stalledSteps >= MAX_STALLED_STEPS ? "step-loop" : null;
}

export interface EarlyStopRules {
  /** How often a CLI may send one request before another CLI takes over. */
  readonly attemptsBeforeFallback: number;
  /** Whether another target is available that would not fail the same way. */
  readonly hasOther: (why: Fault) => boolean;
  /** The run has done work that another CLI must not repeat. */
  readonly hasWorked: boolean;
}

/** A CLI may fix a rejected login by renewing its token. One more attempt shows whether it did. */
const ATTEMPTS_WITH_A_LOGIN = 2;

/** If a CLI announces a longer wait, another CLI takes over at once. */
const LONGEST_OWN_WAIT_MS = 5_000;

/** Whether to stop a CLI that retries by itself because of `why`. Without another CLI it continues, because it keeps its context. */
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
