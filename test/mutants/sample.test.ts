import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { parseAst } from "vite";
import { describe, expect, it } from "vitest";
import { EQUIVALENTS, isEquivalent } from "./equivalent.ts";
import { withReports } from "./reach.ts";
import { editsIn, mutantsOf, ROOT, sampleMutants } from "./sample.ts";

describe("a sample of mutants", () => {
  it("is the same for the same seed, and another for another seed", () => {
    const sample = sampleMutants(["core/decide"], 20, 7);
    expect(sample).toHaveLength(20);
    expect(sampleMutants(["core/decide"], 20, 7)).toEqual(sample);
    expect(sampleMutants(["core/decide"], 20, 8)).not.toEqual(sample);
  });

  it("changes one place of the source, and the result still parses", () => {
    const file = "src/core/decide/breaker.ts";
    const source = readFileSync(join(ROOT, file), "utf8");
    const mutants = mutantsOf(file);
    expect(mutants.length).toBeGreaterThan(20);
    for (const { start, end, from, to } of mutants) {
      expect(source.slice(start, end).replaceAll(/\s+/g, " ")).toBe(from);
      expect(from).not.toBe(to);
      parseAst(stripTypeScriptTypes(source.slice(0, start) + to + source.slice(end)));
    }
  });

  it("leaves out the mutants that are listed as equivalent, each of which still exists", () => {
    const all = Map.groupBy(
      [...new Set(EQUIVALENTS.map(({ file }) => file))].flatMap(mutantsOf).filter(isEquivalent),
      ({ file }) => file,
    );
    for (const { file, text, columns, from, to } of EQUIVALENTS) {
      const left = all.get(file)?.filter((mutant) => mutant.text === text) ?? [];
      const found = new Set(
        left.filter((mutant) => mutant.from === from && mutant.to === to).map(({ column }) => column),
      );
      expect([...found]).toEqual(columns);
    }
  });

  it.each([
    ["o = { ...(x === undefined ? {} : { x }) };", ["x === undefined → false"]],
    ["o = { a: 1, ...(x.y !== undefined ? { b: x.y } : {}) };", ["x.y !== undefined → true"]],
    ["o = { ...(x === undefined ? {} : { x }), ...(x === undefined ? {} : { x }) };", ["x === undefined → false"]],
    ["o = { ...rest, ...(x === undefined ? {} : { x }) };", []],
    ["o = { x: 1, ...(x === undefined ? {} : { x }) };", []],
    ["o = { ...(x === null ? {} : { x }) };", []],
    ["o = { ...(x === undefined ? {} : { x: f(x) }) };", []],
    ["o = { ...(x === undefined ? {} : { x, y }) };", []],
    ["o = { ...(x === undefined ? { y } : { x }) };", []],
    ["o = { ...(x === undefined ? {} : { [x]: x }) };", []],
    ["o = x === undefined ? {} : { x };", []],
    ["m = a > b ? b : a;", ["> → >="]],
    ["m = a <= b ? a : b;", ["<= → <"]],
    ["m = isKnown && a < 0 ? 0 : a;", ["< → <="]],
    ["if (a > b) b = a;", ["> → >="]],
    ["m = a > b ? c : a;", []],
    ["m = isKnown || a < 0 ? 0 : a;", []],
    ["if (a > b) b += a;", []],
    ["if (a > b) b = a; else c = b;", []],
    ["list.sort((a, b) => (a < b ? -1 : 1));", ["1 → 2", "1 → 2"]],
    ["list.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));", ["1 → 2", "1 → 2"]],
    ["m = (x ?? 0) > 5;", ["0 → 1"]],
    ["const MOST = 5; m = MOST <= (x ?? 4);", []],
    ["const MOST = 5; m = MOST <= (x?.y ?? 5);", ["5 → 6"]],
    ["export const MOST = 5; m = (x ?? 0) === MOST;", ["0 → 1"]],
    ["let most = 5; m = (x ?? 0) > most;", []],
    ["m = (x ?? 0) > y;", []],
    ["m = (x ?? 0) > 0;", []],
    ["m = (x || 0) > 5;", []],
    ["m = (x ?? 0) + 5;", []],
    ["list.map((a, b) => (a < b ? -1 : 1));", []],
    ["list.sort((a, b) => (a[1] < b[1] ? -5 : 0));", []],
  ])("leaves out what changes nothing that can be observed in `%s`: %j", (source, left) => {
    const found = editsIn(source).left.map(({ start, end, to }) => `${source.slice(start, end)} → ${to}`);
    expect(found).toEqual(left);
  });

  it("makes every block with a mutant report, in sources that still parse and keep their lines", () => {
    for (const file of ["src/core/decide/breaker.ts", "src/runtime/call/loop.ts", "src/core/record/trace.ts"]) {
      const source = readFileSync(join(ROOT, file), "utf8");
      const mutants = mutantsOf(file);
      const { source: reporting, silent } = withReports(source, new Map(mutants.entries()), "/log");
      parseAst(stripTypeScriptTypes(reporting));
      expect(reporting.split("\n")).toHaveLength(source.split("\n").length);
      const reported = [...reporting.matchAll(/__reached\?\.\((\d+)\)/g)].map(([, id]) => Number(id));
      expect(new Set([...reported, ...silent])).toEqual(new Set(mutants.keys()));
      expect(silent.length).toBeLessThan(mutants.length * 0.2);
    }
  });

  it.each([
    ["a < b", "<=", "1,2 2,1 1,1", "1,1"],
    ["(a, b) >= (0, b)", ">", "1,2 2,1 1,1", "1,2 2,1 1,1"],
    ["a > b ? 1 : 0", "true", "1,2 2,1 1,1", "1,2 1,1"],
    ["a > b ? 1 : 0", "false", "1,2 2,1 1,1", "2,1"],
    ["a === b", "!==", "1,2 2,1 1,1", "1,2 2,1 1,1"],
    ["(0, !a) && !b", "||", "0,0 0,1 1,0 1,1", "0,1 1,0 1,1"],
    ["!a || !b", "&&", "0,0 0,1 1,0 1,1", "0,0 0,1 1,0"],
  ])("reports the change of `%s` to %s, of the calls with %s, for %s only", (expression, to, calls, expected) => {
    const source = `function f(a, b) { return ${expression}; }`;
    const edit = editsIn(source).drawn.find((one) => one.to === to) ?? { start: 0, end: 0, to };
    const mutant = { ...edit, from: source.slice(edit.start, edit.end), file: "", line: 1, column: 0, text: source };
    const { source: reporting } = withReports(source, new Map([[7, mutant]]), "");
    const reported = calls.split(" ").filter((call) => {
      const ids = new Set<number>();
      const result: unknown = runInNewContext(`${reporting}; f(${call})`, { __reached: (id: number) => ids.add(id) });
      expect(result).toBe(runInNewContext(`${source}; f(${call})`));
      return ids.has(7);
    });
    expect(reported.join(" ")).toBe(expected);
  });
});
