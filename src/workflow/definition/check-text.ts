// Checks the text of a workflow without making anything of it: no tool is started, no file beside it is read.

import type { ParsedWorkflow } from "../../workflow-file/parse.ts";
import type { WorkflowOutline } from "../../workflow-model/stage.ts";
import { outlineOf } from "./outline.ts";

export interface CheckedText {
  /** null when there is an error among the diagnostics. */
  readonly workflow: {
    readonly id: string;
    readonly version: string;
    readonly name: string;
    readonly outline: WorkflowOutline;
  } | null;
  readonly diagnostics: ParsedWorkflow["diagnostics"];
}

export async function checkText(text: string, name: string): Promise<CheckedText> {
  const { parseWorkflow } = await import("../../workflow-file/parse.ts");
  const { definition, diagnostics } = await parseWorkflow(text, name, {
    read: () => ({ why: "only the text itself was sent" }),
  });
  if (definition === null) return { workflow: null, diagnostics };
  const { id, version, name: called } = definition;
  return { workflow: { id, version, name: called, outline: outlineOf(definition) }, diagnostics };
}
