// Finds positions in a YAML document and creates diagnostics that point there.

import { isMap, isNode, isScalar, type Document, type Node } from "yaml";
import type { Diagnostic } from "./diagnostic.ts";

export type Path = readonly (string | number)[];
export type Range = readonly [number, number];

export interface FilePlace {
  readonly file: string;
  /** Line and column of an offset, both 1-based. */
  readonly at: (offset: number) => { readonly line: number; readonly column: number };
}

export function diagnosticAt(
  { file, at }: FilePlace,
  code: string,
  message: string,
  [from, to]: Range,
  label: string,
  help: string,
): Diagnostic {
  const { line, column } = at(from);
  const end = at(Math.max(from, to - 1));
  const length = end.line === line ? end.column - column + 1 : 1;
  return { severity: "error", code, message, file, line, column, length: Math.max(1, length), label, help };
}

/** The range of a value; for a missing one, of its nearest existing parent. */
export function rangeOf(document: Document, path: Path): Range {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range)
      return depth === path.length ? [node.range[0], node.range[1]] : keyRange(document, path.slice(0, depth));
  }
  const whole = document.contents?.range;
  return whole ? [whole[0], whole[0] + 1] : [0, 1];
}

/** The range of a value's key. */
export function keyRange(document: Document, path: Path): Range {
  const holder = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(holder)) {
    const pair = holder.items.find(({ key }) => isScalar(key) && String(key.value) === String(last));
    const key = pair?.key as Node | undefined;
    if (key?.range) return [key.range[0], key.range[1]];
  }
  const node = document.getIn(path, true);
  return isNode(node) && node.range ? [node.range[0], Math.min(node.range[1], node.range[0] + 1)] : [0, 1];
}

export function lineOf(document: Document, path: Path, at: FilePlace["at"]): number {
  return at(rangeOf(document, path)[0]).line;
}
