// A node that starts several parallel paths, which join again at a merge.

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
      // Only the branches are skipped, not the nodes after the join.
      if (ending.status === "skipped" && options.next.length === 0) return { kind: "to", nodes: [join] };
      return base.next(ending, scope);
    },
  };
}
