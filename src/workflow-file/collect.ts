// Finds all templates and expressions in a file. Templates in separate files are read here.

import type { Path } from "../yaml-file/locate.ts";
import { type WorkflowFinding, type ReferredFile } from "./codes.ts";
import { isFinding, type ReferredFiles } from "./files.ts";
import { isMap } from "../core/json-fields.ts";
import type { WorkflowFile, WrittenEdges, WrittenNode, WrittenPrompt } from "./schema.ts";
import type { ExpressionPlace, TextPlace } from "./texts.ts";
import { linesOf } from "./references.ts";

export interface Collected {
  readonly texts: readonly TextPlace[];
  readonly expressions: readonly ExpressionPlace[];
  readonly findings: readonly WorkflowFinding[];
}

export function collect(file: WorkflowFile, files: ReferredFiles): Collected {
  const nodes = Object.entries(file.nodes);
  const read = [
    ...Object.entries(file.agents ?? {}).flatMap(([id, { system }]) =>
      system === undefined ? [] : [promptAt(["agents", id, "system"], system, nodesOfAgent(file, id), files)],
    ),
    ...nodes.flatMap(([id, node]) => textsOfNode(id, node, files)),
  ];
  return {
    texts: read.flatMap((one) => ("text" in one ? [one] : [])),
    findings: read.flatMap((one) => ("kind" in one ? [one] : [])),
    expressions: nodes.flatMap(([id, node]) => expressionsOfNode(["nodes", id], node)),
  };
}

function nodesOfAgent({ nodes }: WorkflowFile, agent: string): readonly string[] {
  return Object.entries(nodes).flatMap(([id, node]) => (node.type === "agent" && node.agent === agent ? [id] : []));
}

/** The text of a prompt, from the workflow or from its own file. */
export function promptText(
  prompt: WrittenPrompt,
  path: Path,
  files: ReferredFiles,
): string | ReferredFile | WorkflowFinding {
  return typeof prompt === "string" ? prompt : files.open(prompt.file, [...path, "file"]);
}

function promptAt(
  path: Path,
  prompt: WrittenPrompt,
  nodes: readonly string[],
  files: ReferredFiles,
): TextPlace | WorkflowFinding {
  const read = promptText(prompt, path, files);
  if (typeof read === "string") return { path, text: read, file: null, nodes, isShown: true };
  return isFinding(read) ? read : { path, text: read.text, file: read, nodes, isShown: true };
}

function textsOfNode(id: string, node: WrittenNode, files: ReferredFiles): readonly (TextPlace | WorkflowFinding)[] {
  const path = ["nodes", id];
  const plain = (place: Path, text: string): TextPlace => ({
    path: place,
    text,
    file: null,
    nodes: [id],
    isShown: false,
  });
  switch (node.type) {
    case "agent":
    case "human_gate":
      return [promptAt([...path, "prompt"], node.prompt, [id], files)];
    case "command":
      return (linesOf(node.run) ?? []).map((line, index) =>
        plain(Array.isArray(node.run) ? [...path, "run", index] : [...path, "run"], line),
      );
    case "tool":
      return stringsIn(node.input, [...path, "input"]).map((one) => plain(one.path, one.text));
    case "condition":
    case "transform":
    case "parallel":
    case "merge":
      return [];
  }
}

/** Every string in a value, with its path. */
export function stringsIn(value: unknown, path: Path): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => stringsIn(item, [...path, index]));
  return isMap(value) ? Object.entries(value).flatMap(([key, item]) => stringsIn(item, [...path, key])) : [];
}

function expressionsOfNode(path: Path, node: WrittenNode): readonly ExpressionPlace[] {
  const places: readonly (readonly [Path, string | undefined])[] = [
    [[...path, "only_if"], node.only_if],
    ...(node.assert ?? []).map(({ that }, index) => [[...path, "assert", index, "that"], that] as const),
    ...whensOf([...path, "on_failure"], node.on_failure),
    ...(node.type === "parallel" ? [] : whensOf([...path, "next"], node.next)),
    ...ownExpressions(path, node),
  ];
  return places.flatMap(([place, expression]) => (expression === undefined ? [] : [{ path: place, expression }]));
}

function ownExpressions(path: Path, node: WrittenNode): readonly (readonly [Path, string | undefined])[] {
  switch (node.type) {
    case "condition":
      return [[[...path, "when"], node.when]];
    case "transform":
    case "merge":
      return [[[...path, "value"], node.value]];
    case "command":
      return isMap(node.run) ? [[[...path, "run", "from"], node.run.from]] : [];
    case "agent":
    case "tool":
    case "human_gate":
    case "parallel":
      return [];
  }
}

function whensOf(path: Path, edges: WrittenEdges | undefined): readonly (readonly [Path, string | undefined])[] {
  if (edges === undefined || typeof edges === "string") return [];
  if (!Array.isArray(edges)) return "when" in edges ? [[[...path, "when"], edges.when]] : [];
  return (edges as readonly (string | { readonly when?: string | undefined })[]).map((edge, index) => [
    [...path, index, "when"],
    typeof edge === "string" ? undefined : edge.when,
  ]);
}
