// Every kind of node as a stage: one row per kind.

import type { Stage, StageEnding, StageScope } from "../../workflow-model/stage.ts";
import { agentStage } from "./agent-stage.ts";
import { type NodeDeps, stageBase, firstOpenRoute, initUnlessSkipped } from "./base.ts";
import { commandStage } from "./command-stage.ts";
import { gateStage } from "./gate-stage.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";
import { expressionScope, holds, scopeAfter, renderedDeep } from "./expression-scope.ts";
import { fault, FaultError, type ItemFault } from "../../core/fault/fault.ts";
import type { Route } from "../../core/flow/visit.ts";
import { viewFor } from "../../core/fault/view.ts";
import type { Outcome } from "../../runtime/call/outcome.ts";
import type { AnyTool } from "../../runtime/tool/tool.ts";

type Kind = NodeOptions["kind"];
type OptionsOf<K extends Kind> = Extract<NodeOptions, { readonly kind: K }>;

const STAGES: { readonly [K in Kind]: (options: OptionsOf<K>, deps: NodeDeps) => Stage } = {
  agent: agentStage,
  command: commandStage,
  tool: toolStage,
  human_gate: gateStage,
  condition: conditionStage,
  transform: transformStage,
  parallel: parallelStage,
  merge: mergeStage,
};

/** Throws a FaultError for options that can never work, such as an invalid entry in an allow list. */
export function createStage(options: NodeOptions, deps: NodeDeps): Stage {
  // The row and the options have the same kind, but the compiler cannot infer that from a table.
  const make = STAGES[options.kind] as (options: NodeOptions, deps: NodeDeps) => Stage;
  return make(options, deps);
}

// A node where paths join. Its output is the value of its expression, or the outputs of all nodes by name.

function mergeStage(options: Extract<NodeOptions, { readonly kind: "merge" }>, deps: NodeDeps): Stage {
  const { id, expression } = options;
  return {
    ...stageBase(options, deps),
    kind: "merge",
    init: () => expression ?? "",
    act: async (_request, _tools, scope) => ({
      output:
        expression === null
          ? outputsOf(scope)
          : await deps.sandbox.evaluate(expression, expressionScope(scope), `the value of node ${id}`),
    }),
  };
}

/** Leaves out nodes without an output and earlier visits of the merge itself. */
function outputsOf({ nodes, node }: StageScope): unknown {
  return Object.fromEntries(
    Object.entries(nodes)
      .filter(([id, { output }]) => id !== node && output !== undefined)
      .map(([id, { output }]) => [id, output]),
  );
}

// A node that starts several parallel paths, which join again at a merge.

function parallelStage(options: Extract<NodeOptions, { readonly kind: "parallel" }>, deps: NodeDeps): Stage {
  const base = stageBase(options, deps);
  const { branches, join, failFast } = options;
  return {
    ...base,
    kind: "parallel",
    init: () => "",
    act: () => Promise.resolve({ output: null }),
    next: (ending, scope) => {
      if (ending.status === "completed") return { kind: "fan", nodes: branches, join, failFast };
      // Only the branches are skipped, not the nodes after the join.
      if (ending.status === "skipped" && options.next.length === 0) return { kind: "to", nodes: [join] };
      return base.next(ending, scope);
    },
  };
}

// A node whose output is the value of an expression.

function transformStage(options: Extract<NodeOptions, { readonly kind: "transform" }>, deps: NodeDeps): Stage {
  const { id, expression } = options;
  return {
    ...stageBase(options, deps),
    kind: "transform",
    init: () => expression,
    act: async (_request, _tools, scope) => ({
      output: await deps.sandbox.evaluate(expression, expressionScope(scope), `the value of node ${id}`),
    }),
  };
}

// A node that branches on an expression: true or false, or the name of a case.

type ConditionOptions = Extract<NodeOptions, { readonly kind: "condition" }>;

function conditionStage(options: ConditionOptions, deps: NodeDeps): Stage {
  const base = stageBase(options, deps);
  return {
    ...base,
    kind: "condition",
    init: () => options.expression,
    act: async (_request, _tools, scope) => ({ output: await chosen(options, deps, scope) }),
    next: async (ending, scope) => (await routeOfCase(options, deps, ending, scope)) ?? base.next(ending, scope),
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

// A node that calls one tool of the workflow, as a protected call with input from its templates.

type ToolNodeOptions = Extract<NodeOptions, { readonly kind: "tool" }>;

/** The output that a partly successful tool leaves to later nodes. */
export interface PartialToolOutput {
  readonly partial: true;
  readonly value: unknown;
  readonly errors: readonly { readonly item: string | number; readonly code: string; readonly message: string }[];
}

function toolStage(options: ToolNodeOptions, deps: NodeDeps): Stage {
  return {
    ...stageBase(options, deps),
    kind: "tool",
    init: initUnlessSkipped(options, deps, (scope) =>
      JSON.stringify(renderedDeep(options.input, expressionScope(scope)) ?? null),
    ),
    act: async (request, tools) => {
      const called = foundTool(options, deps);
      const input: unknown = JSON.parse(request);
      const outcome = await tools.turn.protect(called, input as never, { id: "tool" });
      tools.raw(`${called.id} ${outcome.status}\n${"fault" in outcome ? outcome.fault.evidence.excerpt : ""}\n`);
      return { output: outputOf(outcome) };
    },
  };
}

function foundTool({ id, tool }: ToolNodeOptions, deps: NodeDeps): AnyTool {
  const found = deps.tool(tool);
  if (found !== undefined) return found;
  const message = `node ${id} calls the tool ${tool}, but the workflow has no tool of that name. Declare it under tools, or correct the name.`;
  throw new FaultError(fault("NotFound", { message, context: { tool, stage: id, ran: false } }));
}

/** Throws the call's fault when it has no value. */
function outputOf(outcome: Outcome<unknown>): unknown {
  switch (outcome.status) {
    case "done":
      return outcome.errors.length === 0 ? outcome.value : partOf(outcome.value, outcome.errors, outcome.call);
    case "partial":
      return partOf(outcome.value, [...outcome.errors, { item: "call", fault: outcome.fault }], outcome.call);
    case "defaulted":
      return outcome.value;
    // The tool is optional, so the node completes without it.
    case "skipped":
      return null;
    case "surfaced":
    case "failed":
    case "cancelled":
    case "waiting":
    case "parked":
      throw new FaultError(outcome.fault);
  }
}

/** In words that are safe for models, because outputs go into prompts. */
function partOf(value: unknown, errors: readonly ItemFault[], correlationId: string): PartialToolOutput {
  return {
    partial: true,
    value,
    errors: errors.map(({ item, fault: seen }) => {
      const { code, message } = viewFor("model", seen, { correlationId });
      return { item, code, message };
    }),
  };
}
