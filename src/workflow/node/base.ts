// What all kinds of nodes have in common as stages: when they are passed over, what must be true of their output, and where
// they lead. A kind adds Init and Act, and changes what is different for it.

import { fault } from "../../core/fault/fault.ts";
import type { Route } from "../../core/flow/node.ts";
import type { Clock } from "../../host/clock.ts";
import type { AnyTool } from "../../runtime/tool/tool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { AssertVerdict, GateVerdict, Stage, StageEnding, StageScope } from "../../workflow-model/stage.ts";
import { firstOpenRoute } from "./edges.ts";
import { expressionScope, holds, scopeAfter, scopeWithOutput } from "./expression-scope.ts";
import type { NodeBase } from "../../workflow-model/node-options.ts";

/** What nodes need of the place they run in. */
export interface NodeDeps {
  readonly sandbox: Sandbox;
  /** For commands and tools; nothing else of the environment reaches them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where commands run when their node names no folder, and what a relative one is relative to. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly tool: (id: string) => AnyTool | undefined;
  /** Asks the servers of these tools what they take, before a model is told. */
  readonly learn: (ids: readonly string[]) => Promise<void>;
  /** The outcome of a run whose last node leads nowhere. */
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

export function stageBase(options: NodeBase, home: NodeDeps): StageBase {
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
    checkGate: (_context, scope) => checkGate(options, home, scope),
    assert: ({ output }, scope) => checkAsserts(options, home, scope, output),
    exit: ({ output }) => output,
    next: (ending, scope) => nextOf(options, home, ending, scope),
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
    const message = `node ${id} ended with an output that is not accepted: ${reason}`;
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
  // A node that failed and leads nowhere is its resolution policy's to decide.
  return route ?? (hasFailed ? null : { kind: "end", outcome: outcomeWord });
}

/** Init comes before CheckGate: what would be composed for a node that is passed over may not even be there. */
export function initUnlessSkipped(
  options: NodeBase,
  home: NodeDeps,
  compose: (scope: StageScope) => Promise<string> | string,
): Stage["init"] {
  return async (_context, scope) => {
    const { verdict } = await checkGate(options, home, scope);
    return verdict === "proceed" ? compose(scope) : "";
  };
}
