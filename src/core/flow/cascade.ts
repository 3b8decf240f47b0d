// How a node ends that cannot run, because a dependency has no result or because the time is up. `round.ts` finds out which nodes
// are affected, and when.

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

/** A dependency has no result: an optional node is skipped, even if it has a default. */
export function endWithoutNeed({ optional, hasDefault }: PlanNode): UnrunStatus {
  if (optional) return "skipped";
  return hasDefault ? "defaulted" : "failed";
}

/** It cannot run although its dependencies have results: a declared default comes before skipping. */
export function endUnrun({ optional, hasDefault }: PlanNode): UnrunStatus {
  if (hasDefault) return "defaulted";
  return optional ? "skipped" : "failed";
}

/**
 * The fault of a node that cannot run, with the class and code of the first failure. `root` is the fault of the node that ran and
 * failed, however many nodes are in between, so that faults at the end of a long chain are as short as those at its beginning.
 */
export function faultWithoutNeed(root: Fault, need: string, status: NodeStatus): Fault {
  return wrap(root, `needs ${need}, which ${STATUSES[status].told}`, { need });
}
