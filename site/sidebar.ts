// The sidebar, from the folders of the site and the titles of their pages.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Item {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly Item[];
}

const PARTS = [
  ["Start", "start"],
  ["Concepts", "concepts"],
  ["How-to", "how-to"],
  ["Reference", "reference"],
  ["Fault codes", "reference/codes"],
  ["API", "reference/api"],
  ["Operate", "operate"],
] as const;

export function sidebarOf(pages: string): readonly Item[] {
  return PARTS.flatMap(([text, folder]) => {
    const items = itemsOf(pages, folder);
    return items.length === 0 ? [] : [{ text, collapsed: folder.includes("/"), items }];
  });
}

function itemsOf(pages: string, folder: string): readonly Item[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(join(pages, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map(({ name }) => name);
  } catch (error) {
    // The API is left out with `--no-api`.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const index = names.includes("index.md") ? ["index.md"] : [];
  const others = names.filter((name) => name !== "index.md").sort();
  return [...index, ...others].map((name) => ({
    text: titleOf(join(pages, folder, name)),
    link: `/${folder}/${name === "index.md" ? "" : name.replace(/\.md$/, "")}`,
  }));
}

function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]?.replaceAll("`", "") ?? path;
}
