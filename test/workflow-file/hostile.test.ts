// Proves that no file, however made, breaks the reader: it is refused with a diagnostic, soon, and changes nothing.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import { CONTRACT, readContractFile } from "./contract-text.ts";
import { FILE, HEAD, mistakes, nodes, text, warnings } from "./workflow-text.ts";
import { samples } from "../support/grid.ts";

const bomb = (depth: number): string =>
  text(
    "a0: &a0 [x, x]",
    ...Array.from({ length: depth }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}, *a${n}]`),
  );

describe("a hostile file", () => {
  it.each([
    ["a bomb of references", bomb(30), "WFL001"],
    ["ten thousand nodes", nodes(...Array.from({ length: 10_000 }, (_, n) => `n${n}: { type: merge }`)), "WFL001"],
    ["thousands of nodes in few characters", nodes(...Array.from({ length: 9000 }, (_, n) => `n${n}: {}`)), "WFL008"],
    ["brackets without end", `nodes: ${"[".repeat(100_000)}`, "WFL001"],
    [
      "a hundred levels",
      text(...HEAD, `nodes: { a: { type: tool, tool: t, input: ${"[".repeat(100)}${"]".repeat(100)} } }`),
      "WFL008",
    ],
    ["a thousand levels", text(...HEAD, `x: ${"{ a: ".repeat(1000)}1${" }".repeat(1000)}`), null],
    ["a megabyte", "#".repeat(1_000_000), "WFL001"],
    ["no text", "\0\0\0", "WFL001"],
    ["nothing", "", "WFL006"],
    ["null", "null\n", "WFL006"],
    ["a name of the prototype", text(...HEAD, "inputs: { __proto__: { secret: true } }", "nodes: {}"), "WFL007"],
    ["a merge key", text(...HEAD, "nodes: { a: { <<: { type: merge } } }"), "WFL006"],
    ["an expression as long as a program", nodes(`a: { type: transform, value: '${"1+".repeat(6000)}1' }`), "WFL005"],
    ["a list of a hundred thousand things", `nodes: [${"a,".repeat(99_000)}a]`, "WFL008"],
    [
      "a map of thirty thousand keys",
      `nodes: {${Array.from({ length: 30_000 }, (_, n) => n.toString(36)).join(",")}}`,
      "WFL008",
    ],
  ])("with %s is refused", async (_what, source, code) => {
    const [first] = await mistakes(source);
    if (code !== null) expect(first?.code).toBe(code);
    expect(({} as Record<string, unknown>)["secret"]).toBeUndefined();
  });

  it("that is not text at all is refused", async () => {
    for (const odd of [undefined, null, 3, {}, []]) {
      const { definition, diagnostics } = await parseWorkflow(odd as string, FILE);
      expect(definition).toBeNull();
      expect(diagnostics).toMatchObject([{ code: "WFL001" }]);
    }
  });

  it("with as many nodes as there may be is read, each a step of one chain", async () => {
    const chain = Array.from(
      { length: 500 },
      (_, n) => `n${n}: { type: transform, value: '1', next: ${n === 499 ? "end" : `n${n + 1}`} }`,
    );
    expect(await warnings(nodes(...chain))).toEqual([]);
  });

  it("cannot read a file outside of its folder", async () => {
    const asked: string[] = [];
    const names = [
      "/etc/passwd",
      "../../etc/passwd",
      "a/../../b",
      "..\\b",
      "C:\\b",
      "C:/b",
      "file:///etc/passwd",
      "~/.ssh/id",
      "a\\..\\..\\b",
      "http://x/y",
    ];
    for (const name of names) {
      const source = text(...HEAD, `policy: ${JSON.stringify(name)}`, "nodes:", "  a: { type: transform, value: '1' }");
      const found = await mistakes(source, { read: (file) => (asked.push(file), "version: 1\n") });
      expect(found, name).toMatchObject([{ code: "WFL026", line: 3 }]);
    }
    expect(asked).toEqual([]);
  });
});

describe("a file whose head is damaged", () => {
  const HEADS = [
    "{ }",
    "{ nam: x }",
    "{ id: }",
    "{ id: [1], version: {} }",
    "[]",
    "x",
    "{ id: a, versoin: 1, x: { y: 1 } }",
  ];
  const BODIES = [
    "nodes: { a: { type: merge } }",
    "nodes: { a: { type: mrege, nxet: b } }",
    "nodes: []",
    "nodes: { a: 1, b: { } }",
  ];
  it.each(HEADS.flatMap((head) => BODIES.map((body) => ({ head, body }))))(
    "is refused: workflow: $head, $body",
    async ({ head, body }) => {
      const { definition, diagnostics } = await parseWorkflow(text("faultline: 1", `workflow: ${head}`, body), FILE);
      expect(definition).toBeNull();
      expect(diagnostics.length).toBeGreaterThan(0);
    },
  );
});

describe("any damage to a file", () => {
  it("gives a definition or an error, and every diagnostic points into the text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(CONTRACT.length),
        fc.nat(40),
        fc.oneof(
          fc.constantFrom("", "}", "[", ": ", "- ", "&a", "*a", "\t", "{{", "'", '"', "null", "\n", "# "),
          fc.string({ maxLength: 5 }),
        ),
        async (at, cut, put) => {
          const source = CONTRACT.slice(0, at) + put + CONTRACT.slice(at + cut);
          const { definition, diagnostics } = await parseWorkflow(source, FILE, { read: readContractFile });
          expect(definition === null).toBe(diagnostics.some(({ severity }) => severity === "error"));
          for (const { line, column, length, file } of diagnostics) {
            if (file !== FILE) continue;
            expect(line).toBeLessThanOrEqual(source.split("\n").length + 1);
            expect(Math.min(line, column, length)).toBeGreaterThanOrEqual(1);
          }
        },
      ),
      { numRuns: samples(40, 300) },
    );
  });
});
