// Every page in English: it loads without trouble, is accessible in both themes, and fits a phone.

import { expect, it } from "vitest";
import { inBrowser, look } from "./browser.ts";
import { overflowsOf, shown, still, violationsOf } from "./page-checks.ts";
import { PAGE_NAMES, pagesWorld } from "./pages.ts";

inBrowser("every page", () => {
  it.each(PAGE_NAMES)("%s is accessible in light and dark, and fits a phone", async (name) => {
    const world = pagesWorld();
    const page = await look(world, await world.path(name), { theme: "system" });
    await shown(page);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    // The page follows the system while it is open.
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html[data-theme=dark]").waitFor();
    await still(page);
    expect(await violationsOf(page, ["color-contrast"])).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowsOf(page)).toEqual([]);
    expect(await violationsOf(page, ["target-size"])).toEqual([]);
  });
});
