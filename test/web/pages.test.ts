// Every page in English: it loads without trouble, is accessible in both themes, and fits a phone.

import { beforeAll, expect, it } from "vitest";
import { inBrowser, look } from "./browser.ts";
import { overflowsOf, shown, turn, violationsOf } from "./page-checks.ts";
import { PAGE_NAMES, pagesWorld, type PagesWorld } from "./pages.ts";

inBrowser("every page", () => {
  let world: PagesWorld;
  beforeAll(async () => void (world = await pagesWorld()));

  it.each(PAGE_NAMES)("%s is accessible in light and dark, and fits a phone", async (name) => {
    const page = await look(world, world.path(name));
    await shown(page);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await turn(page, "dark");
    expect(await violationsOf(page, ["color-contrast"])).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowsOf(page)).toEqual([]);
    expect(await violationsOf(page, ["target-size"])).toEqual([]);
  });
});
