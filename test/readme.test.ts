// The two READMEs are twins: the same headings, code, lists, tables, pictures and links, in the same order. Only the words differ.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const english = readFileSync(fileOf("README.md"), "utf8");
const chinese = readFileSync(fileOf("README.zh-CN.md"), "utf8");

const CODE = /^```(\w*)\n[\s\S]*?^```$/gm;

/** One line per part of a page, without its words. */
function structureOf(page: string): readonly string[] {
  const code = Array.from(page.matchAll(CODE), ([block]) => block);
  let next = 0;
  const marked = page.replace(CODE, () => `@code ${code[next++] === undefined ? "" : String(next)}`);
  return marked.split("\n").flatMap((line) => {
    if (/^#+ /.test(line)) return [/^#+/.exec(line)?.[0] ?? ""];
    if (line.startsWith("@code")) return [line];
    if (line.startsWith("- ")) return ["item"];
    if (line.startsWith("|")) return [`row of ${line.replaceAll("\\|", "").split("|").length - 2}`];
    return line.startsWith("![") ? ["picture"] : [];
  });
}

const targetsIn = (page: string): readonly string[] =>
  Array.from(page.replace(CODE, "").matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target).filter(
    (target) => !target.startsWith("README"),
  );

describe("the Chinese README", () => {
  it("has the structure of the English one", () => expect(structureOf(chinese)).toEqual(structureOf(english)));

  it("shows the same code", () =>
    expect(Array.from(chinese.matchAll(CODE), ([block]) => block)).toEqual(
      Array.from(english.matchAll(CODE), ([block]) => block),
    ));

  it("links to the same pages", () => expect(targetsIn(chinese)).toEqual(targetsIn(english)));

  it("quotes the same figures", () => {
    const figures = (page: string): readonly string[] =>
      (page.replace(CODE, "").match(/\d+(?:\.\d+)?(?= (?:%|µs|ms))|\b(?:198|200|1000|1053)\b/g) ?? []).sort();
    expect(figures(chinese)).toEqual(figures(english));
  });
});

describe("the first screen", () => {
  const first = english.slice(0, english.indexOf("## "));

  it("has one sentence, a picture that moves, the install line, a program and six lines of what there is", () => {
    expect(first).toContain("npm install faultline");
    expect(first).toContain("fl.model([");
    expect(first.match(/^- \*\*/gm)).toHaveLength(6);
    expect(first).toContain("docs/images/demo.svg");
  });

  it("shows a capture without folders, sign-in links or addresses of the machine it was made on", () => {
    expect(existsSync(fileOf("docs/images/demo.svg"))).toBe(true);
    const svg = readFileSync(fileOf("docs/images/demo.svg"), "utf8");
    expect(svg).toContain("@keyframes");
    expect(svg).not.toMatch(/\/tmp\/|\/home\/|\/work\/|login=\w/);
  });
});
