// Links of a built site that lead nowhere: to a page, a file or an anchor that is not there, or to another machine at load time.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export function brokenLinks(folder: string): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const anchors = new Map([...texts].map(([page, text]) => [page, new Set(found(text, /\sid="([^"]+)"/g))]));
  return [...texts].flatMap(([page, text]) => {
    const links = new Set(found(text, /<a [^>]*href="([^"]+)"/g));
    const loaded = found(text, /<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"/g);
    const lost = [...links].filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(link, page, folder, anchors));
    return [...lost, ...loaded].map((link) => `${page} → ${link}`);
  });
}

function found(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([, value = ""]) => value.replaceAll("&amp;", "&"));
}

function leadsSomewhere(
  link: string,
  page: string,
  folder: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const [path = "", anchor = ""] = link.split("#");
  const place = path.startsWith("/") ? path.slice(1) : join(dirname(page), path);
  const target =
    path === "" ? page : normalize(place.endsWith("/") || place === "" ? join(place, "index.html") : place);
  const known = anchors.get(target) ?? anchors.get(`${target}.html`);
  if (known === undefined) return existsSync(join(folder, target));
  return anchor === "" || known.has(decodeURIComponent(anchor));
}
