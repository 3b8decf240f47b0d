// A workflow as people see it before it runs: the form of its inputs, every kind of node, edge and tool.

import { expect, it } from "vitest";
import { outlineOf, outlineOfStages } from "../../../src/workflow/definition/outline.ts";
import { defineWorkflow, stage } from "../../../src/workflow/define.ts";
import { definitionOf, HEAD, text } from "../../workflow-file/workflow-text.ts";

const FLOW = text(
  ...HEAD,
  "inputs:",
  "  task: { type: string, required: true, description: What to do }",
  "  size: { type: string, enum: [small, large], default: small }",
  "  token: { type: string, secret: true }",
  "tools:",
  "  find: { command: [find, .], description: Finds files, idempotent: true }",
  "agents:",
  "  coder: { cli: claude }",
  "nodes:",
  "  write: { type: agent, agent: coder, prompt: Write, next: ask }",
  "  ask: { type: human_gate, prompt: 'ok?', next: [{ to: write, when: '!nodes.ask.output.approved', max: 2 }, { to: look }] }",
  "  look: { type: tool, tool: find, on_failure: [{ to: write, max: 1 }] }",
);

it("has the form of the inputs; a secret has no default in it", async () => {
  const definition = await definitionOf(FLOW);
  const withDefault = definition.inputs.map((one) => (one.secret ? { ...one, default: { value: "s3cret" } } : one));
  const { inputs } = outlineOf({ ...definition, inputs: withDefault });
  expect(inputs).toEqual({
    type: "object",
    properties: {
      task: { type: "string", description: "What to do" },
      size: { type: "string", enum: ["small", "large"], default: "small" },
      token: { type: "string", writeOnly: true, format: "password" },
    },
    required: ["task", "token"],
    additionalProperties: false,
  });
  expect(JSON.stringify(inputs)).not.toContain("s3cret");
});

it("has every node with what it asks and uses, every edge, and the tools", async () => {
  const { nodes, edges, tools } = outlineOf(await definitionOf(FLOW));
  expect(nodes).toEqual([
    { id: "write", kind: "agent", targets: ["claude"], tools: [] },
    { id: "ask", kind: "human_gate", targets: [], tools: [] },
    { id: "look", kind: "tool", targets: [], tools: ["find"] },
  ]);
  const plain = { when: null, max: null, outcome: "" };
  expect(edges).toEqual([
    { ...plain, from: "write", to: "ask", kind: "next" },
    { ...plain, from: "ask", to: "write", kind: "next", when: "!nodes.ask.output.approved", max: 2 },
    { ...plain, from: "ask", to: "look", kind: "next" },
    { ...plain, from: "look", to: "write", kind: "failure", max: 1 },
  ]);
  expect(tools).toMatchObject([{ id: "find", description: "Finds files", idempotent: true, optional: false }]);
});

it("of stages in TypeScript has their nodes only", () => {
  const { stages } = defineWorkflow({ id: "w", stages: { a: stage({ act: () => 1 }), b: stage({ act: () => 2 }) } });
  const nodes = [...stages.values()].map(({ id, kind }) => ({ id, kind, targets: [], tools: [] }));
  expect(nodes).toHaveLength(2);
  expect(outlineOfStages(stages)).toEqual({ inputs: null, nodes, edges: [], tools: [] });
});
