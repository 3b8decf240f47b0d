// The changes between two texts as a unified diff, for a folder outside Git.

import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

export interface FileChange {
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  /** Empty when nothing changed. */
  readonly diff: string;
}

/** `before` or `after` null: the file did not exist, or was deleted. */
export function fileChange(name: string, before: string | null, after: string | null): FileChange {
  const [from, to] = [before === null ? "/dev/null" : `a/${name}`, after === null ? "/dev/null" : `b/${name}`];
  // The files are short, so the diff shows them whole.
  const patch = structuredPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: Infinity });
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: "+" | "-"): number => lines.filter((line) => line.startsWith(mark)).length;
  return {
    name,
    added: count("+"),
    removed: count("-"),
    diff: lines.length === 0 ? "" : formatPatch(patch, FILE_HEADERS_ONLY),
  };
}
