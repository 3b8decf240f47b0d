// Docs equal the tables they show, and name what exists. test/doc-snippets.test.ts runs their snippets.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { generatedDocs } from "../scripts/generated-docs.ts";
import { isFaultCode, PRESET_NAMES, RECOURSES, traitsOf } from "../src/core/index.ts";
import { createProgram } from "../src/cli/program.ts";
import { promisedBy } from "./support/example.ts";
import { runCli } from "./support/run-cli.ts";

const io = { stdout: { write: () => Promise.resolve() }, stderr: { write: () => Promise.resolve() }, env: {} } as never;
const PROGRAM = createProgram([], "0.0.0", io);

function page(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

function fileOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** Every page that people read, by its path from the root. */
const PAGES: readonly string[] = [
  "README.md",
  "README.zh-CN.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(fileOf("docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
];

/** Words that make a reader stop: they name no actor, or are not the field's ordinary words. */
const RIDDLES =
  /\b(whoever|nobody|somebody|anybody|anew|(?:is|are|was|were) told|(?:is|was) had|goes on|gone on|taken up|held against)\b/gi;

interface Link {
  /** From the root. */
  readonly target: string;
  /** Empty: the whole page. */
  readonly heading: string;
}

/** Links to files and headings, not to the web; text in code is not a link. */
function linksIn(path: string): readonly Link[] {
  const text = page(path)
    .replaceAll(/\[`([^`\n]*)`\]/g, "[$1]")
    .replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, "");
  return Array.from(text.matchAll(/\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)/g), ([, file = "", heading = ""]) => ({
    target: file === "" ? path : posix.join(posix.dirname(path), file),
    heading,
  }));
}

/** As GitHub names them in links. */
function headingsIn(path: string): readonly string[] {
  const text = page(path).replaceAll(/^```[\s\S]*?^```/gm, "");
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** As the site names them: VitePress has rules of its own, which differ for digits and for marks inside a word. */
function siteHeadingsIn(path: string): readonly string[] {
  const text = page(path).replaceAll(/^```[\s\S]*?^```/gm, "");
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .replace(/^(?=\d)/, "_")
      .toLowerCase(),
  );
}

describe("made pages", () => {
  it.each([...generatedDocs()])("%s equals the tables (else: npm run docs)", (path, content) => {
    expect(page(path)).toBe(content);
  });
});

describe("examples", () => {
  const folder = fileOf("examples");
  const sources = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
  /** An example that ends its process has one of its own. All others share one, which loads the packages once. */
  const together = [...sources].flatMap(([name, source]) => (/^process\.exit\(/m.test(source) ? [] : [name]));
  const node = (...args: readonly string[]): string => execFileSync(process.execPath, args, { encoding: "utf8" });
  const printed = new Map<string, string>();

  beforeAll(() => {
    const lines = node(fileOf("test/fixtures/run-examples.mjs"), JSON.stringify(together));
    for (const line of lines.trim().split("\n")) {
      const one = JSON.parse(line) as { readonly name: string; readonly printed: string };
      printed.set(one.name, one.printed);
    }
  });

  it.each([...sources])("%s prints what its comments say", (name, source) => {
    const promised = promisedBy(source);
    expect(promised.length).toBeGreaterThan(2);
    const said = together.includes(name) ? printed.get(name) : node(join(folder, name));
    expect(said?.trim().split("\n")).toEqual(promised);
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

  it.each(PAGES)('name the actor: no riddles such as "whoever" or "is told": %s', (path) => {
    const prose = page(path).replaceAll(/^( *)```[\s\S]*?^\1```|`[^`\n]*`/gm, "");
    expect(Array.from(prose.matchAll(RIDDLES), ([, words]) => words)).toEqual([]);
  });

  it.each(PAGES)("point only to files and headings that exist: %s", (path) => {
    for (const { target, heading } of linksIn(path)) {
      expect(existsSync(fileOf(target)), `${path} → ${target}`).toBe(true);
      if (heading !== "") expect(headingsIn(target), `${path} → ${target}#${heading}`).toContain(heading);
      if (heading !== "")
        expect(siteHeadingsIn(target), `${path} → ${target}#${heading}, on the site`).toContain(heading);
    }
    for (const [, target = ""] of page(path).matchAll(
      /`((?:src|test|bench|scripts|corpus|docs|deploy|examples|templates|lint|schema)\/[\w./-]+\.\w+)`/g,
    )) {
      expect(existsSync(fileOf(target)), `${path} → ${target}`).toBe(true);
    }
  });

  it.each(PAGES)("link only to what is in the package with them: %s", (path) => {
    const { files } = JSON.parse(page("package.json")) as { files: readonly string[] };
    const isPacked = (file: string): boolean => files.some((one) => file === one || file.startsWith(`${one}/`));
    expect(isPacked(path)).toBe(true);
    for (const { target } of linksIn(path)) expect(isPacked(target), `${path} → ${target}`).toBe(true);
  });

  it("name only options that their command has: docs/CLI.md", async () => {
    const rows = [...page("docs/CLI.md").matchAll(/^\| `faultline ([a-z]+(?: [a-z]+)?)[^\n]*/gm)];
    expect(rows.length).toBeGreaterThan(30);
    for (const [row, command = ""] of rows) {
      const { stdout: help } = await runCli([...command.split(" "), "--help"]);
      for (const [option] of row.matchAll(/(?<=[`\s])--[a-z-]+/g)) expect(help, command).toContain(option);
    }
  });

  it.each(PAGES)("name only commands and options that exist, in their sentences, too: %s", (path) => {
    const prose = page(path).replaceAll(/^( *)```[\s\S]*?^\1```/gm, "");
    for (const [whole, typed = ""] of prose.matchAll(/`(?:npx )?faultline ([a-z][^`]*)`/g)) {
      const words = (typed.split(/ -- |[|>]/)[0] ?? "").split(/\s+/);
      const [first = ""] = words;
      const group = PROGRAM.commands.find((one) => [one.name(), ...one.aliases()].includes(first));
      expect(group, `${path}: ${whole}`).toBeDefined();
      const command = group?.commands.find((one) => one.name() === words[1]) ?? group;
      const known = [command, group, PROGRAM].flatMap((one) => one?.options.map(({ long }) => long) ?? []);
      const options = Array.from(
        typed.split(" -- ")[0]?.matchAll(/(?<=\s|\[)--[a-z][a-z-]*/g) ?? [],
        ([option]) => option,
      );
      for (const option of options) expect(["--help", ...known], `${path}: ${whole}`).toContain(option);
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
