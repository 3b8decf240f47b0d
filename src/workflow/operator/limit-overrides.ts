// Limits of a node that an operator raised above those of the workflow: rounds, money, time. They hold for later visits of the run.

import type { Instruction } from "../../core/flow/node.ts";

/** By the names of `src/core/flow/action-limits.ts`. */
export type NodeLimit = "turnCap" | "agentCostMicrocents" | "attemptMs";

/** null when it was not raised. */
export function overrideFor(
  { instruction }: { readonly instruction: Instruction | null },
  name: NodeLimit,
): number | null {
  const limits = instruction?.params["limits"];
  const limit = typeof limits === "object" && limits !== null ? (limits as Record<string, unknown>)[name] : undefined;
  return typeof limit === "number" ? limit : null;
}
