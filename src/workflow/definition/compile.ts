// A workflow file's definition → a workflow: every node becomes a stage.

import { readInputs } from "../../workflow-file/inputs.ts";
import type { WorkflowDefinition } from "../../workflow-file/definition.ts";
import { keysOf } from "./known-keys.ts";
import { outlineOf } from "./outline.ts";
import { agentTargetIds } from "../node/agent-targets.ts";
import type { NodeDeps } from "../node/base.ts";
import { createStage } from "../node/node-stages.ts";
import { policyOfRuns } from "../../core/policy/runs-policy.ts";
import type { Workflow } from "../../workflow-model/stage.ts";

export function compileWorkflow(definition: WorkflowDefinition, home: NodeDeps): Workflow {
  const { id, version, name, digest, source, limits, policy, start, inputs, nodes } = definition;
  const targets = new Map(nodes.map((node) => [node.id, node.kind === "agent" ? agentTargetIds(node.agent) : []]));
  return {
    id,
    version,
    name,
    digest,
    source,
    secrets: keysOf(definition, home.env),
    limits,
    policy: policy === null ? null : policyOfRuns(policy),
    start: [start],
    stages: new Map(nodes.map((node) => [node.id, createStage(node, home)])),
    outline: outlineOf(definition),
    readInputs: (given) => readInputs(inputs, given),
    targetsOf: (node) => targets.get(node) ?? [],
    sendBackTo: (node) => repairNode(definition, node),
  };
}

/** The agent that can repair the work: the one its edges lead back to, else the coder, else, for a gate, the agent before it. */
function repairNode({ nodes }: WorkflowDefinition, id: string): string | null {
  const agents = nodes.filter((node) => node.kind === "agent" && node.id !== id);
  const own = nodes.find((node) => node.id === id);
  const back = [...(own?.onFailure ?? []), ...(own?.next ?? [])].filter(({ max }) => Number.isFinite(max));
  const repairer =
    agents.find((agent) => back.some(({ to }) => to === agent.id)) ??
    agents.find(({ role }) => role === "coder") ??
    (own?.kind === "human_gate" ? agents.find(({ next }) => next.some(({ to }) => to === id)) : undefined);
  return repairer?.id ?? null;
}
