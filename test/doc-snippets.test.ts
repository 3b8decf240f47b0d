// Snippets in the pages work: TypeScript type-checks against the built package, YAML loads, and commands and options exist.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseScenario } from "../src/chaos/scenario.ts";
import { readProjectFile } from "../src/cli/config/project-file.ts";
import { parseGateway } from "../src/gateway/config/parse-gateway.ts";
import { parsePolicy } from "../src/policy-file/index.ts";
import { parseToolManifests } from "../src/tool-file/index.ts";
import { parseWorkflow } from "../src/workflow-file/index.ts";
import { createProject } from "./support/project.ts";
import { runCli } from "./support/run-cli.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** `docs/LIBRARY.md` is made of examples, which `docs.test.ts` runs; decisions are history. */
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md") && name !== "LIBRARY.md")
    .map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, "site", "pages"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `site/pages/${name.replaceAll("\\", "/")}`),
];

interface Snippet {
  /** `docs/MCP.md:8` */
  readonly place: string;
  readonly page: string;
  readonly text: string;
}

function snippetsIn(language: string): readonly Snippet[] {
  return PAGES.flatMap((page) => {
    const content = readFileSync(join(ROOT, page), "utf8");
    return Array.from(content.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")), (match) => ({
      place: `${page}:${content.slice(0, match.index).split("\n").length}`,
      page,
      text: match[1] ?? "",
    }));
  });
}

/** The examples in the comments of the source, as editors show them. */
function examplesIn(): readonly Snippet[] {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files.flatMap((file) => {
    const page = `src/${file.replaceAll("\\", "/")}`;
    const content = readFileSync(join(ROOT, page), "utf8");
    return Array.from(content.matchAll(/^ \* @example\n \* ```ts\n([\s\S]*?)^ \* ```/gm), (match) => ({
      place: `${page}:${content.slice(0, match.index).split("\n").length}`,
      page,
      text: (match[1] ?? "").replaceAll(/^ \* ?/gm, ""),
    }));
  });
}

/** What a snippet may use without showing where it comes from. */
const GIVEN: Readonly<Record<string, string>> = {
  fl: 'import("faultline").Faultline',
  model: 'import("ai").LanguageModel',
  messages: 'import("ai").ModelMessage[]',
  agent: 'import("faultline").Agent',
  prompt: "string",
};

function withGiven(text: string): string {
  const missing = Object.entries(GIVEN).filter(
    ([name]) =>
      new RegExp(`\\b${name}\\b`).test(text) && !new RegExp(`(?:const|let) (?:\\{[^}]*)?\\b${name}\\b`).test(text),
  );
  return [...missing.map(([name, type]) => `declare const ${name}: ${type};`), text, "export {};", ""].join("\n");
}

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: "esnext",
  module: "nodenext",
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ["node"],
};

/** The files that pages name, so that their other snippets can import them. */
function namedFiles(): readonly (readonly [name: string, text: string])[] {
  return PAGES.flatMap((page) =>
    Array.from(
      readFileSync(join(ROOT, page), "utf8").matchAll(/^`([\w.]+\.ts)`\n\n```ts\n([\s\S]*?)^```/gm),
      ([, name = "", text = ""]) => [name, text] as const,
    ),
  );
}

it("TypeScript snippets type-check in a project that has the package installed", () => {
  expect(examplesIn().length).toBeGreaterThanOrEqual(10);
  const snippets = [...snippetsIn("ts"), ...examplesIn()];
  expect(snippets.length).toBeGreaterThan(20);
  const files = snippets.map(({ place, text }) => [`${place.replaceAll(/[/:]/g, "_")}.ts`, withGiven(text)] as const);
  const tsconfig = JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["*.ts"] });
  const folder = createProject([...namedFiles(), ...files, ["tsconfig.json", tsconfig]]);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { cwd: folder, encoding: "utf8" });
  expect(stdout).toBe("");
});

describe("YAML snippets load", () => {
  const WORKFLOW_HEAD = 'faultline: 1\nworkflow: { id: part, version: "1" }\n';
  const GATEWAY_HEAD = `version: 1
targets: { a: { dialect: openai-chat, base_url: https://a.example/v1, api_key_env: OPENAI_API_KEY, region: eu } }
routes: { "claude-*": { chain: [a/gpt-5] } }
`;
  const GATEWAY_KEYS = {
    ANTHROPIC_API_KEY: "sk-ant-1",
    OPENAI_API_KEY: "sk-1",
    GEMINI_API_KEY: "g-1",
    CI_GATEWAY_KEY: "k-1",
  };
  const diagnosticsOf = async (text: string): Promise<readonly unknown[]> => {
    if (/^rules:/m.test(text)) return parseScenario(text, "scenario").diagnostics;
    if (/^(?:routes|keys):/m.test(text)) {
      const whole = /^targets:/m.test(text) ? text : `${GATEWAY_HEAD}${text}`;
      return parseGateway(whole, "gateway", GATEWAY_KEYS).diagnostics;
    }
    if (/^rows:/m.test(text)) return parsePolicy(text, "policy").diagnostics;
    if (/^tools?:\n {2}(?:-|id:)/m.test(text)) return parseToolManifests(text, "tools").diagnostics;
    if (/^(?:journal|gateway): /m.test(text)) {
      expect(() => readProjectFile(text, "faultline.config.yaml")).not.toThrow();
      return [];
    }
    const whole = /^faultline:/m.test(text) ? text : `${WORKFLOW_HEAD}${text}`;
    const { diagnostics } = await parseWorkflow(whole, "part.faultline.yaml");
    return diagnostics.filter(({ severity }) => severity === "error");
  };

  it.each(snippetsIn("yaml"))("$place", async ({ text }) => {
    expect(await diagnosticsOf(text)).toEqual([]);
  });
});

describe("commands in shell snippets", () => {
  interface Line {
    readonly line: string;
    readonly words: readonly string[];
  }
  /** Without comments, and without what stands behind `--`, which is another program's. */
  const lines: readonly Line[] = snippetsIn("sh").flatMap(({ text }) =>
    Array.from(text.matchAll(/^(?:npx )?faultline ([^#|<>\n]+)/gm), ([line, rest = ""]) => ({
      line,
      words: (rest.split(" -- ")[0] ?? "").trim().split(/\s+/),
    })),
  );

  it.each(lines)("$line names a command and options that exist", async ({ words }) => {
    const [group = "", command = ""] = words;
    const path = /^[a-z]+$/.test(command) ? [group, command] : [group];
    const { stdout, exit } = await runCli([...path, "--help"]);
    expect(exit).toBe("ok");
    expect(stdout).toMatch(new RegExp(`Usage: faultline (?:\\w+\\|)?${group}\\b`));
    for (const option of words.filter((word) => word.startsWith("--"))) expect(stdout).toContain(option);
  });
});
