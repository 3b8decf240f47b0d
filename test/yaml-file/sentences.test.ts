// Mistakes in files are written in English and translated by their sentences. A sentence that is reworded would lose its Chinese in
// silence, so each row of the tables must still be a sentence of the code.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TABLES = globSync("src/**/*sentences.ts", { cwd: ROOT });
const CODE = globSync("src/**/*.ts", { cwd: ROOT })
  .filter((file) => !TABLES.includes(file))
  .map((file) => readFileSync(join(ROOT, file), "utf8").replaceAll(/\\([`"\\])/g, "$1"))
  .join("\n");

/** The code puts these together from several pieces. The tests of mistakes in files, which also look at the Chinese, cover them. */
const COMPOSED: ReadonlySet<string> = new Set([
  "`{}` has no parameter `{}`; it has none.",
  "`{}` has no parameter `{}`; it has {}.",
  "`{}` is a whole number from 0 to {}.",
  "`{}` is a number from 0 to {}.",
  "Lower max_delay_ms to at most {}, or lower max_attempts to {}.",
  "Raise max_total_time_ms to at least {}, or lower max_attempts to {}.",
  "Nodes: {} and {} more; or `end`, in an edge.",
  "Nodes: {}; or `end`, in an edge.",
  "a branch of {} cannot be itself",
  "a branch of {} cannot be its join",
  "there is no agent `{}`",
  "there is no tool `{}`",
  "{} has neither `{}` nor `{}`",
  "{} has both `{}` and `{}`",
  "all targets of {} are reached at {} with the same account and ask for the same model, so they can fail together",
  "all targets of {} are reached at {} with the same account, so they can fail together",
  "all targets of {} are reached at {} and ask for the same model, so they can fail together",
  "{{ {} }} names an input that does not exist",
  "{{ {} }} names a node that does not exist",
  "{{ {} }} names a field of a node that does not exist",
  "{{ {} }} names a field of the run that does not exist",
]);

/** The parts of a row between its holes that no code writes. */
function unwritten(english: string): readonly string[] {
  return english.split("{}").filter((part) => !CODE.includes(part));
}

/** The rows of a table, as `createTranslator` gets them. */
function rowsOf(table: string): readonly (readonly [string, string])[] {
  const text = readFileSync(join(ROOT, table), "utf8");
  const [, rows = ""] = /createTranslator\((\[[^]*\])\);/.exec(text) ?? [];
  return runInNewContext(rows) as readonly (readonly [string, string])[];
}

describe.each(TABLES)("%s", (table) => {
  const rows = rowsOf(table);

  it("translates sentences that the code writes, and no others", () => {
    expect(rows.length).toBeGreaterThan(10);
    const stale = rows.filter(([english]) => unwritten(english).length > 0 && !COMPOSED.has(english));
    expect(stale.map(([english]) => english)).toEqual([]);
  });

  it("uses holes that the English sentence has", () => {
    const wrong = rows.filter(([english, chinese]) => {
      const holes = english.split("{}").length - 1;
      return Array.from(chinese.matchAll(/\{(\d)\}/g), ([, hole]) => Number(hole)).some(
        (hole) => hole < 1 || hole > holes,
      );
    });
    expect(wrong).toEqual([]);
  });
});

it("a reworded sentence is noticed", () => {
  expect(unwritten("no path leads to node `{}`")).toEqual([]);
  expect(unwritten("there is no path to node `{}`")).toEqual(["there is no path to node `"]);
});
