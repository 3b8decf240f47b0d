// Pages of the repository as pages of the site: links lead to the page's place there, and parts of the README can be shown on other pages.

import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { placeOf } from "./rooms.ts";

const FENCED = /(^```[\s\S]*?^```)/gm;
/** In the repository, many links show the name of their file. */
const FILE_NAME = /^(?:docs\/)?[\w-]+\.md$/;
const LINK = /\[((?:[^[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)/g;

/** `path` from the root of the repository, such as `docs/FAQ.md`; `place` on the site. Comments are left out. */
export function sitePage(path: string, place: string, text: string): string {
  const numbered = path === "docs/LIBRARY.md" ? withExampleAnchors(text) : text;
  const parts = withoutComments(numbered).split(FENCED);
  return parts.map((part) => (part.startsWith("```") ? part : withSiteLinks(path, place, part))).join("");
}

function withSiteLinks(path: string, place: string, prose: string): string {
  return prose.replaceAll(LINK, (whole, words: string, link: string) => {
    const [file = "", anchor] = link.split("#");
    if (!/^(?!\w+:|\/).+\.\w+$/.test(file)) return whole;
    const target = siteTarget(posix.join(posix.dirname(path), file));
    if (target === null) return words;
    const shown = FILE_NAME.test(words) ? titleOf(posix.join(posix.dirname(path), file)) : words;
    const from = posix.relative(posix.dirname(place), target.place);
    const at = anchor ?? target.anchor;
    return `[${shown}](${from.startsWith(".") ? from : `./${from}`}${at === undefined ? "" : `#${at}`})`;
  });
}

export function withoutComments(text: string): string {
  return text.replaceAll(/^<!--[\s\S]*?-->\n/gm, "");
}

/** Where a file of the repository is on the site; null: nowhere, so only the words of a link stay. */
function siteTarget(file: string): { readonly place: string; readonly anchor?: string } | null {
  if (file.startsWith("docs/")) return { place: placeOf(file.slice("docs/".length)) };
  if (file === "CHANGELOG.md") return { place: "changelog.md" };
  const [, number] = /^examples\/(\d\d)-/.exec(file) ?? [];
  if (number !== undefined) return { place: placeOf("LIBRARY.md"), anchor: `example-${number}` };
  const [, integration] = /^examples\/integrations\/([\w-]+)\.ts$/.exec(file) ?? [];
  return integration === undefined ? null : { place: "how-to/integrations.md", anchor: integration };
}

function titleOf(file: string): string {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  return /^# (.+)$/m.exec(text)?.[1] ?? file;
}

function withExampleAnchors(text: string): string {
  return text.replaceAll(/^(## .+)(\n\n`examples\/(\d\d)-)/gm, "$1 {#example-$3}$2");
}

/** Replaces `<!-- README: heading -->` by that section of the README, without its heading. */
export function withReadmeSections(place: string, text: string): string {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  return text.replaceAll(/^<!-- README: (.+) -->$/gm, (_mark, heading: string) => {
    const [, section] = readme.split(`\n## ${heading}\n`);
    if (section === undefined) throw new Error(`README.md has no section "${heading}", which ${place} shows`);
    return sitePage("README.md", place, section.split("\n## ")[0]?.trim() ?? "");
  });
}
