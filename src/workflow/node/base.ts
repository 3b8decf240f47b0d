// The common part of all node kinds as stages: when they are skipped, what must be true of their output, and where they lead. Each
// kind adds Init and Act, and overrides what differs.

import { fault } from "../../core/fault/fault.ts";
import type { Route } from "../../core/flow/visit.ts";
import type { Clock } from "../../host/clock.ts";
import type { AnyTool } from "../../runtime/tool/tool.ts";
import type { Sandbox, SandboxScope } from "../../sandbox/sandbox.ts";
import type { AssertVerdict, GateVerdict, Stage, StageEnding, StageScope } from "../../workflow-model/stage.ts";
import { expressionScope, holds, scopeAfter, scopeWithOutput } from "./expression-scope.ts";
import type { NodeBase, Edge } from "../../workflow-model/node-options.ts";

/** The dependencies of nodes. */
export interface NodeDeps {
  readonly sandbox: Sandbox;
  /** The environment of commands and tools; they get no other variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default working folder of commands, and the base of relative ones. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly tool: (id: string) => AnyTool | undefined;
  /** Fetches the definitions of these tools from their MCP servers, before a model sees them. */
  readonly learn: (ids: readonly string[]) => Promise<void>;
  /** The outcome of a run whose last node has no next node. */
  readonly outcomeWord: string;
}

export type StageBase = Pick<
  Stage,
  | "id"
  | "rules"
  | "timeoutMs"
  | "role"
  | "refusal"
  | "setup"
  | "checkGate"
  | "assert"
  | "exit"
  | "next"
  | "turnCap"
  | "maxCostMicrocents"
>;

export function stageBase(options: NodeBase, deps: NodeDeps): StageBase {
  const { id, rules, timeoutMs, role } = options;
  return {
    id,
    rules,
    timeoutMs,
    role: role === "coder" ? null : role,
    turnCap: 1,
    maxCostMicrocents: 0,
    refusal: () => null,
    setup: () => null,
    checkGate: (_context, scope) => checkGate(options, deps, scope),
    assert: ({ output }, scope) => checkAsserts(options, deps, scope, output),
    exit: ({ output }) => output,
    next: (ending, scope) => nextOf(options, deps, ending, scope),
  };
}

async function checkGate({ id, onlyIf }: NodeBase, { sandbox }: NodeDeps, scope: StageScope): Promise<GateVerdict> {
  if (onlyIf === null || (await holds(sandbox, onlyIf, expressionScope(scope), `only_if of node ${id}`)))
    return { verdict: "proceed" };
  return { verdict: "skip", reason: `only_if of node ${id} is false` };
}

async function checkAsserts(
  { id, asserts }: NodeBase,
  { sandbox }: NodeDeps,
  scope: StageScope,
  output: unknown,
): Promise<AssertVerdict> {
  const seen = scopeWithOutput(scope, output);
  for (const [index, { expression, reason, verdict }] of asserts.entries()) {
    if (await holds(sandbox, expression, seen, `assert ${index + 1} of node ${id}`)) continue;
    const message = `node ${id} completed with an output that was not accepted: ${reason}`;
    return { verdict, reason, fault: fault("AssertFailed", { message, context: { stage: id, assert: index + 1 } }) };
  }
  return { verdict: "ok" };
}

async function nextOf(
  { id, next, onFailure }: NodeBase,
  { sandbox, outcomeWord }: NodeDeps,
  ending: StageEnding,
  scope: StageScope,
): Promise<Route | null> {
  const hasFailed = ending.status === "failed";
  const route = await firstOpenRoute({
    node: id,
    edges: hasFailed ? onFailure : next,
    sandbox,
    scope: scopeAfter(scope, ending),
    executionsOf: scope.executionsOf,
    outcomeWord,
  });
  // If a failed node has no next node, its resolution policy decides.
  return route ?? (hasFailed ? null : { kind: "end", outcome: outcomeWord });
}

/** Init runs before CheckGate, so a node that will be skipped composes nothing: its inputs may not exist. */
export function initUnlessSkipped(
  options: NodeBase,
  deps: NodeDeps,
  compose: (scope: StageScope) => Promise<string> | string,
): Stage["init"] {
  return async (_context, scope) => {
    const { verdict } = await checkGate(options, deps, scope);
    return verdict === "proceed" ? compose(scope) : "";
  };
}

// Chooses the next node after a node has ended: the first open edge wins.

/** The target of an edge that ends the workflow. */
const END = "end";

interface EdgeChoice {
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
