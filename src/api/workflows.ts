// Workflows and their tools: shapes and routes.

import { z } from "zod";
import { route } from "./route.ts";
import { name } from "./shapes.ts";
import { NODE_KINDS } from "../core/flow/visit.ts";

const MAX_TEXT = 200_000;

export const workflowLine = z
  .object({
    id: z.string(),
    version: z.string(),
    name: z.string(),
    digest: z.string(),
    canStart: z.boolean().describe("False for a workflow that only the journal has: it was started elsewhere."),
    nodes: z.number(),
  })
  .meta({ id: "WorkflowLine" });

const declaredTool = z.object({
  id: z.string(),
  kind: z.enum(["command", "mcp"]),
  description: z.string(),
  idempotent: z.boolean(),
  optional: z.boolean(),
  timeoutMs: z.number(),
  alternatives: z.array(z.string()),
});

const outline = z
  .object({
    inputs: z.record(z.string(), z.unknown()).nullable().describe("JSON Schema of its inputs; null: not declared."),
    nodes: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(NODE_KINDS),
        targets: z.array(z.string()),
        tools: z.array(z.string()),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        kind: z.enum(["next", "failure", "case", "branch", "join"]),
        when: z.string().nullable(),
        max: z.number().nullable(),
        outcome: z.string(),
      }),
    ),
    tools: z.array(declaredTool),
  })
  .meta({ id: "WorkflowOutline" });

const workflowView = z
  .object({
    ...workflowLine.shape,
    start: z.array(z.string()),
    limits: z.object({
      maxParallel: z.number(),
      maxNodes: z.number(),
      timeoutMs: z.number().nullable(),
      maxCostMicrocents: z.number(),
      onExceed: z.string(),
    }),
    outline,
    file: z.string().optional().describe("Where it was read from; for operators."),
    text: z.string().optional().describe("Its definition; for operators."),
  })
  .meta({ id: "Workflow" });

const checkWorkflowBody = z
  .strictObject({
    text: z.string().max(MAX_TEXT).describe("A workflow in YAML. Files it refers to are not read."),
    name: z.string().min(1).max(200).optional().describe("The file's name, for the diagnostics."),
  })
  .meta({ id: "CheckWorkflow" });

const diagnosticView = z
  .object({
    severity: z.enum(["error", "warning"]),
    code: z.string(),
    message: z.string(),
    file: z.string(),
    line: z.number(),
    column: z.number(),
    help: z.string(),
  })
  .meta({ id: "Diagnostic" });

const checkedWorkflow = z
  .object({
    workflow: z
      .object({ id: z.string(), version: z.string(), name: z.string(), outline })
      .nullable()
      .describe("null when there is an error."),
    diagnostics: z.array(diagnosticView),
  })
  .meta({ id: "CheckedWorkflow" });

const toolView = z
  .object({
    ...declaredTool.shape,
    workflow: z.string(),
    usedBy: z.array(z.string()).describe("The nodes that use it."),
  })
  .meta({ id: "Tool" });

export const WORKFLOW_ROUTES = {
  listTools: route({
    summary: "The tools of the workflows that this server knows.",
    role: "viewer",
    answer: z.object({ items: z.array(toolView) }),
  }),
  listWorkflows: route({
    summary: "The workflows that this server knows.",
    role: "viewer",
    answer: z.object({ items: z.array(workflowLine) }),
  }),
  showWorkflow: route({
    summary: "A workflow: its inputs as a form, its nodes and edges, its limits.",
    role: "viewer",
    params: z.object({ workflow: name }),
    answer: workflowView,
    errors: [404],
  }),
  checkWorkflow: route({
    summary: "Checks the text of a workflow and lists its mistakes with their places.",
    role: "viewer",
    body: checkWorkflowBody,
    answer: checkedWorkflow,
  }),
};
