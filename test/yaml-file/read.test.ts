// Duplicate keys in a file: found where the YAML parser would find them, but without comparing each with all the others.

import fc from "fast-check";
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { parsePolicy } from "../../src/policy-file/index.ts";
import { parseToolManifests } from "../../src/tool-file/index.ts";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import { repeatedKeys } from "../../src/yaml-file/read.ts";

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
    { numRuns: 300 },
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
