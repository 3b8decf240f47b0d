// The usual mistakes in YAML, in every kind of file and both languages: our own sentence, at the line where the author made the mistake.

import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/chaos/scenario.ts";
import { type Locale, LOCALES } from "../../src/core/index.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import { parsePolicy } from "../../src/policy-file/index.ts";
import { parseToolManifests } from "../../src/tool-file/index.ts";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import type { Diagnostic } from "../../src/yaml-file/diagnostic.ts";
import { englishIn } from "../support/english-in.ts";

type Find = (text: string, locale: Locale) => Promise<readonly Diagnostic[]>;
const FILES: Readonly<Record<string, Find>> = {
  policy: (text, locale) => Promise.resolve(parsePolicy(text, "p.yaml", locale).diagnostics),
  tool: (text, locale) => Promise.resolve(parseToolManifests(text, "t.yaml", locale).diagnostics),
  workflow: async (text, locale) => (await parseWorkflow(text, "w.yaml", { locale })).diagnostics,
  gateway: (text, locale) => Promise.resolve(parseGateway(text, "g.yaml", {}, locale).diagnostics),
  scenario: (text, locale) => Promise.resolve(parseScenario(text, "s.yaml", locale).diagnostics),
};

/** Name, file, and the place and English sentence of its mistake. */
const MISTAKES: readonly (readonly [name: string, text: string, line: number, column: number, says: string])[] = [
  ["a tab", "version: 1\nrows:\n\t- a: {}\n", 3, 1, "a tab is used to indent"],
  ["a tab under a list", "version: 1\nrows:\n  - a:\n\t\tb: x\n", 4, 1, "a tab is used to indent"],
  [
    "an open double quote",
    'version: 1\nname: "abc\nrows: []\n',
    2,
    7,
    'the text that begins with " has no " at its end',
  ],
  [
    "an open single quote",
    "version: 1\nname: 'abc\nrows: []\n",
    2,
    7,
    "the text that begins with ' has no ' at its end",
  ],
  [
    "an open quote, and another one",
    'version: 1\nname: "abc\nrows: "x"\n',
    2,
    7,
    'the text that begins with " has no " at its end',
  ],
  ["a key twice", "version: 1\nname: a\nversion: 1\n", 3, 1, "this key is used twice"],
  ["an open brace, then a key", "version: 1\nrows:\n  - a: { b: c\n    d: e\n", 3, 8, "this `{` is not closed"],
  ["an open brace at the end", "version: 1\nrows: { a: { b: c }\n", 2, 7, "this `{` is not closed"],
  ["an open brace at the top", "{ version: 1\n", 1, 1, "this `{` is not closed"],
  [
    "an open brace before another map",
    "version: 1\nx: { a: { b: c }\nrows: { d: [e] }\n",
    2,
    4,
    "this `{` is not closed",
  ],
  ["an open bracket", "version: 1\nrows: [a, b\nname: c\n", 2, 7, "this `[` is not closed"],
  ["an open bracket at the end", "version: 1\nrows: [a, b\n", 2, 7, "this `[` is not closed"],
  ["a brace too many", "version: 1\na: { b: 1 }}\n", 2, 12, "this `}` closes nothing"],
  ["a bracket too many", "version: 1\na: [1]]\n", 2, 7, "this `]` closes nothing"],
  ["an entry indented less", "version: 1\nrows:\n  - a: 1\n   b: 2\n", 4, 4, "list entries and keys are mixed here"],
  [
    "a key indented less",
    "version: 1\nrows:\n    a: 1\n  b: 2\n",
    4,
    3,
    "this line is indented differently from the lines it belongs to",
  ],
  [
    "a key indented more",
    "version: 1\n  rows: []\n",
    2,
    3,
    "this line is indented differently from the lines it belongs to",
  ],
  ["no colon", "version 1\nrows: []\n", 1, 1, "this line has no `:` after its key"],
  ["no colon before a list", "version: 1\nrows\n  - a: 1\n", 2, 1, "this line has no `:` after its key"],
  ["no colon at the end", "version: 1\nrows\n", 2, 1, "this line has no `:` after its key"],
  ["no space after a colon", "version:1\nrows: []\n", 1, 1, "there is no space after the `:`"],
  ["an unknown anchor", "version: 1\nrows: *base\n", 2, 7, "`*base` repeats an anchor, and no line above sets `&base`"],
  ["bytes that are not text", "version: 1\nname: caf\uFFFD\n", 2, 10, "the file is not UTF-8 text"],
  ["a binary file", "\u007fELF\u0002\0\0\0\n", 1, 1, "the file is not UTF-8 text"],
  ["two keys in a line", "version: 1\na: b: c\n", 2, 4, "two keys are in one line"],
  ["a list beside keys", "version: 1\n- a\n", 2, 1, "list entries and keys are mixed here"],
  ["keys beside a list", "- a\nversion: 1\n", 2, 1, "list entries and keys are mixed here"],
  ["no comma between entries", "version: 1\na: { b: 1 c: 2 }\n", 2, 9, "a comma is missing between two entries"],
  ["two commas", "version: 1\na: { b: 1,, c: 2 }\n", 2, 11, "there is no entry before this comma"],
  ["a list in braces", "version: 1\na: { b:\n  - c\n }\n", 3, 3, "an indented list or map is within brackets"],
  ["an @", "version: 1\nname: @x\n", 2, 7, "a text without quotes cannot begin with @"],
  ["a backslash in quotes", 'version: 1\npath: "C:\\q"\n', 2, 10, "`\\q` is not an escape that double quotes know"],
  ["text after a quote", 'version: 1\nrun: "a" b\n', 2, 10, "there is more text after the end of this value"],
  ["a comment without a space", "version: 1\nrun: 'a'#b\n", 2, 9, "there is no space before the `#` of this comment"],
  ["text after a bar", "version: 1\nrun: |x\n  b\n", 2, 7, "there is text in the same line after `|` or `>`"],
];

