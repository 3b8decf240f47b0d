// Docs equal the tables they show, name what exists, and their commands and snippets work.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generatedDocs } from "../scripts/generated-docs.ts";
import { isFaultCode, PRESET_NAMES, RECOURSES, traitsOf } from "../src/core/index.ts";
import { parsePolicy } from "../src/policy-file/index.ts";

function page(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

describe("made pages", () => {
  it.each([...generatedDocs()])("%s equals the tables (else: npm run docs)", (path, content) => {
    expect(page(path)).toBe(content);
  });
});

describe("examples", () => {
  const folder = fileURLToPath(new URL("../examples", import.meta.url));

  it("show the first one in README", () => {
    expect(/```ts\n([\s\S]*?)```/.exec(page("README.md"))?.[1]).toBe(page("examples/01-first-call.ts"));
  });

  it.each(readdirSync(folder))("%s prints what its comments say", (name) => {
    const path = join(folder, name);
    const promised = Array.from(
      readFileSync(path, "utf8").matchAll(/console\.log\(.*\n +?\/\/ (.+)$|console\.log\(.*\n\/\/ (.+)$/gm),
      ([, a, b]) => a ?? b,
    );
    expect(promised.length).toBeGreaterThan(2);
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

  it("use only classes and codes that exist", () => {
    const named = ["README.md", "docs/ARCHITECTURE.md", "docs/CLI.md"].flatMap((path) => [
      ...page(path).matchAll(/\b(Provider\w+|Tool\w+|Validation)\/([A-Z]\w+)/g),
    ]);
    expect(named.length).toBeGreaterThan(0);
    for (const [, faultClass, code = ""] of named)
      expect(isFaultCode(code) ? traitsOf(code).class : code).toBe(faultClass);
  });
});
