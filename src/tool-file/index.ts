// `faultline/tool-file`: tool manifests in YAML, with every mistake shown at its position.

export { renderDiagnostic } from "../yaml-file/diagnostic.ts";
export type { Diagnostic } from "../yaml-file/diagnostic.ts";
export type { ToolManifest } from "./manifest.ts";
export { parseToolManifests } from "./parse.ts";
export type { ParsedToolManifests } from "./parse.ts";
export { toolManifestJsonSchema } from "./schema.ts";
