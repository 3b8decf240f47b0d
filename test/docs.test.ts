// Docs equal the tables they show, name what exists, and their commands and snippets work.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generatedDocs } from "../scripts/generated-docs.ts";
import { FAULT_CODES, PRESET_NAMES, RECOURSES } from "../src/core/index.ts";
import { parsePolicy } from "../src/policy-file/index.ts";

function page(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

describe("made pages", () => {
  it.each([...generatedDocs()])("%s equals the tables (else: npm run docs)", (path, content) => {
    expect(page(path)).toBe(content);
  });
});

describe("the first example", () => {
  const path = fileURLToPath(new URL("../examples/01-first-example.ts", import.meta.url));

  it("in README is the file", () => {
    expect(/```ts\n([\s\S]*?)```/.exec(page("README.md"))?.[1]).toBe(readFileSync(path, "utf8"));
  });

  it("prints what its comments say", () => {
    const promised = Array.from(readFileSync(path, "utf8").matchAll(/^ {2}\/\/ (.+)$/gm), ([, line]) => line);
    expect(execFileSync(process.execPath, [path], { encoding: "utf8" }).trim().split("\n")).toEqual(promised);
  });
});

describe("written pages", () => {
  it("name every preset and every recourse", () => {
    const policy = page("docs/POLICY.md");
    for (const name of [...PRESET_NAMES, ...RECOURSES]) expect(policy).toContain(`\`${name}\``);
  });

  it("list every script of package.json that a contributor may run", () => {
    const { scripts } = JSON.parse(page("package.json")) as { scripts: Record<string, string> };
    const contributing = page("CONTRIBUTING.md");
    for (const name of Object.keys(scripts).filter((script) => !script.startsWith("pre"))) {
      expect(contributing, name).toMatch(new RegExp(`npm (?:run )?${name}\\b`));
    }
  });

  it("show a policy file that is valid", () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(page("docs/POLICY.md"))?.[1] ?? "";
    expect(parsePolicy(yaml, "docs/POLICY.md")).toMatchObject({ diagnostics: [] });
  });

  it("point only to files that exist", () => {
    for (const path of [
      "README.md",
      "CONTRIBUTING.md",
      "docs/ARCHITECTURE.md",
      "docs/GLOSSARY.md",
      "docs/POLICY.md",
      "docs/CLI.md",
    ]) {
      const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
      for (const [, target = ""] of page(path).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
        expect(() => page(`${folder}${target}`), `${path} → ${target}`).not.toThrow();
      }
      for (const [, target = ""] of page(path).matchAll(
        /`((?:src|test|bench|scripts|corpus|docs|lint|schema)\/[\w./-]+\.\w+)`/g,
      )) {
        expect(() => page(target), `${path} → ${target}`).not.toThrow();
      }
    }
  });

  it("use only fault codes that exist", () => {
    const known = new Set<string>(FAULT_CODES);
    for (const path of ["README.md", "docs/ARCHITECTURE.md", "docs/GLOSSARY.md"]) {
      for (const [, code = ""] of page(path).matchAll(/\bfault `([A-Z]\w+)`/g))
        expect(known, `${path}: ${code}`).toContain(code);
    }
  });
});
