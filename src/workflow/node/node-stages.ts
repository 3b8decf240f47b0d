// Every kind of node as a stage: one row per kind.

import type { Stage } from "../../workflow-model/stage.ts";
import { agentStage } from "./agent-stage.ts";
import type { NodeDeps } from "./base.ts";
import { commandStage } from "./command-stage.ts";
import { conditionStage } from "./condition-stage.ts";
import { gateStage } from "./gate-stage.ts";
import { mergeStage } from "./merge-stage.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";
import { parallelStage } from "./parallel-stage.ts";
import { toolStage } from "./tool-stage.ts";
import { transformStage } from "./transform-stage.ts";

type Kind = NodeOptions["kind"];
type OptionsOf<K extends Kind> = Extract<NodeOptions, { readonly kind: K }>;

const STAGES: { readonly [K in Kind]: (options: OptionsOf<K>, home: NodeDeps) => Stage } = {
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
export function createStage(options: NodeOptions, home: NodeDeps): Stage {
  // The row and the options have the same kind, but the compiler cannot infer that from a table.
  const make = STAGES[options.kind] as (options: NodeOptions, home: NodeDeps) => Stage;
  return make(options, home);
}
