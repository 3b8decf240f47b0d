// Parses a file into tool manifests, or reports all its mistakes at once. A file with an error is never loaded.

import type { Locale } from "../core/index.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { checkForm, type Grammar } from "../yaml-file/issues.ts";
import { diagnosticAt, type FilePlace, lineOf, type Path, rangeOf } from "../yaml-file/locate.ts";
import { type FileKind, inOrder, type ReadDocument, readYaml } from "../yaml-file/read.ts";
import { type ToolFinding, FINDINGS, lintTools } from "./lint.ts";
import { manifestOf, type ToolManifest } from "./manifest.ts";
import { toolSentence } from "./sentences.ts";
import { toolFileSchema, type ToolFileTool } from "./schema.ts";

/** Tool manifests, and the mistakes that were found. */
export interface ParsedToolManifests {
  /** In file order; null if there is an error. */
  readonly manifests: readonly ToolManifest[] | null;
  /** Errors and warnings, in file order. */
  readonly diagnostics: readonly Diagnostic[];
}

const KIND: FileKind = {
  article: "a tool manifest",
  name: "a tool manifest",
  syntaxCode: "TOOL001",
  documents: "many",
};

const GRAMMAR: Grammar = {
  schemaFor: () => toolFileSchema,
  codes: {
    unknownKey: "TOOL002",
    wrongType: "TOOL003",
    unknownName: "TOOL004",
    outOfRange: "TOOL005",
    missing: "TOOL006",
  },
  rangeHelp: {
    max_attempts: "max_attempts counts all attempts, the first included.",
    status: "The statuses of failures go from 400 to 599.",
    jitter_percent: "15 means ±15 %.",
  },
  manyNamesHelp: "Write `transient`, `permanent` or a fault code; `faultline explain --list` lists all codes.",
};

/** Reads tool manifests from YAML and reports every mistake with its place. `locale`: the language of what is said; English by default. */
export function parseToolManifests(text: string, file: string, locale: Locale = "en"): ParsedToolManifests {
  const { manifests, diagnostics } = parse(text, file, locale);
  return { manifests, diagnostics: diagnostics.map((one) => toolSentence(one, locale)) };
}

function parse(text: string, file: string, locale: Locale): ParsedToolManifests {
  const { place, documents, mistakes } = readYaml(text, file, { ...KIND, locale });
  if (mistakes.length > 0) return { manifests: null, diagnostics: mistakes };
  const checked = documents.map((read) => checkDocument(read, place, locale));
  const wrong = checked.flatMap(({ mistakes: found }) => found);
  if (wrong.length > 0) return { manifests: null, diagnostics: inOrder(wrong) };
  const tools = checked.flatMap((document) => document.tools);
  const [first] = documents;
  if (tools.length === 0 && first !== undefined) {
    return { manifests: null, diagnostics: [explain(NO_TOOL, [], first, place)] };
  }
  const linted = tools.map((tool) => ({ ...tool, manifest: manifestOf(tool.written, originOf(tool, place)) }));
  const diagnostics = lintTools(linted).flatMap((findings, index) => {
    const tool = linted[index];
    return tool === undefined ? [] : findings.map((finding) => explain(finding, tool.path, tool.read, place));
  });
  const failed = diagnostics.some(({ severity }) => severity === "error");
  return { manifests: failed ? null : linted.map(({ manifest }) => manifest), diagnostics: inOrder(diagnostics) };
}

/** A tool with its document and its path there. */
interface PlacedTool {
  readonly written: ToolFileTool;
  readonly path: Path;
  readonly read: ReadDocument;
}

function checkDocument(
  read: ReadDocument,
  place: FilePlace,
  locale: Locale,
): { readonly tools: readonly PlacedTool[]; readonly mistakes: readonly Diagnostic[] } {
  // An empty document, such as one after a final `---`, is ignored.
  const checked = toolFileSchema.safeParse(read.value ?? {});
  if (!checked.success) return { tools: [], mistakes: checkForm(read, place, { ...GRAMMAR, locale }).diagnostics };
  const { tool, tools = [] } = checked.data;
  return {
    tools: [
      ...(tool === undefined ? [] : [{ written: tool, path: ["tool"], read }]),
      ...tools.map((written, index) => ({ written, path: ["tools", index], read })),
    ],
    mistakes: [],
  };
}

const NO_TOOL: ToolFinding = {
  kind: "no-tool",
  path: [],
  message: "the file has no tool",
  label: "needs `tool`",
  help: "Add `tool:` with an `id:`, or `tools:` with a list of them.",
};

function originOf({ read, path }: PlacedTool, { file, at }: FilePlace): string {
  return `${file}:${lineOf(read.document, [...path, "id"], at)}`;
}

function explain(finding: ToolFinding, path: Path, { document }: ReadDocument, place: FilePlace): Diagnostic {
  const { code, severity } = FINDINGS[finding.kind];
  const range = rangeOf(document, [...path, ...finding.path]);
  return { ...diagnosticAt(place, code, finding.message, range, finding.label, finding.help), severity };
}
