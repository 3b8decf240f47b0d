// How Chinese is written everywhere: the texts in the sources of the library, the command line and the dashboard, and the Chinese README.
// What commands print is checked in test/cli/chinese.test.ts. The words are those of docs/GLOSSARY.md.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./mutants/sample.ts";
import { chineseFlaws } from "./support/chinese-flaws.ts";

const HAN = /\p{Script=Han}/u;
const README = "README.zh-CN.md";

/** Patterns that recognise what others write, and samples of it. */
const OTHERS = /^src\/(?:core\/classify|testing)\/|^src\/core\/fault\/redact\.ts$/;

const FILES = globSync(["src/**/*.ts", "web/**/*.{ts,tsx}"], { cwd: ROOT })
  .filter((file) => !OTHERS.test(file) && !file.includes("node_modules"))
  .map((file) => ({ file, source: readFileSync(join(ROOT, file), "utf8") }))
  .filter(({ source }) => HAN.test(source));

/** The texts of a file, with a name in each hole. Comments are not for users. */
function textsOf(source: string): readonly string[] {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const literals = code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
  return Array.from(literals, ([, plain, template]) =>
    (plain ?? template ?? "")
      .replaceAll(/\$\{[^}]*\}|\{\d\}/g, "x")
      .replaceAll("\\`", "`")
      .replaceAll('\\"', '"'),
  ).filter((text) => HAN.test(text));
}

/** The prose of a page: without code blocks, and with the text of each link in place of the link. */
function proseOf(page: string): string {
  return page
    .replaceAll(/^```[^]*?^```$/gm, "")
    .replaceAll(/\]\([^)]*\)/g, "")
    .replaceAll(/!?\[|\|/g, "");
}

describe("Chinese texts", () => {
  it("are found", () => {
    expect(FILES.length).toBeGreaterThan(100);
    expect(FILES.flatMap(({ source }) => textsOf(source)).length).toBeGreaterThan(2_000);
  });

  it.each(FILES)("$file has no stray spaces and no half-width punctuation", ({ source }) => {
    expect(textsOf(source).flatMap(chineseFlaws)).toEqual([]);
  });

  it("the README has neither", () => {
    expect(chineseFlaws(proseOf(readFileSync(join(ROOT, README), "utf8")))).toEqual([]);
  });
});

/** The workflow specification gives the label of this button. */
const FIXED = "切换 Provider 重试";

/** The word of docs/GLOSSARY.md, and words that others use for it. */
const WORDS: readonly (readonly [english: string, word: string, others: RegExp])[] = [
  ["agent", "智能体", /智能代理|\p{Script=Han} ?Agent|Agent ?\p{Script=Han}/u],
  ["provider", "服务商", /提供方|提供商|供应商|Provider ?\p{Script=Han}|\p{Script=Han} ?Provider/u],
  ["operator", "操作员", /管理员|运维人员|运维令牌/],
  ["gate", "关卡", /关口/],
];

describe("one word for one thing", () => {
  it.each(WORDS)("%s is %s", (english, word, others) => {
    const glossary = readFileSync(join(ROOT, "docs/GLOSSARY.md"), "utf8");
    expect(glossary).toContain(`| ${english} | ${word} |`);
    const found = [...FILES, { file: README, source: readFileSync(join(ROOT, README), "utf8") }].flatMap(
      ({ file, source }) =>
        source
          .split("\n")
          .flatMap((line) =>
            HAN.test(line) && others.test(line.replace(FIXED, "")) ? [`${file}: ${line.trim()}`] : [],
          ),
    );
    expect(found).toEqual([]);
  });

  it("代理 is a proxy, and never an agent", () => {
    const rows = FILES.flatMap(({ source }) =>
      Array.from(
        source.matchAll(/"([^"\n]+)":?,?\s*"([^"\n]*\p{Script=Han}[^"\n]*)"/gu),
        ([, english = "", chinese = ""]) => ({ english, chinese }),
      ),
    ).filter(({ english }) => /\bagents?\b/i.test(english));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ chinese }) => chinese.includes("代理"))).toEqual([]);
    expect(readFileSync(join(ROOT, "src/cli/render/words/drill-words.ts"), "utf8")).not.toContain("代理");
  });
});
