// The variables of a node's expressions and templates: `inputs`, `nodes`, `run`, and `output` once it exists. Also evaluates
// conditions, so that `when`, `only_if` and `assert` all work the same way.

import { isFaultError } from "../../core/fault/fault.ts";
import { shownFault } from "../operator/instructions.ts";
import type { Sandbox, SandboxScope } from "../../sandbox/sandbox.ts";
import { parseTemplate, renderTemplate } from "../../sandbox/template.ts";
import type { NodeResult, StageEnding, StageScope } from "../../workflow-model/stage.ts";

export function expressionScope({ inputs, nodes, run, execution, attempt }: StageScope): SandboxScope {
  return { inputs, nodes, run: { id: run, execution, attempt } };
}

/** For asserts: includes the output of Act, before the node has ended. */
export function scopeWithOutput(scope: StageScope, output: unknown): SandboxScope {
  return { ...expressionScope(scope), output };
}

/** For the edges out of a node: it has ended, and `nodes` includes its own result. */
export function scopeAfter(scope: StageScope, ending: StageEnding): SandboxScope {
  // Computed keys, not a spread of an object literal: a node may be called `__proto__`.
  const nodes = Object.fromEntries([...Object.entries(scope.nodes), [scope.node, resultOf(scope, ending)]]);
  return { ...scopeWithOutput({ ...scope, nodes }, ending.output) };
}

function resultOf({ execution, attempt }: StageScope, { status, output, fault }: StageEnding): NodeResult {
  return { status, output, execution, attempts: attempt, fault: shownFault(fault) };
}

/** A condition is true if its value is truthy. A missing value, such as an absent field, is false. */
export async function holds(sandbox: Sandbox, expression: string, scope: SandboxScope, what: string): Promise<boolean> {
  try {
    return Boolean(await sandbox.evaluate(expression, scope, what));
  } catch (error) {
    if (isFaultError(error) && error.fault.context["cause"] === "result") return false;
    throw error;
  }
}

/** Renders a template. */
export function rendered(template: string, scope: SandboxScope): string {
  return renderTemplate(parseTemplate(template), scope);
}

/** Renders the strings in a JSON value as templates; everything else is unchanged. */
export function renderedDeep(value: unknown, scope: SandboxScope): unknown {
  if (typeof value === "string") return rendered(value, scope);
  if (Array.isArray(value)) return value.map((part: unknown) => renderedDeep(part, scope));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, renderedDeep(part, scope)]));
}
