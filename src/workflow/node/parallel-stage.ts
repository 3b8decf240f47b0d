// A node from which several paths go on side by side, to meet again at a merge.

import type { Stage } from "../../workflow-model/stage.ts";
import { type NodeDeps, stageBase } from "./base.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

export function parallelStage(options: Extract<NodeOptions, { readonly kind: "parallel" }>, home: NodeDeps): Stage {
  const base = stageBase(options, home);
  const { branches, join, failFast } = options;
  return {
    ...base,
    kind: "parallel",
    init: () => "",
    act: () => Promise.resolve({ output: null, capHit: false }),
    next: (ending, scope) => {
      if (ending.status === "completed") return { kind: "fan", nodes: branches, join, failFast };
      // Passed over are the branches; what comes after them is not.
      if (ending.status === "skipped" && options.next.length === 0) return { kind: "to", nodes: [join] };
      return base.next(ending, scope);
    },
  };
}
