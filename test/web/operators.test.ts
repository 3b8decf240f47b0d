// What needs a whole world: another provider for a failed run, a cancelled run that continues, and people who may only look.

import { expect, it } from "vitest";
import { ENV, fromText, GATED, runWorld, twoProviders } from "../server/run-world.ts";
import { startWorld } from "../server/world.ts";
import { inBrowser, look, visit } from "./browser.ts";
import { shown } from "./page-checks.ts";
import { PAGE_NAMES, pagesWorld } from "./pages.ts";

/** As long as an action that can be undone waits. */
const UNDO_MS = 4_000;

/** The page's own buttons that send something. */
const ACTS = ["Start a run", "Answer", "Yes", "No", "Send", "Isolate", "Put back into service", "Cancel"];

inBrowser("a viewer", () => {
  it("gets no button that acts, on any page", async () => {
    const world = pagesWorld();
    const run = await world.operator.showRun({ params: { run: "review-pr-4408" } });
    const acts = new Set([...run.actions.map(({ label }) => label), ...ACTS]);
    const page = await look(world, "/", { as: "viewer" });
    await shown(page);
    for (const name of PAGE_NAMES.filter((one) => one !== "audit")) {
      await visit(page, await world.path(name));
      await shown(page);
      const buttons = await page.locator("button:visible").allInnerTexts();
      expect(
        buttons.filter((text) => acts.has(text.split("\n")[0] ?? "")),
        name,
      ).toEqual([]);
    }
  });
});

inBrowser("a run whose provider failed", () => {
  it("continues with another provider, chosen in a dialog that says what it repeats and keeps", async () => {
    const { chaos, workflow, journal } = await twoProviders();
    chaos.script(Array.from({ length: 20 }, () => "invalid-key"));
    const world = await runWorld([workflow], { journal, env: ENV });
    await world.operator.startRun({ body: { workflow: "models", run: "one" } });
    await world.event("one", "run-ended");
    const page = await look(world, "/runs/one", { expects: [/ERR_FAILED/] });
    await page
      .getByRole("button", { name: /^Switch/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Does again", { exact: true }).first().waitFor();
    await dialog.getByRole("radio").first().check();
    chaos.script(Array.from({ length: 20 }, () => "ok"));
    // The first click does not reach the server: the dialog stays, with what was chosen.
    await page.route("**/v1/runs/one/actions", (route) => route.abort());
    await dialog.getByRole("button", { name: /^Switch/ }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByRole("radio").first().isChecked()).toBe(true);
    await page.unroute("**/v1/runs/one/actions");
    await dialog.getByRole("button", { name: /^Switch/ }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator("main").getByText("completed").first().waitFor();
  });
});

inBrowser("a run that was cancelled", () => {
  it("continues in a new run where it stopped, and leaves the list to it", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal });
    await world.operator.startRun({ body: { workflow: "gated", run: "one" } });
    await world.event("one", "node-paused");
    await world.operator.cancelRun({ params: { run: "one" } });
    await world.event("one", "run-ended");
    const page = await look(world, "/runs/one", { hasOwnClock: true });
    await page.getByRole("button", { name: /^Retry this stage/ }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.clock.fastForward(UNDO_MS);
    await page.waitForURL((url) => url.pathname.startsWith("/runs/run_"));
    await page.getByRole("heading", { name: "Ship a page?" }).waitFor();
    await page.goto(`${world.url}/runs`);
    await page.getByRole("row").filter({ hasText: "continues one" }).waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
  });
});

inBrowser("a sign-in link", () => {
  it("signs in once, leaves the address, and signing out ends it", async () => {
    const world = await startWorld();
    const link = new URL(world.server.signInLink() ?? "");
    const expects = [/status of 401/];
    const page = await look(world, `/${link.hash}`, { as: null, expects });
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(page.url()).not.toContain("login");
    const late = await look(world, `/${link.hash}`, { as: null, expects });
    await late.getByRole("heading", { name: "Sign in" }).waitFor();
    await late.getByRole("alert").getByText("The link was used before", { exact: false }).waitFor();
    await page.goto(`${world.url}/settings`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});
