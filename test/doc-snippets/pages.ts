// The snippets of all pages: README, docs/, the pages of the site, and those that `faultline init` writes.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Snippet {
  /** `docs/MCP.md:8` */
  readonly place: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
  /** The file that the line above names, as in `agent.ts`; null: none. */
  readonly file: string | null;
}

/** README first: what another page repeats word for word runs once. */
const PAGES: readonly string[] = [
  "README.md",
  "README.zh-CN.md",
  "CONTRIBUTING.md",
  ...pagesIn("docs"),
  ...pagesIn("site/pages"),
  "templates/sample-repo/README.md",
  "templates/team/README.md",
];

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

const FENCE = /^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```/gm;

export const SNIPPETS: readonly Snippet[] = PAGES.flatMap((page) => {
  const content = readFileSync(join(ROOT, page), "utf8");
  return Array.from(content.matchAll(FENCE), (match) => {
    const [, indent = "", language = "", text = ""] = match;
    const before = content.slice(0, match.index);
    return {
      place: `${page}:${before.split("\n").length}`,
      page,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      file: /`([\w.-]+)`\n\n$/.exec(before)?.[1] ?? null,
    };
  });
});

/** The snippets of a language, each text once. */
export function snippetsIn(language: string): readonly Snippet[] {
  const seen = new Set<string>();
  return SNIPPETS.filter(({ language: own, text }) => {
    if (own !== language || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
