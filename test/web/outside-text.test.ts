// Text that came from outside is text on every page, whatever it looks like.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser, look, visit } from "./browser.ts";
import { ALL_PAYLOADS, HOSTILE_POLICY, PAYLOADS } from "./hostile-text.ts";
import { shown } from "./page-checks.ts";
import { pagesWorld } from "./pages.ts";

const q = encodeURIComponent(ALL_PAYLOADS);
const PATHS = [
  ...["/", "/runs", "/runs/poisoned-run", "/runs/poisoned-gate", "/questions", "/groups", "/targets"],
  ...["/sessions", "/sessions/poisoned", "/sessions/poisoned-tools", "/audit", "/settings"],
] as const;
/** The text itself is in the address. */
const ADDRESSES = [...[`/search?q=${q}`, `/runs?q=${q}`, `/runs?run=${q}`, `/lab?q=${q}`]] as const;

/** Whether something ran, and how much of the text became markup. */
async function checkPlain(page: Page, where: string): Promise<void> {
  const found = await page.evaluate<readonly unknown[]>(`[window.hacked ?? null,
    document.querySelectorAll('img[src="x"], svg[onload], main script, a[href^="javascript:"]').length]`);
  expect(found, where).toEqual([null, 0]);
}

inBrowser("text from outside", () => {
  it("is never markup and never runs", { timeout: 240_000 }, async () => {
    const world = pagesWorld();
    const page = await look(world, "/", { expects: [/status of 4(?:00|04|22)/] });
    const groups = (await world.operator.listFaultGroups({ query: { q: "hacked" } })).items;
    expect(groups.length).toBeGreaterThan(PAYLOADS.length);
    await shown(page);
    for (const path of [...PATHS, `/groups/${encodeURIComponent(groups[0]?.fingerprint ?? "")}`, ...ADDRESSES]) {
      if (path.includes("?")) await page.goto(world.url + path);
      else await visit(page, path);
      await shown(page);
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await checkPlain(page, `${path} ${await tab.innerText()}`);
      }
      await checkPlain(page, path);
    }
  });

  it.each([
    ["a question", "/questions", "main"],
    ["a tool that was reported", "/targets", "main"],
    ["a tool and a step of a program", "/sessions/poisoned-tools", "main"],
    ["a file name", "/runs/poisoned-run?tab=files", ".files"],
  ])("is shown as it is, so that people see what was sent: %s", async (_what, path, place) => {
    const page = await look(pagesWorld(), path);
    await page.locator(place).getByText(PAYLOADS[0], { exact: false }).filter({ visible: true }).first().waitFor();
    await checkPlain(page, path);
  });

  it("is plain in a policy that is being written, in its mistakes, and in what it would have changed", async () => {
    const page = await look(pagesWorld(), "/lab?tab=edit");
    const policy = page.getByRole("textbox").first();
    await policy.fill(`${HOSTILE_POLICY}${ALL_PAYLOADS}: 1\n`);
    await page.locator("#lab-diagnostics").getByText("hacked", { exact: false }).first().waitFor();
    await checkPlain(page, "mistakes");
    await policy.fill(HOSTILE_POLICY);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.locator(".lab-result").getByText(PAYLOADS[0], { exact: false }).first().waitFor();
    await checkPlain(page, "replay");
  });
});
