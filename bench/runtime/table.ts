// Plain tables: one row for each subject, with its ratio to the floor and to the best peer.

import { print } from "../measure.ts";
import { titleOf, type Subject } from "./subject.ts";

export interface Measured {
  readonly subject: Subject;
  readonly value: number;
  readonly note?: string;
}

/** Lower is better. */
export function printComparison(
  unit: string,
  rows: readonly Measured[],
  format: (value: number) => string = (value) => value.toFixed(value < 100 ? 2 : 0),
): void {
  const floor = rows.find(({ subject }) => subject.role === "floor")?.value ?? NaN;
  const best = Math.min(...rows.flatMap(({ subject, value }) => (subject.role === "peer" ? [value] : [])));
  const times = (value: number, base: number): string => `${(value / base).toFixed(2)}×`;
  printAligned(
    ["", unit, "of floor", "of best peer", ""],
    rows.map(({ subject, value, note }) => [
      titleOf(subject),
      format(value),
      times(value, floor),
      times(value, best),
      note ?? "",
    ]),
  );
}

/** The first and the last column are words, those between them numbers. */
export function printAligned(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  for (const row of all) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 || column === head.length - 1 ? cell.padEnd(width) : cell.padStart(width);
    });
    print(`  ${cells.join("  ").trimEnd()}`);
  }
}
