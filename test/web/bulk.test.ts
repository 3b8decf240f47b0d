// One action on all runs of a group, from the group's button: paced, followed while it runs, and aborted.

import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { failRuns, startFailingProvider } from "../server/failing-provider.ts";
import { journalPath, startWorld } from "../server/world.ts";
import { inBrowser, look } from "./browser.ts";

/** One, then five, then the rest. */
const RUNS = 9;

async function start(page: Page, button: RegExp): Promise<void> {
  await page.getByRole("button", { name: "Act on its runs…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: button }).click();
  await dialog.waitFor({ state: "detached" });
}

/** So many of these runs have settled, says the bar. */
const settled = (page: Page, done: number, all: number) =>
  page.getByRole("progressbar", { name: `${done} of ${all} runs have settled` });

inBrowser("a group of failures", () => {
  it("is retried from its button: 1 run, then 5, until it is aborted; the rest later", async () => {
    const provider = await startFailingProvider();
    onTestFinished(() => provider.close());
    const journal = journalPath();
    await failRuns(journal, provider, RUNS);
    const world = await startWorld({ journal });
    provider.mode = "hold";
    const page = await look(world, "/groups");
    await page.getByRole("row").nth(1).click();
    await page.getByRole("button", { name: "Act on its runs…" }).waitFor();
    const before = provider.requests;
    await start(page, /start with 1 run$/);

    await settled(page, 0, RUNS).waitFor();
    await provider.untilHeld(1);
    await page.getByRole("heading", { name: "Wave 1 · 1 run", exact: true }).waitFor();
    expect(provider.requests - before).toBe(1);
    provider.release();
    await settled(page, 1, RUNS).waitFor();
    await provider.untilHeld(5);
    await page.getByRole("heading", { name: "Wave 2 · 5 runs", exact: true }).waitFor();
    await page.getByRole("button", { name: "Abort" }).click();
    await page.getByText("Aborted by operator.", { exact: false }).waitFor();
    expect(await page.getByRole("button", { name: "Abort" }).count()).toBe(0);
    provider.release();
    await settled(page, 6, RUNS).waitFor();
    // A reload shows the same: it is in the address.
    await page.reload();
    await settled(page, 6, RUNS).waitFor();
    expect(provider.requests - before).toBe(6);

    provider.mode = "answer";
    await start(page, /start with 1 run$/);
    await settled(page, 3, 3).waitFor();
    expect(provider.requests - before).toBe(RUNS);
  });

  it("is followed as soon as it has started, also when the page is read again slowly and offers no run any more", async () => {
    const provider = await startFailingProvider();
    onTestFinished(() => provider.close());
    const journal = journalPath();
    await failRuns(journal, provider, 1);
    const world = await startWorld({ journal });
    provider.mode = "answer";
    const page = await look(world, "/groups");
    await page.getByRole("row").nth(1).click();
    await page.getByRole("button", { name: "Act on its runs…" }).click();
    const dialog = page.getByRole("dialog");
    const button = dialog.getByRole("button", { name: /start with 1 run$/ });
    await button.waitFor();
    const closed = Promise.withResolvers<true>();
    await page.route("**/v1/fault-groups/**", async (route) => {
      const isPreview = route.request().url().endsWith("/preview");
      if (isPreview) await expect.poll(async () => (await world.viewer.listBulks()).items[0]?.status).toBe("completed");
      else if (route.request().method() === "GET") await closed.promise;
      await route.continue();
    });
    await button.click();
    await dialog.waitFor({ state: "detached" });
    closed.resolve(true);
    await settled(page, 1, 1).waitFor();
  });
});
