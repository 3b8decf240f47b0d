// Duplicate keys in a file: found where the YAML parser would find them, but without comparing each with all the others.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { parsePolicy } from "../../src/policy-file/index.ts";
import { parseToolManifests } from "../../src/tool-file/index.ts";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import { renderDiagnostic } from "../../src/yaml-file/diagnostic.ts";
import { repeatedKeys } from "../../src/yaml-file/read.ts";
import { samples } from "../support/grid.ts";

const KEYS = ["a", "b", '"a"', "1", '"1"', "1.0", "true", "null", "~", "? [a]\n: 1\nb"];

const flow: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("1", "x", "''"),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS.slice(0, -1)), tie("value")), { maxLength: 5 })
      .map((pairs) => `{ ${pairs.map(([key, value]) => `${key}: ${value}`).join(", ")} }`),
  ),
})).value;

it("duplicate keys are found where the parser itself finds them", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...KEYS), flow), { maxLength: 6 }), (pairs) => {
      const text = pairs.map(([key, value]) => `${key}: ${value}\n`).join("");
      const options = { strict: true, prettyErrors: false, logLevel: "error" } as const;
      const theirs = parseDocument(text, { ...options, uniqueKeys: true }).errors;
      const ours = repeatedKeys(parseDocument(text, { ...options, uniqueKeys: false }));
      const starts = (found: readonly { readonly pos: readonly number[] }[]): readonly (number | undefined)[] =>
        found.map(({ pos }) => pos[0]).toSorted((a = 0, b = 0) => a - b);
      expect(starts(ours)).toEqual(starts(theirs));
    }),
    { numRuns: samples(75, 300) },
  );
});

const MANY = Array.from({ length: 18_000 }, (_, n) => `k${n.toString(36)}: 1`);

it.each([
  ["a policy", "POL001", (text: string) => parsePolicy(text, "p.yaml").diagnostics],
  ["a tool manifest", "TOOL001", (text: string) => parseToolManifests(text, "t.yaml").diagnostics],
])("in a file of thousands of keys that was to be %s the one that stands twice is named", (_what, code, read) => {
  const [found, ...more] = read(["version: 1", ...MANY, "version: 2", ""].join("\n"));
  expect(found).toMatchObject({ code, line: MANY.length + 2, column: 1, message: "this key is used twice" });
  expect(more).toEqual([]);
});

it.each([
  ["a policy", (text: string) => parsePolicy(text, "p.yaml").diagnostics],
  ["a tool manifest", (text: string) => parseToolManifests(text, "t.yaml").diagnostics],
  ["a workflow", async (text: string) => (await parseWorkflow(text, "w.yaml")).diagnostics],
])("one syntax error in %s is one message, without its consequences in the lines after it", async (_what, read) => {
  const broken = ['a: { run: node -e "f(()=>{},8)", next: b }', "b:", "  - { c: 1 }", "  - d", ""].join("\n");
  expect(await read(broken)).toMatchObject([{ line: 1, severity: "error" }]);
});

const FILES = [
  ["a policy", (text: string) => parsePolicy(text, "p.yaml").diagnostics],
  ["a tool manifest", (text: string) => parseToolManifests(text, "t.yaml").diagnostics],
  ["a workflow", async (text: string) => (await parseWorkflow(text, "w.yaml")).diagnostics],
] as const;

describe.each(FILES)("%s that nests too deep", (_what, read) => {
  it.each([
    ["brackets", `a: ${"[".repeat(90_000)}${"]".repeat(90_000)}`],
    ["a few hundred brackets", `a: ${"[".repeat(300)}${"]".repeat(300)}`],
    ["maps in one line", `a: ${"{a: ".repeat(20_000)}1${"}".repeat(20_000)}`],
    ["list marks", `${"- ".repeat(50_000)}a`],
    ["indented maps", Array.from({ length: 300 }, (_none, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("is refused with one diagnostic that is short: %s", async (_how, text) => {
    const found = await read(text);
    expect(found).toMatchObject([{ severity: "error", message: "the file nests deeper than 200 levels" }]);
    for (const diagnostic of found) expect(renderDiagnostic(diagnostic, text).length).toBeLessThan(2_000);
  });
});

it("a diagnostic in a very long line shows the part around it, with the caret in its place", () => {
  const text = `${"x".repeat(100_000)}MARK${"y".repeat(100_000)}`;
  const place = { file: "f", line: 1, column: 100_001, length: 4, label: "", help: "" };
  const shown = renderDiagnostic({ severity: "error", code: "C", message: "m", ...place }, text);
  const [line = "", caret = ""] = shown.split("\n").slice(-2);
  expect(shown.length).toBeLessThan(2_000);
  expect(line.slice(caret.indexOf("^"), caret.lastIndexOf("^") + 1)).toBe("MARK");
});
