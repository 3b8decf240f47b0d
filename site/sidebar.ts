// The sidebar, from the folders of the site and the titles of their pages.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOMS } from "./rooms.ts";

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
  ["Operate", "operate"],
  ["Reference", "reference"],
  ["Fault codes", "reference/codes"],
  ["API", "reference/api"],
] as const;

export function sidebarOf(pages: string): readonly Item[] {
  return PARTS.flatMap(([text, folder]) => {
    const items = itemsOf(pages, folder);
    return items.length === 0 ? [] : [{ text, collapsed: folder.includes("/"), items }];
  });
}

function itemsOf(pages: string, folder: string): readonly Item[] {
  const inRooms = new Set<string>((ROOMS as Readonly<Record<string, readonly string[]>>)[folder] ?? []);
  let names: readonly string[] = [];
  try {
    names = readdirSync(join(pages, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    // The API is left out with `--no-api`.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // The index first, then pages of the site, then those of docs/ in their order.
  const order = [
    "index",
    ...names.map((name) => name.replace(/\.md$/, "")).filter((stem) => !inRooms.has(stem)),
    ...inRooms,
  ];
  const present = order.map((stem) => `${stem}.md`).filter((name) => existsSync(join(pages, folder, name)));
  return [...new Set(present)].map((name) => ({
    text: titleOf(join(pages, folder, name)),
    link: `/${folder}/${name === "index.md" ? "" : name.replace(/\.md$/, "")}`,
  }));
}

function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]?.replaceAll("`", "") ?? path;
}
