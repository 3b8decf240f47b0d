// `faultline/workflow-file`: workflows in YAML, with every mistake shown at its position.

export { renderDiagnostic } from "../yaml-file/diagnostic.ts";
export type { Diagnostic } from "../yaml-file/diagnostic.ts";
export { MISTAKES } from "./codes.ts";
export type { InputSpec, InputType, WorkflowDefinition } from "./definition.ts";
export type { ReadText, Unreadable } from "./files.ts";
export { readInputs } from "./inputs.ts";
export { parseWorkflow } from "./parse.ts";
export type { ParsedWorkflow, ParseOptions } from "./parse.ts";
export { workflowFileSchema, workflowJsonSchema } from "./schema.ts";
