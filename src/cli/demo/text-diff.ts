// What changed between two texts, as a unified diff: for a folder that is no repository of Git's. For small files; the lines in
// between that stayed are found by the longest common sequence of lines.

export interface FileChange {
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  /** Empty when nothing changed. */
  readonly diff: string;
}

type Line = readonly [mark: " " | "+" | "-", text: string];

/** `before` or `after` null: the file was not there, or is not there any more. */
export function fileChange(name: string, before: string | null, after: string | null): FileChange {
  const lines = changedLines(linesOf(before), linesOf(after));
  const count = (wanted: Line[0]): number => lines.filter(([mark]) => mark === wanted).length;
  const [added, removed] = [count("+"), count("-")];
  const isSame = added + removed === 0;
  return { name, added, removed, diff: isSame ? "" : unified(name, before, after, lines) };
}

function linesOf(text: string | null): readonly string[] {
  return text === null || text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function changedLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  // kept[i][j]: how many lines can stay from line i of the one and line j of the other on.
  const kept = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number): number => kept[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = kept[i];
      if (row !== undefined)
        row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      lines.push([" ", old]);
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(["-", old]);
      i += 1;
    } else {
      lines.push(["+", fresh ?? ""]);
      j += 1;
    }
  }
  return lines;
}

/** One piece with the whole file around it: these files are short. */
function unified(name: string, before: string | null, after: string | null, lines: readonly Line[]): string {
  const sizeOf = (other: Line[0]): number => lines.filter(([mark]) => mark !== other).length;
  const range = (size: number): string => (size === 0 ? "0,0" : `1,${size}`);
  return [
    `--- ${before === null ? "/dev/null" : `a/${name}`}`,
    `+++ ${after === null ? "/dev/null" : `b/${name}`}`,
    `@@ -${range(sizeOf("+"))} +${range(sizeOf("-"))} @@`,
    ...lines.map(([mark, text]) => `${mark}${text}`),
    "",
  ].join("\n");
}
