// Tool manifests that apply to all workflows of a folder: what they say about the tools of one of them.

import { parseToolManifests, type ToolManifest } from "../tool-file/index.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import type { FilePlace } from "../yaml-file/locate.ts";
import type { WorkflowFinding } from "./codes.ts";
import { isFinding, type ReferredFiles } from "./files.ts";
import { besides } from "./policy.ts";
import type { WorkflowFile } from "./schema.ts";

export interface ReadManifests {
  readonly manifests: readonly ToolManifest[];
  readonly findings: readonly WorkflowFinding[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Of two manifests for one tool, the first counts. Manifests of tools that the workflow does not have are left out. */
export function readManifests(
  names: readonly string[],
  { tools = {} }: WorkflowFile,
  files: ReferredFiles,
  place: FilePlace,
): ReadManifests {
  const manifests = new Map<string, ToolManifest>();
  const findings: WorkflowFinding[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of names) {
    const file = files.open(name, ["tools"]);
    if (isFinding(file)) {
      findings.push(file);
      continue;
    }
    const parsed = parseToolManifests(file.text, besides(place.file, file.name));
    diagnostics.push(...parsed.diagnostics.filter(({ severity }) => severity === "error"));
    for (const manifest of parsed.manifests ?? []) {
      if (Object.hasOwn(tools, manifest.id) && !manifests.has(manifest.id)) manifests.set(manifest.id, manifest);
    }
  }
  return { manifests: [...manifests.values()], findings, diagnostics };
}
