// When to stop a run that will come to nothing: it is asked after every line.

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
