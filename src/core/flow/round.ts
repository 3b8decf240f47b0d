// The progress of one plan: which nodes may run now, and which come to an end without running. Plain memory, no I/O.
// N1  Every node ends once. A second result for it is ignored, as a late result of a call is.
// N2  A node becomes ready once, when everything it needs has a usable end, and never after.
// N3  Which nodes run, and how those that do not run end, does not depend on the order in which others end.
// N4  Each need is looked at once, when the node it names ends: the whole costs as much as the plan is large.

import { fault, type Fault, FaultError, wrap } from "../fault/fault.ts";
import type { Plan, PlanNode } from "./plan.ts";
import type { CallEnd } from "./call.ts";

export interface NodeEnd {
  readonly status: NodeStatus;
  /** null for a completed node. */
  readonly fault: Fault | null;
}

/** A node that ended without running. */
export interface Settled {
  readonly node: string;
  readonly status: UnrunStatus;
  readonly fault: Fault;
  /** The node it needed and could not have; empty when time or cancellation ended it. */
  readonly because: string;
}

interface Progress {
  /** Nodes that may run now, each reported once. */
  readonly ready: readonly string[];
  readonly settled: readonly Settled[];
}

type NodeState = "waiting" | "ready" | "ended";

/** A node that has ended and whose dependents have not been updated yet. */
interface Ended {
  readonly node: string;
  readonly status: NodeStatus;
  /** The first failure, which this end follows from; null when the end is usable. */
  readonly root: Fault | null;
}

const NOTHING: Progress = Object.freeze({ ready: [], settled: [] });

/** One round of a plan: which of its nodes may run, and how those end that cannot. */
export class Round {
  readonly #plan: Plan;
  readonly #states = new Map<string, NodeState>();
  /** How many of a node's needs have no usable end yet. */
  readonly #missing = new Map<string, number>();
  #open: number;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#open = plan.nodes.size;
    for (const { id, needs } of plan.nodes.values()) {
      this.#states.set(id, needs.length === 0 ? "ready" : "waiting");
      this.#missing.set(id, needs.length);
    }
  }

  /** How many nodes have not ended. */
  get open(): number {
    return this.#open;
  }

  /** The nodes that may run at the beginning. */
  ready(): readonly string[] {
    return this.#plan.roots;
  }

  /** A node that was ready has ended. */
  settle(node: string, { status, fault: met }: NodeEnd): Progress {
    const state = this.#states.get(node);
    if (state === "ended") return NOTHING;
    if (state !== "ready") throw new FaultError(endedTooSoon(node));
    this.#end(node);
    return this.#propagate({ node, status, root: isUsable(status) ? null : (met ?? withoutFault(node, status)) });
  }

  /**
   * Nothing new begins. Ends every node that was not ready yet, and of those that were ready the ones named in `held`:
   * the caller has not begun them. What runs stays open until it is settled.
   */
  expire(met: Fault, held: readonly string[] = []): readonly Settled[] {
    const unbegun = new Set(held);
    const settled: Settled[] = [];
    for (const node of this.#plan.nodes.values()) {
      const state = this.#states.get(node.id);
      if (state === "ended" || (state === "ready" && !unbegun.has(node.id))) continue;
      this.#end(node.id);
      settled.push({ node: node.id, status: endUnrun(node), fault: met, because: "" });
    }
    return settled;
  }

  /** Updates the node's dependents, then the dependents of nodes that end as a result, nearest first. */
  #propagate(first: Ended): Progress {
    const ready: string[] = [];
    const settled: Settled[] = [];
    const ended = [first];
    // The list grows while it is walked.
    for (const { node, status, root } of ended) {
      for (const dependent of this.#plan.dependents.get(node) ?? []) {
        if (this.#states.get(dependent) !== "waiting") continue;
        if (root === null) {
          if (this.#countNeed(dependent)) ready.push(dependent);
          continue;
        }
        const end = this.#endWithout(dependent, node, status, root);
        settled.push(end);
        ended.push({ node: dependent, status: end.status, root: isUsable(end.status) ? null : root });
      }
    }
    return { ready, settled };
  }

  /** Counts a need that has a usable end. True: it was the last one. */
  #countNeed(node: string): boolean {
    const missing = (this.#missing.get(node) ?? 0) - 1;
    this.#missing.set(node, missing);
    if (missing > 0) return false;
    this.#states.set(node, "ready");
    return true;
  }

  #endWithout(id: string, need: string, status: NodeStatus, root: Fault): Settled {
    const node = this.#plan.nodes.get(id);
    if (node === undefined) throw new FaultError(notInPlan(id));
    this.#end(id);
    return { node: id, status: endWithoutNeed(node), fault: faultWithoutNeed(root, need, status), because: need };
  }

  #end(node: string): void {
    this.#states.set(node, "ended");
    this.#open--;
  }
}

/** The caller that settles a node gives the fault; this one stands in when it gave none. */
function withoutFault(node: string, status: NodeStatus): Fault {
  return fault("InvariantBroken", {
    message: `node ${node} ended as ${status} without a reason`,
    context: { node },
  });
}

function endedTooSoon(node: string): Fault {
  return fault("InvariantBroken", {
    message: `node ${node} ended before it was ready, or is not in the plan`,
    context: { node },
  });
}

function notInPlan(node: string): Fault {
  return fault("InvariantBroken", {
    message: `node ${node} is needed, and is not in the plan: check it with checkPlan`,
    context: { node },
  });
}

// How a node ends that cannot run, because a dependency has no result or because the time is up. `round.ts` finds out which nodes
// are affected, and when.

export type NodeStatus = CallEnd["status"];
type UnrunStatus = "defaulted" | "skipped" | "failed";

interface StatusTraits {
  /** There is a result, whole, in part or declared, that others can work with. */
  readonly usable: boolean;
  /** How a sentence about a node that others need ends. */
  readonly clause: string;
}

// prettier-ignore
const STATUSES: Readonly<Record<NodeStatus, StatusTraits>> = {
  done:      { usable: true,  clause: "is done" },
  partial:   { usable: true,  clause: "is there in part" },
  defaulted: { usable: true,  clause: "has its default" },
  skipped:   { usable: false, clause: "was skipped" },
  surfaced:  { usable: false, clause: "failed" },
  failed:    { usable: false, clause: "failed" },
  cancelled: { usable: false, clause: "was cancelled" },
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
  return wrap(root, `needs ${need}, which ${STATUSES[status].clause}`, { need });
}
