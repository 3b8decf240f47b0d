// A plan of calls within a turn, and who needs whom. Checked once, before anything runs: a plan that could never end is
// refused by name. Every walk is a loop over nodes and needs, so that a long chain costs no stack.

import { nameFault } from "./name.ts";
import { fault, type Fault, type FaultContext } from "../fault/fault.ts";

/** A step of a plan, as the planner sees it. */
export interface PlanNode {
  readonly id: string;
  readonly tool: string;
  /** What the user knows it by: "hotel search". */
  readonly label: string;
  /** Nodes whose results it works with. */
  readonly needs: readonly string[];
  /** The turn continues without it. */
  readonly optional: boolean;
  /** A default value is declared for its result. */
  readonly hasDefault: boolean;
}

/** In the order in which the nodes were given. */
export interface Plan {
  readonly nodes: ReadonlyMap<string, PlanNode>;
  /** Who needs a node; every node has a list. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
  /** Nodes without dependencies. */
  readonly roots: readonly string[];
}

export type CheckedPlan =
  | { readonly plan: Plan; readonly fault: null }
  | { readonly plan: null; readonly fault: Fault };

/** Finds steps that need each other in a ring, or that need a step that is not there. */
export function checkPlan(given: readonly PlanNode[]): CheckedPlan {
  const nodes = new Map<string, PlanNode>();
  for (const [index, node] of given.entries()) {
    if (node.id === "") return refused(`node ${index + 1} of the plan has no id: give it one`, { field: "id", index });
    const unfit = nameFault("step", node.id);
    if (unfit !== null) return { plan: null, fault: unfit };
    if (nodes.has(node.id)) {
      return refused(`two nodes of the plan are called ${quoted(node.id)}: rename one of them`, {
        field: "id",
        node: node.id,
      });
    }
    // A need named twice is still one need.
    nodes.set(node.id, { ...node, needs: [...new Set(node.needs)] });
  }
  const dependents = new Map<string, string[]>(Array.from(nodes.keys(), (id) => [id, []]));
  for (const { id, needs } of nodes.values()) {
    for (const need of needs) {
      if (need === id) return refusedNeed(id, need, "which is itself: take this need away");
      const waiting = dependents.get(need);
      if (waiting === undefined) return refusedNeed(id, need, `which is not in the plan${hint(need, nodes)}`);
      waiting.push(id);
    }
  }
  const ring = findRing(nodes, dependents);
  if (ring !== null) {
    const shown = showRing(ring);
    const message = `nodes of the plan need each other in a ring: ${shown}: take one of these needs away`;
    return refused(message, { field: "needs", node: ring[0] ?? "", ring: shown });
  }
  const roots = [...nodes.values()].filter(({ needs }) => needs.length === 0).map(({ id }) => id);
  return { plan: { nodes, dependents, roots }, fault: null };
}

function refusedNeed(node: string, need: string, why: string): CheckedPlan {
  const message = `node ${quoted(node)} of the plan needs ${quoted(need)}, ${why}`;
  return refused(message, { field: "needs", node, need });
}

function refused(message: string, context: FaultContext): CheckedPlan {
  return { plan: null, fault: fault("ShapeInvalid", { message, context }) };
}

const LONGEST_SHOWN = 60;

function quoted(id: string): string {
  return JSON.stringify(id.length <= LONGEST_SHOWN ? id : `${id.slice(0, LONGEST_SHOWN)}…`);
}

function hint(need: string, nodes: ReadonlyMap<string, PlanNode>): string {
  for (const id of nodes.keys()) if (isOneSlipAway(need, id)) return `: did you mean ${quoted(id)}?`;
  return ": add it, or take this need away";
}

/** The same but for letter case, or for one character left out, put in or mistaken, or two that changed places. */
function isOneSlipAway(word: string, known: string): boolean {
  const [a, b] = [word.toLowerCase(), known.toLowerCase()];
  if (a === b) return true;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === `${right.charAt(1)}${right.charAt(0)}`;
}

/** A cycle: each node depends on the next, and the last on the first. null when there is none. */
function findRing(
  nodes: ReadonlyMap<string, PlanNode>,
  dependents: ReadonlyMap<string, readonly string[]>,
): readonly string[] | null {
  // Repeatedly removes nodes without open dependencies: what is left depends on a cycle.
  const waitsFor = new Map<string, number>();
  const free: string[] = [];
  for (const { id, needs } of nodes.values()) {
    if (needs.length === 0) free.push(id);
    else waitsFor.set(id, needs.length);
  }
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    for (const dependent of dependents.get(id) ?? []) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      if (left > 0) waitsFor.set(dependent, left);
      else {
        waitsFor.delete(dependent);
        free.push(dependent);
      }
    }
  }
  // Each one left needs another one left, so this walk comes back to where it has been.
  const stepOf = new Map<string, number>();
  const path: string[] = [];
  const [first] = waitsFor.keys();
  let at = first;
  while (at !== undefined && !stepOf.has(at)) {
    stepOf.set(at, path.length);
    path.push(at);
    at = nodes.get(at)?.needs.find((need) => waitsFor.has(need));
  }
  return at === undefined ? null : path.slice(stepOf.get(at));
}

const RING_SHOWN = 8;

/** `a → b → a`; of a long one the beginning. */
function showRing(ring: readonly string[]): string {
  const named = ring.slice(0, RING_SHOWN).map(shortened);
  const more = ring.length - named.length;
  return [...named, ...(more > 0 ? [`… ${more} more …`] : []), shortened(ring[0] ?? "")].join(" → ");
}

function shortened(id: string): string {
  return id.length <= LONGEST_SHOWN ? id : `${id.slice(0, LONGEST_SHOWN)}…`;
}
