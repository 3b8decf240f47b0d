// What holds for every page: accessible, no wider than its window, and in one language.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { FAULT_CLASSES, FAULT_CODES } from "../../src/core/index.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Resolves when the page shows what it was opened for: its heading, and no more grey shapes. */
export async function shown(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await still(page);
}

/** Resolves when nothing fades or moves. An animation whose element is drawn again is cancelled, and counts as over. */
export async function still(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const running = () => document.getAnimations().filter(({ playState }) => playState !== "finished");
    while (running().length > 0) await Promise.allSettled(running().map(({ finished }) => finished));
  })()`);
}

/** What axe finds, one line for each element. `rules`: only these. */
export async function violationsOf(page: Page, rules: readonly string[] | null = null): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`"axe" in window`))) await page.evaluate(AXE);
  const runOnly = rules === null ? { type: "tag", values: WCAG } : { type: "rule", values: rules };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ["violations"] })}).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any, all }) => id + ": " + html.slice(0, 160) + " " + [...any, ...all].map(({ message }) => message).join("; "))))`);
}

/** Visible elements that reach out of the window and cannot be scrolled to. Shadows and what is only read aloud do not count. */
export async function overflowsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const wide = document.documentElement.scrollWidth;
    const found = wide > innerWidth ? ["the page is " + wide + " px wide in a window of " + innerWidth] : [];
    const isInScroller = (one) => {
      for (let at = one.parentElement; at !== null; at = at.parentElement)
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
      return false;
    };
    for (const one of document.querySelectorAll("main *, .top-bar *")) {
      const { left, right, width, height } = one.getBoundingClientRect();
      if (width <= 1 || height <= 1 || (right <= innerWidth + 1 && left >= -1)) continue;
      if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || isInScroller(one)) continue;
      found.push(one.tagName + "." + one.className + " from " + Math.round(left) + " to " + Math.round(right));
    }
    return found;
  })()`);
}

/** The page's own English words, as its word tables have them. Names that Chinese has, too, are no English. */
export function englishWords(): ReadonlySet<string> {
  const files = readdirSync(join(ROOT, "web"), { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const tables = files.flatMap((file) => [
    ...readFileSync(join(ROOT, "web", file), "utf8").matchAll(/wordTable[^(]*\(\{\s*"en": (.*?)"zh-CN": (.*?)\n\}\)/gs),
  ]);
  const texts = (table: string): readonly string[] =>
    [...table.matchAll(/: "((?:[^"\\]|\\.)+)"|: '([^']+)'/g)].map(([, double, single]) => double ?? single ?? "");
  const chinese = new Set(tables.flatMap(([, , zh = ""]) => texts(zh)));
  return new Set(tables.flatMap(([, en = ""]) => texts(en)).filter((text) => !chinese.has(text)));
}

/** Everything a reader gets as text: text nodes, labels, hints and placeholders. Code and quotes are in no language. */
async function textsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const isShown = (one) => one.checkVisibility() && one.closest("code, kbd, pre") === null;
    while (walker.nextNode()) if (isShown(walker.currentNode.parentElement)) texts.push(walker.currentNode.data);
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      for (const one of document.querySelectorAll("[" + name + "]")) texts.push(one.getAttribute(name));
    return texts.map((text) => text.trim()).filter((text) => text !== "");
  })()`);
}

/** Codes and classes of faults, and what the tokens of the sample are called. */
const NAMES: ReadonlySet<string> = new Set(["operator", "viewer", ...FAULT_CODES, ...FAULT_CLASSES]);

/** Three English words in a row are a phrase. */
const PHRASE = /[A-Za-z][a-z']+(?: [a-z]+[a-z',.]*){2,}/g;

/** English on a Chinese page: words of the page's own, and phrases of which no three words are in `data`. Names and codes may be English. */
export async function englishOn(page: Page, words: ReadonlySet<string>, data: string): Promise<readonly string[]> {
  const texts = await textsOf(page);
  const isData = (phrase: string): boolean => {
    const parts = phrase.replaceAll(/[.,]/g, "").split(" ");
    return parts.some((_part, at) => at + 3 <= parts.length && data.includes(parts.slice(at, at + 3).join(" ")));
  };
  // A node of the sample's workflow files stands there without quotes, as a key.
  const isName = (text: string): boolean =>
    NAMES.has(text) || data.includes(`"${text}"`) || data.includes(`\n  ${text}: {`);
  return texts.flatMap((text) => {
    if (words.has(text) && !isName(text)) return [text];
    return (text.match(PHRASE) ?? []).filter((phrase) => !isData(phrase));
  });
}
