// A node where paths join. Its output is the value of its expression, or the outputs of all nodes by name.

import type { Stage, StageScope } from "../../workflow-model/stage.ts";
import { type NodeDeps, stageBase } from "./base.ts";
import { expressionScope } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

export function mergeStage(options: Extract<NodeOptions, { readonly kind: "merge" }>, home: NodeDeps): Stage {
  const { id, expression } = options;
  return {
    ...stageBase(options, home),
    kind: "merge",
    init: () => expression ?? "",
    act: async (_request, _tools, scope) => ({
      output:
        expression === null
          ? outputsOf(scope)
          : await home.sandbox.evaluate(expression, expressionScope(scope), `the value of node ${id}`),
      capHit: false,
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
