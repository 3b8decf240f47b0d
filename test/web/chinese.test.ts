// Every page in Chinese: no English word of its own, and it fits a phone.

import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inBrowser, look, visit } from "./browser.ts";
import { englishOn, englishWords, overflowsOf, shown, violationsOf } from "./page-checks.ts";
import { PAGE_NAMES, type PageName, pagesWorld } from "./pages.ts";

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

  it("has no English words, and fits a phone", { timeout: 240_000 }, async () => {
    const world = pagesWorld();
    const page = await look(world, "/", { language: "zh-CN", theme: "dark" });
    await shown(page);
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    const found: Partial<Record<PageName, readonly string[]>> = {};
    for (const name of PAGE_NAMES) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await visit(page, await world.path(name));
      await shown(page);
      const wrong = [...(await englishOn(page, words, data)), ...(await violationsOf(page, RULES_ABOUT_WORDS))];
      await page.setViewportSize({ width: 390, height: 844 });
      const all = [...wrong, ...(await overflowsOf(page))];
      if (all.length > 0) found[name] = all;
    }
    expect(found).toEqual({});
  });
});
