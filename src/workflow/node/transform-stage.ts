// A node whose output is the value of an expression.

import type { Stage } from "../../workflow-model/stage.ts";
import { type NodeDeps, stageBase } from "./base.ts";
import { expressionScope } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

export function transformStage(options: Extract<NodeOptions, { readonly kind: "transform" }>, home: NodeDeps): Stage {
  const { id, expression } = options;
  return {
    ...stageBase(options, home),
    kind: "transform",
    init: () => expression,
    act: async (_request, _tools, scope) => ({
      output: await home.sandbox.evaluate(expression, expressionScope(scope), `the value of node ${id}`),
      capHit: false,
    }),
  };
}
