// The workflows that this server knows, and their tools.

import type { Shaped } from "../../api/route.ts";
import type { workflowLine } from "../../api/workflows.ts";
import type { KnownWorkflow } from "../../workflow/definition/known-workflows.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";

type Names = "listTools" | "listWorkflows" | "showWorkflow" | "checkWorkflow";

export function workflowHandlers({ workflows }: ServerParts): HandlersOf<Names> {
  return {
    async listTools() {
      const known = await workflows.known();
      return {
        items: known.flatMap(({ workflow: { id: workflow, outline } }) =>
          outline.tools.map((tool) => ({
            ...tool,
            workflow,
            usedBy: outline.nodes.filter(({ tools }) => tools.includes(tool.id)).map(({ id }) => id),
          })),
        ),
      };
    },
    async listWorkflows() {
      return { items: (await workflows.known()).map(lineOf) };
    },
    async showWorkflow({ who, params: { workflow: id } }) {
      const known = await workflows.find(id);
      if (known === null) throw new Refused("not-there");
      const { start, limits, outline, source } = known.workflow;
      const isShown = who.role === "operator" && source !== null;
      return {
        ...lineOf(known),
        start,
        limits: { ...limits, timeoutMs: Number.isFinite(limits.timeoutMs) ? limits.timeoutMs : null },
        outline,
        ...(isShown ? { file: source.file, text: source.text } : {}),
      };
    },
    async checkWorkflow({ body: { text, name = "workflow.yaml" } }) {
      const { workflow, diagnostics } = await workflows.check(text, name);
      return {
        workflow,
        diagnostics: diagnostics.map(({ severity, code, message, file, line, column, help }) => ({
          severity,
          code,
          message,
          file,
          line,
          column,
          help,
        })),
      };
    },
  };
}

function lineOf({ workflow, canStart }: KnownWorkflow): Shaped<typeof workflowLine> {
  const { id, version, name, digest, outline } = workflow;
  return { id, version, name, digest, canStart, nodes: outline.nodes.length };
}
