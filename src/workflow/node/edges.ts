// Chooses the next node after a node has ended: the first open edge wins.

import type { Route } from "../../core/flow/visit.ts";
import type { Sandbox, SandboxScope } from "../../sandbox/sandbox.ts";
import { holds } from "./expression-scope.ts";
import type { Edge } from "../../workflow-model/node-options.ts";

/** The target of an edge that ends the workflow. */
const END = "end";

export interface EdgeChoice {
  readonly node: string;
  readonly edges: readonly Edge[];
  readonly sandbox: Sandbox;
  readonly scope: SandboxScope;
  readonly executionsOf: (node: string) => number;
  readonly outcomeWord: string;
}

/** null when no edge is open. */
export async function firstOpenRoute(choice: EdgeChoice): Promise<Route | null> {
  for (const edge of choice.edges) {
    if (await isOpen(edge, choice)) return routeOf(edge, choice.outcomeWord);
  }
  return null;
}

function routeOf({ to, outcome }: Edge, outcomeWord: string): Route {
  if (to === END) return { kind: "end", outcome: outcome === "" ? outcomeWord : outcome };
  return { kind: "to", nodes: [to] };
}

async function isOpen({ to, when, max }: Edge, { node, sandbox, scope, executionsOf }: EdgeChoice): Promise<boolean> {
  // The end is not a node, so it has no visit limit.
  if (to !== END && executionsOf(to) >= max) return false;
  return when === null || (await holds(sandbox, when, scope, `the condition of the edge from ${node} to ${to}`));
}
