// A diagnostic is drawn as compilers do: the caret is under the mistake, whatever comes before it.

import { describe, expect, it } from "vitest";
import { type Diagnostic, parsePolicy, renderDiagnostic } from "../../src/policy-file/index.ts";

const SOURCE = "version: 1\npreset: egaer\n\nrows: 7\n";
const DIAGNOSTIC: Diagnostic = {
  severity: "error",
  code: "POL004",
  message: "preset cannot be `egaer`",
  file: "team.yaml",
  line: 2,
  column: 9,
  length: 5,
  label: "did you mean `eager`?",
  help: "Known here: eager.",
};

const draw = (changes: Partial<Diagnostic> = {}, source = SOURCE): string =>
  renderDiagnostic({ ...DIAGNOSTIC, ...changes }, source);

/** The text of a frame's line behind its gutter. */
const behindGutter = (line: string | undefined): string => line?.replace(/^ *\d* \| ?/, "") ?? "";

/** The line with the mistake and the line with the caret of the only diagnostic a file gets. */
function frameOf(source: string): { shown: string; caret: string } {
  const { diagnostics } = parsePolicy(source, "team.yaml");
  expect(diagnostics).toHaveLength(1);
  const [first] = diagnostics;
  const lines = first === undefined ? [] : renderDiagnostic({ ...first, help: "" }, source).split("\n");
  return { shown: behindGutter(lines.at(-2)), caret: behindGutter(lines.at(-1)) };
}

describe("a frame", () => {
  it("shows what, where, the line before, the line, a caret and help", () => {
    expect(draw()).toBe(`error[POL004]: preset cannot be \`egaer\`
 --> team.yaml:2:9
  |
1 | version: 1
2 | preset: egaer
  |         ^^^^^ did you mean \`eager\`?
  = help: Known here: eager.`);
  });

  it("has no line before the first, and no blank line", () => {
    expect(draw({ line: 1, column: 10, length: 1 })).toContain("  |\n1 | version: 1\n  |          ^ did");
    expect(draw({ line: 4, column: 7, length: 1 })).toContain("  |\n4 | rows: 7\n  |       ^ did");
  });

  it("leaves out an empty label and an empty help", () => {
    expect(draw({ label: "", help: "" })).toMatch(/\^{5}$/);
  });

  it("says warning for a warning", () => {
    expect(draw({ severity: "warning", code: "POL105" })).toMatch(/^warning\[POL105\]: /);
  });

  it("makes room for line numbers of any length", () => {
    const source = `${"a: 1\n".repeat(9)}preset: egaer\n`;
    expect(draw({ line: 10 }, source)).toBe(`error[POL004]: preset cannot be \`egaer\`
  --> team.yaml:10:9
   |
 9 | a: 1
10 | preset: egaer
   |         ^^^^^ did you mean \`eager\`?
   = help: Known here: eager.`);
  });

  it("has no carriage returns of a CRLF file", () => {
    expect(draw({}, SOURCE.replaceAll("\n", "\r\n"))).toBe(draw());
  });

  it("draws at least one caret, also behind the end of a line or a file", () => {
    expect(draw({ length: 0 })).toMatch(/\| {9}\^ did/);
    expect(draw({ column: 14, length: 1 })).toMatch(/\| {14}\^ did/);
    expect(draw({ line: 99, column: 1, length: 1 })).toMatch(/\| \^ did/);
  });
});

describe("the caret", () => {
  const lineWith = (before: string): string =>
    `version: 1\nrows:\n  - { then: [fail], match: { provider: ${before}, code: Nope } }\n`;

  it.each([
    ["plain letters", "openai", 6],
    ["Chinese characters", "通义千问", 8],
    ["Chinese punctuation and full-width letters", "百度（文心）ＡＢ", 16],
    ["Chinese characters outside the basic plane", "𠮷野家", 6],
    ["Korean and Japanese", "네이버カナ", 10],
    ["an emoji", "🚀", 2],
    ["accented letters", "Café", 4],
  ])("lines up behind %s", (_what, before, width) => {
    const { shown, caret } = frameOf(lineWith(before));
    const plain = shown.replace(before, "x".repeat(width));
    expect(caret.indexOf("^")).toBe(plain.indexOf("Nope"));
    expect(caret).toMatch(/^ +\^{4} /);
  });

  it("lines up behind tabs, because they stay tabs", () => {
    const { shown, caret } = frameOf("version: 1\nrows:\n  - match:\t{ code:\tNope }\n    then: [fail]\n");
    expect(shown).toBe("  - match:\t{ code:\tNope }");
    expect(caret).toMatch(/^ {10}\t {7}\t\^{4} /);
  });

  it("underlines the whole of a Chinese word", () => {
    const { shown, caret } = frameOf("version: 1\npreset: 谨慎\n");
    expect(shown).toBe("preset: 谨慎");
    expect(caret).toMatch(/^ {8}\^{4} not a known value$/);
  });
});
