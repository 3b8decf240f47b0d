// Tool manifests as tests write them, and what the parser says of them.

import { expect } from "vitest";
import { englishIn } from "./english-in.ts";
import { type Diagnostic, parseToolManifests, type ToolManifest } from "../../src/tool-file/index.ts";

export const TOOL_FILE = "tools.yaml";

/** A file with one tool `a` and these lines in it, from line 3 on. */
export const toolWith = (...lines: readonly string[]): string =>
  `${["tool:", "id: a", ...lines].map((line, index) => (index === 0 ? line : `  ${line}`)).join("\n")}\n`;

/** A file with one tool and these classification rows, from line 4 on. */
export const rowsWith = (...rows: readonly string[]): string =>
  toolWith("classification:", ...rows.map((row) => `  - { ${row} }`));

/** What is said of a file that gives no manifests. */
export function toolMistakes(source: string): readonly Diagnostic[] {
  const { manifests, diagnostics } = parseToolManifests(source, TOOL_FILE);
  expect(manifests).toBeNull();
  expectChinese(source);
  return diagnostics;
}

/** The warnings about a file that still gives manifests. */
export function toolWarnings(source: string): readonly Diagnostic[] {
  const { manifests, diagnostics } = parseToolManifests(source, TOOL_FILE);
  expect(manifests).not.toBeNull();
  expectChinese(source);
  return diagnostics;
}

/** Every mistake is said in Chinese, too. */
function expectChinese(source: string): void {
  const { diagnostics } = parseToolManifests(source, TOOL_FILE, "zh-CN");
  expect(diagnostics.flatMap(({ message, label, help }) => englishIn(`${message}\n${label}\n${help}`))).toEqual([]);
}

/** The manifests of a file of which nothing is said. */
export function manifestsOf(source: string): readonly ToolManifest[] {
  const { manifests, diagnostics } = parseToolManifests(source, TOOL_FILE);
  expect(diagnostics).toEqual([]);
  return manifests ?? [];
}

/** The manifest of a file with one tool of which nothing is said. */
export function manifestIn(source: string): ToolManifest {
  const [manifest] = manifestsOf(source);
  if (manifest === undefined) throw new Error("no manifest and no diagnostic");
  return manifest;
}
