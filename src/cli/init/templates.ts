// The templates of `faultline init`: folders of the package, combined with the chosen variant.

import { commandLine } from "../render/program-name.ts";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Locale } from "../../core/index.ts";
import { packageFolder } from "../../host/package-folder.ts";

export interface ProjectTemplate {
  readonly id: string;
  readonly about: Readonly<Record<Locale, string>>;
  /** Its variants, the default first; empty when it has none. */
  readonly variants: readonly string[];
  /** The next commands to type. */
  readonly next: (variant: string) => readonly string[];
  readonly files: (variant: string) => Promise<ReadonlyMap<string, string>>;
  /** Entries for `.gitignore`: runs and their files. */
  readonly ignores: readonly string[];
}

export const TEAM_FILE = "team.faultline.yaml";

export const TEMPLATES: readonly ProjectTemplate[] = [
  {
    id: "team",
    about: {
      "en": "agents that discuss a task, wait for your approval, then code, review and test it",
      "zh-CN": "一组智能体：先讨论任务，等您确认，然后编码、评审、测试",
    },
    variants: ["clis", "models"],
    next: (variant) => [
      ...(variant === "clis" ? [commandLine("doctor")] : ["export OPENAI_API_KEY=… ANTHROPIC_API_KEY=…"]),
      commandLine("workflow", "check", TEAM_FILE),
      `${commandLine("workflow", "run", TEAM_FILE)} --input task='…'`,
    ],
    files: teamFiles,
    ignores: [".faultline/"],
  },
  {
    id: "gateway",
    about: {
      "en": "a gateway in front of Anthropic and OpenAI, each standing in for the other",
      "zh-CN": "Anthropic 与 OpenAI 前面的网关，两者互为后备",
    },
    variants: [],
    next: () => [
      "export ANTHROPIC_API_KEY=… OPENAI_API_KEY=…",
      commandLine("gateway", "--check"),
      commandLine("gateway"),
    ],
    files: () => textsIn("gateway"),
    ignores: [".faultline/"],
  },
  {
    id: "sample-repo",
    about: {
      "en": "a small JavaScript repository with a bug and tests, to try a team on",
      "zh-CN": "一个带 bug 和测试的小型 JavaScript 仓库，供团队练手",
    },
    variants: [],
    next: () => ["npm test", commandLine("init", "team", "--with", "clis")],
    files: () => textsIn("sample-repo"),
    ignores: [],
  },
];

export function templateNamed(id: string): ProjectTemplate | null {
  return TEMPLATES.find((one) => one.id === id) ?? null;
}

const AGENTS_PLACE = "# <agents>\n";

/** The workflow file goes into the repository's root, because agents and commands run in its folder; the rest goes into `team/`. */
async function teamFiles(variant: string): Promise<ReadonlyMap<string, string>> {
  const texts = await textsIn("team");
  const agents = texts.get(`agents.${variant}.yaml`) ?? "";
  const files = new Map<string, string>();
  for (const [name, text] of texts) {
    if (name === TEAM_FILE)
      files.set(
        name,
        text.replace(AGENTS_PLACE, () => agents),
      );
    else if (isPartOf(name, variant)) files.set(`team/${name}`, text);
  }
  return files;
}

/** CLIs have their own tools, so their variant leaves ours out. */
function isPartOf(name: string, variant: string): boolean {
  if (name.startsWith("agents.") || name.startsWith("demo/")) return false;
  return variant === "models" || (!name.startsWith("tools/") && name !== "prompts/coder-system.md");
}

/** Reads one template file by its path. */
export function templateText(path: string): Promise<string> {
  return readFile(packageFolder("templates", path), "utf8");
}

/** Keyed by path within the folder, with slashes. */
async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const root = packageFolder("templates", folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
  const texts = await Promise.all(names.map((name) => readFile(join(root, name), "utf8")));
  return new Map(names.map((name, index) => [name, texts[index] ?? ""]));
}
