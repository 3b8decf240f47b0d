// A workflow as people see it before it runs: its inputs as a form, its nodes, edges and tools. Made from the file, or from the stages.

import type { InputSpec, WorkflowDefinition } from "../../workflow-file/definition.ts";
import type { Edge, NodeOptions, ToolSpec } from "../../workflow-model/node-options.ts";
import type { OutlineEdge, OutlineNode, OutlineTool, Stage, WorkflowOutline } from "../../workflow-model/stage.ts";
import { agentTargetIds } from "../node/agent-targets.ts";

export function outlineOf({ inputs, nodes, tools }: WorkflowDefinition): WorkflowOutline {
  return {
    inputs: inputSchema(inputs),
    nodes: nodes.map(nodeOf),
    edges: nodes.flatMap(edgesOf),
    tools: tools.map(toolOf),
  };
}

/** The outline of a workflow written in TypeScript: what its stages do is known only when they run. */
export function outlineOfStages(stages: ReadonlyMap<string, Stage>): WorkflowOutline {
  const nodes = Array.from(stages.values(), ({ id, kind }) => ({ id, kind, targets: [], tools: [] }));
  return { inputs: null, nodes, edges: [], tools: [] };
}

function inputSchema(inputs: readonly InputSpec[]): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: Object.fromEntries(inputs.map((input) => [input.name, propertyOf(input)])),
    required: inputs.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function propertyOf({ type, description, choices, default: fallback, secret }: InputSpec): object {
  return {
    type,
    ...(description === "" ? {} : { description }),
    ...(choices === null ? {} : { enum: choices }),
    // The default of a secret is a secret.
    ...(fallback === null || secret ? {} : { default: fallback.value }),
    ...(secret ? { writeOnly: true, format: "password" } : {}),
  };
}

function nodeOf(node: NodeOptions): OutlineNode {
  const { id, kind } = node;
  if (node.kind === "agent") return { id, kind, targets: agentTargetIds(node.agent), tools: node.agent.tools };
  return { id, kind, targets: [], tools: node.kind === "tool" ? [node.tool] : [] };
}

function edgesOf(node: NodeOptions): readonly OutlineEdge[] {
  const { id: from } = node;
  const cases = node.kind === "condition" ? Object.entries(node.cases) : [];
  const fan =
    node.kind === "parallel"
      ? [...node.branches.map((to) => plain(from, to, "branch")), plain(from, node.join, "join")]
      : [];
  return [
    ...cases.map(([name, edge]) => ({ ...edgeOf(from, edge, "case"), when: name })),
    ...fan,
    ...node.next.map((edge) => edgeOf(from, edge, "next")),
    ...node.onFailure.map((edge) => edgeOf(from, edge, "failure")),
  ];
}

function edgeOf(from: string, { to, when, max, outcome }: Edge, kind: OutlineEdge["kind"]): OutlineEdge {
  return { from, to, kind, when, max: Number.isFinite(max) ? max : null, outcome };
}

function plain(from: string, to: string, kind: OutlineEdge["kind"]): OutlineEdge {
  return { from, to, kind, when: null, max: null, outcome: "" };
}

function toolOf({ id, description, run, idempotent, optional, timeoutMs, alternatives }: ToolSpec): OutlineTool {
  return { id, kind: run.kind, description, idempotent, optional, timeoutMs, alternatives };
}
