// What people asked for on pages like these, each on the page that shows it. `docs/DASHBOARD.md` lists all of it.

import { expect, it } from "vitest";
import { inBrowser, look } from "./browser.ts";
import { shown } from "./page-checks.ts";
import { pagesWorld } from "./pages.ts";

inBrowser("a failure", () => {
  it("says in its row why it failed: the cause, and one line that names the target", async () => {
    const page = await look(pagesWorld(), "/runs");
    const row = page.getByRole("row").filter({ hasText: "review-pr-4410" });
    await row.getByText("auth error").waitFor();
    await row.getByText("review: Sign-in failed (openai/gpt-4.1)").waitFor();
  });

  it("keeps every attempt, the newest first", async () => {
    const page = await look(pagesWorld(), "/runs/review-pr-4410?tab=attempts");
    const attempts = page.locator(".attempts > li");
    await attempts.nth(2).waitFor();
    const texts = await attempts.allInnerTexts();
    const targets = texts.flatMap((text) => /gpt-4\.1|claude-sonnet/.exec(text)?.[0] ?? []);
    expect(targets).toEqual(["gpt-4.1", "claude-sonnet", "claude-sonnet"]);
  });

  it("has its stack in a block of its own, and its ids one click away", async () => {
    const page = await look(pagesWorld(), "/runs/review-pr-4410");
    await page.getByText("Error and stack").click();
    await page.locator("details[open] pre").first().waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const id = page.locator(".facts .copy").first();
    await id.click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await id.locator("code").innerText());
  });
});

inBrowser("a run that waits", () => {
  it("says until when, by the clock and by a countdown", async () => {
    const page = await look(pagesWorld(), "/");
    const waiting = page.getByRole("listitem").filter({ hasText: "triage-inbox-9" });
    expect(await waiting.innerText()).toMatch(/\d\d:\d\d:\d\d[\s\S]*1:\d\d:\d\d/);
  });
});

inBrowser("the panel beside a filtered list", () => {
  it("walks that list: next and previous are its rows", async () => {
    const page = await look(pagesWorld(), "/runs?workflow=review-pr");
    const rows = page.locator(".rows .row");
    await rows.nth(2).waitFor();
    const names = await rows.evaluateAll((all) =>
      all.map((row) => (row as unknown as { dataset: { id: string } }).dataset.id),
    );
    await rows.first().click();
    await shown(page);
    await page.getByRole("button", { name: "Next run" }).click();
    await page.waitForURL((url) => url.searchParams.get("run") === names[1]);
    await page.getByRole("button", { name: "Previous run" }).click();
    await page.waitForURL((url) => url.searchParams.get("run") === names[0]);
  });
});
