// What becomes of a node that cannot run: because something it needs has no result, or because the time is up. Tables;
// `round.ts` finds out which nodes are affected, and when.

import { wrap, type Fault } from "../fault/fault.ts";
import type { CallEnd } from "./call.ts";
import type { PlanNode } from "./plan.ts";

export type NodeStatus = CallEnd["status"];
export type UnrunStatus = "defaulted" | "skipped" | "failed";

interface StatusTraits {
  /** There is a result, whole, in part or declared, that others can work with. */
  readonly usable: boolean;
  /** Said of a node that others need. */
  readonly told: string;
}

// prettier-ignore
const STATUSES: Readonly<Record<NodeStatus, StatusTraits>> = {
  done:      { usable: true,  told: "is done" },
  partial:   { usable: true,  told: "is there in part" },
  defaulted: { usable: true,  told: "has its default" },
  skipped:   { usable: false, told: "was skipped" },
  surfaced:  { usable: false, told: "failed" },
  failed:    { usable: false, told: "failed" },
  cancelled: { usable: false, told: "was cancelled" },
};

export function isUsable(status: NodeStatus): boolean {
  return STATUSES[status].usable;
}

/** A need has no result. What the turn can do without is left out before a default is thought of. */
export function endWithoutNeed({ optional, hasDefault }: PlanNode): UnrunStatus {
  if (optional) return "skipped";
  return hasDefault ? "defaulted" : "failed";
}

/** It cannot run although its dependencies are there: a declared default is better than a gap. */
export function endUnrun({ optional, hasDefault }: PlanNode): UnrunStatus {
  if (hasDefault) return "defaulted";
  return optional ? "skipped" : "failed";
}

/**
 * The fault of a node that cannot run: class and code of what began it. `root` is the fault of the node that did run and
 * failed, however many stand between, so that faults at the end of a long chain are as short as those at its beginning.
 */
export function faultWithoutNeed(root: Fault, need: string, status: NodeStatus): Fault {
  return wrap(root, `needs ${need}, which ${STATUSES[status].told}`, { need });
}
