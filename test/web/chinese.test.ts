// Every page in Chinese: no English word of its own, and it fits a phone.

import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inBrowser, look } from "./browser.ts";
import { englishOn, englishWords, overflowsOf, shown, violationsOf } from "./page-checks.ts";
import { PAGE_NAMES, pagesWorld } from "./pages.ts";

/** English that is data: what the sample's workflows, tools and failing providers say. */
const DATA_FILES = [
  "test/web/sample-world.ts",
  "test/web/hostile-text.ts",
  "src/chaos/**/*.ts",
  "src/workflow/node/*.ts",
];

/** What a missing translation can break. The other rules do not depend on the language: pages.test.ts checks them. */
const RULES_ABOUT_WORDS = [
  ...["aria-command-name", "aria-dialog-name", "aria-input-field-name", "aria-meter-name", "aria-progressbar-name"],
  ...[
    "aria-toggle-field-name",
    "aria-tooltip-name",
    "button-name",
    "document-title",
    "empty-heading",
    "empty-table-header",
  ],
  ...["html-has-lang", "html-lang-valid", "image-alt", "input-button-name", "label", "label-content-name-mismatch"],
  ...["link-name", "role-img-alt", "select-name", "summary-name", "svg-img-alt"],
];

inBrowser("every page in Chinese", () => {
  const words = englishWords();
  const data = globSync(DATA_FILES, { cwd: `${import.meta.dirname}/../..` })
    .map((file) => readFileSync(`${import.meta.dirname}/../../${file}`, "utf8"))
    .join("\n");

  it("has words to look for", () => {
    expect(words.has("Overview")).toBe(true);
    expect(words.size).toBeGreaterThan(50);
  });

  it.each(PAGE_NAMES)("%s has no English words, and fits a phone", async (name) => {
    const world = pagesWorld();
    const page = await look(world, await world.path(name), { language: "zh-CN", theme: "dark" });
    await shown(page);
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    expect(await englishOn(page, words, data)).toEqual([]);
    expect(await violationsOf(page, RULES_ABOUT_WORDS)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowsOf(page)).toEqual([]);
  });
});
