// A node that branches on an expression: true or false, or the name of a case.

import { fault } from "../../core/fault/fault.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import type { Route } from "../../core/flow/node.ts";
import type { Stage, StageEnding, StageScope } from "../../workflow-model/stage.ts";
import { type NodeDeps, stageBase } from "./base.ts";
import { firstOpenRoute } from "./edges.ts";
import { expressionScope, holds, scopeAfter } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

type ConditionOptions = Extract<NodeOptions, { readonly kind: "condition" }>;

export function conditionStage(options: ConditionOptions, home: NodeDeps): Stage {
  const base = stageBase(options, home);
  return {
    ...base,
    kind: "condition",
    init: () => options.expression,
    act: async (_request, _tools, scope) => ({ output: await chosen(options, home, scope), capHit: false }),
    next: async (ending, scope) => (await routeOfCase(options, home, ending, scope)) ?? base.next(ending, scope),
  };
}

const YES_OR_NO: readonly string[] = ["true", "false"];

/** The value later nodes see: true, false, or the name of the case. */
async function chosen(options: ConditionOptions, { sandbox }: NodeDeps, scope: StageScope): Promise<boolean | string> {
  const { id, expression, cases } = options;
  const seen = expressionScope(scope);
  const what = `the condition of node ${id}`;
  // With only these cases, the expression is read like any other condition.
  if (Object.keys(cases).every((name) => YES_OR_NO.includes(name))) {
    const isTrue = await holds(sandbox, expression, seen, what);
    return caseOf(options, String(isTrue)) === undefined ? unknownCase(options, String(isTrue)) : isTrue;
  }
  const value = await sandbox.evaluate(expression, seen, what);
  const name = typeof value === "string" ? value : JSON.stringify(value);
  if (caseOf(options, name) === undefined) return unknownCase(options, name);
  return typeof value === "boolean" ? value : name;
}

/** Own properties only: `constructor` is not a case. */
function caseOf({ cases }: ConditionOptions, name: string): ConditionOptions["cases"][string] | undefined {
  return Object.hasOwn(cases, name) ? cases[name] : undefined;
}

const LONGEST_SHOWN = 60;

function unknownCase({ id, cases }: ConditionOptions, name: string): never {
  const there = Object.keys(cases).join(", ");
  const message = `the condition of node ${id} gave ${JSON.stringify(name.slice(0, LONGEST_SHOWN))}, but there is no such case. The cases are: ${there}. Add the case, or correct the expression.`;
  throw new FaultError(
    fault("SandboxFailed", { message, context: { where: `the condition of node ${id}`, stage: id } }),
  );
}

/** null when the case's edge is closed, or the node chose no case. */
async function routeOfCase(
  options: ConditionOptions,
  { sandbox, outcomeWord }: NodeDeps,
  ending: StageEnding,
  scope: StageScope,
): Promise<Route | null> {
  const edge = ending.status === "completed" ? caseOf(options, String(ending.output)) : undefined;
  if (edge === undefined) return null;
  const after = scopeAfter(scope, ending);
  const { executionsOf } = scope;
  return firstOpenRoute({ node: options.id, edges: [edge], sandbox, scope: after, executionsOf, outcomeWord });
}
