// A node that calls one tool of the workflow, as a protected call with input from its templates.

import { fault, FaultError, type ItemFault } from "../../core/fault/fault.ts";
import { viewFor } from "../../core/fault/view.ts";
import type { Outcome } from "../../runtime/call/outcome.ts";
import type { AnyTool } from "../../runtime/tool/tool.ts";
import type { Stage } from "../../workflow-model/stage.ts";
import { initUnlessSkipped, type NodeDeps, stageBase } from "./base.ts";
import { expressionScope, renderedDeep } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

type ToolNodeOptions = Extract<NodeOptions, { readonly kind: "tool" }>;

/** The output that a partly successful tool leaves to later nodes. */
export interface PartialToolOutput {
  readonly partial: true;
  readonly value: unknown;
  readonly errors: readonly { readonly item: string | number; readonly code: string; readonly message: string }[];
}

export function toolStage(options: ToolNodeOptions, deps: NodeDeps): Stage {
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
