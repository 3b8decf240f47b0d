// `faultline/policy-file`: policies in YAML, with every mistake shown at its position.

export { renderDiagnostic } from "../yaml-file/diagnostic.ts";
export type { Diagnostic } from "../yaml-file/diagnostic.ts";
export { parsePolicy } from "./parse.ts";
export type { ParsedPolicy } from "./parse.ts";
export { policyFileSchema, policyJsonSchema } from "./schema.ts";
export type { PolicyFile } from "./schema.ts";