const GRID = Object.keys(FILES).flatMap((file) => MISTAKES.map((mistake) => [file, ...mistake] as const));

describe.each(GRID)("a %s file with %s", (file, _name, text, line, column, says) => {
  /** Its other mistakes are not about syntax. */
  const find = async (written: string, locale: Locale): Promise<Diagnostic | undefined> =>
    (await FILES[file]?.(written, locale))?.find(({ code }) => code.endsWith("001"));

  it.each(["\n", "\r\n"])("is explained at its place, with line ends %j", async (end) => {
    for (const mark of ["", "\uFEFF"]) {
      const first = await find(mark + text.replaceAll("\n", end), "en");
      expect(first).toMatchObject({ message: says, line, column, severity: "error" });
      expect(first?.help).not.toBe("");
    }
  });

  it("says the same in Chinese", async () => {
    const first = await find(text, "zh-CN");
    expect(first).toMatchObject({ line, column });
    expect(englishIn(`${first?.message} ${first?.help}`)).toEqual([]);
    expect(first?.message).toMatch(/\p{Script=Han}/u);
  });
});

it.each(["policy", "workflow", "gateway"])("a %s file holds one document", async (file) => {
  const [first] = (await FILES[file]?.("version: 1\n---\nversion: 1\n", "en")) ?? [];
  expect(first).toMatchObject({ message: `a ${file} file holds one document`, line: 2 });
});

it.each(LOCALES)("a file that expands to too much says so in %s", async (locale) => {
  const levels = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &b${n + 1} [${`*b${n}, `.repeat(9)}x]`);
  const [first] = (await FILES["policy"]?.(["a0: &b0 [x]", ...levels, ""].join("\n"), locale)) ?? [];
  expect(first?.message).toMatch(locale === "en" ? /expand to too much/ : /展开后过大/);
});

/** What a file begins with, and how deep what is missing belongs. */
const BEGUN: readonly (readonly [file: string, text: string, indent: number])[] = [
  ["gateway", "", 0],
  ["workflow", "", 0],
  ["policy", "", 0],
  ["policy", "version: 1\nrows:\n  - retry: none\n", 4],
];

it.each(BEGUN)("what is missing in a %s file that has %j is shown, and can be copied", async (file, text, indent) => {
  for (const locale of LOCALES) {
    const missing = (await FILES[file]?.(text, locale)) ?? [];
    const lines = missing.map(({ help }) => " ".repeat(indent) + (/`(.+)`/.exec(help)?.[1] ?? help));
    expect(await FILES[file]?.(`${text}${lines.join("\n")}\n`, locale), lines.join("\n")).toEqual([]);
  }
});
