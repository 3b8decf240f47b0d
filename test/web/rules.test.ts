// What people asked for on pages like these, each on the page that shows it. `docs/DASHBOARD.md` lists all of it.

import { expect, it, onTestFinished } from "vitest";
import { type FailingProvider, type ProviderMode, startFailingProvider } from "../server/failing-provider.ts";
import { fragile, fromText, GATED, type RunWorld, runWorld } from "../server/run-world.ts";
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
    // Ours, and the provider's.
    for (const name of [/^Correlation$/, /^Request /]) {
      const id = page
        .locator(".facts > div")
        .filter({ has: page.locator("dt").getByText(name) })
        .locator(".copy");
      await id.click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await id.locator("code").innerText());
    }
  });
});

const HOUR_MS = 3_600_000;
/** As long as an action that can be undone waits. */
const UNDO_MS = 4_000;

/** A run, named `one`, of an agent with two models at a provider that answers like this. */
async function runAt(mode: ProviderMode): Promise<{ readonly world: RunWorld; readonly provider: FailingProvider }> {
  const provider = await startFailingProvider();
  onTestFinished(() => provider.close());
  provider.mode = mode;
  const { workflow, journal } = await fromText(
    "write.yaml",
    `faultline: 1
workflow: { id: write, version: "1" }
providers: { east: { type: openai-compatible, base_url: "${provider.url}" } }
agents: { writer: { model: east/m, fallback: [east/n], stream: false } }
nodes: { write: { type: agent, agent: writer, prompt: Write it., next: end } }
`,
  );
  const world = await runWorld([workflow], { journal, env: {} });
  await world.operator.startRun({ body: { workflow: "write", run: "one" } });
  return { world, provider };
}

inBrowser("a run that waits", () => {
  it("says until when, by the clock and by a countdown", async () => {
    const page = await look(pagesWorld(), "/");
    const waiting = page.getByRole("listitem").filter({ hasText: "triage-inbox-9" });
    // A time after midnight comes with its day, and without seconds.
    expect(await waiting.innerText()).toMatch(/\d\d:\d\d[\s\S]*1:\d\d:\d\d/);
  });

  it.each([HOUR_MS, -HOUR_MS])(
    "counts down on the server's time, with a clock that is %d ms off",
    async (clockAheadMs) => {
      const { workflow, journal } = await fromText("gated.yaml", GATED);
      const world = await runWorld([workflow], { journal });
      await world.operator.startRun({ body: { workflow: "gated", run: "one" } });
      const { wakeAt } = await world.event("one", "node-paused");
      const page = await look(world, "/questions", { clockAheadMs });
      const left = page.locator(".question-timeout time");
      await left.getByText(/^5\d:\d\d$/).waitFor();
      await page.clock.fastForward(20 * 60_000);
      await left.getByText(/^3\d:\d\d$/).waitFor();
      expect(await left.getAttribute("datetime")).toBe(new Date(wakeAt ?? 0).toISOString());
    },
  );

  it("for long is put away instead of sat through: its row says until when, and has the other provider", async () => {
    const { world, provider } = await runAt("limit");
    await world.event("one", "node-paused");
    expect(await world.operator.showRun({ params: { run: "one" } })).toMatchObject({ status: "paused", held: false });
    expect(provider.requests).toBe(2);
    const page = await look(world, "/runs");
    const row = page.getByRole("row").filter({ hasText: "one" });
    await row
      .locator(".pill")
      .getByText(/^59:\d\d$/)
      .waitFor();
    await row.getByText("rate limited", { exact: true }).waitFor();
    provider.mode = "answer";
    await row.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: /^Switch/ }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "east/m" }).check();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Switch/ })
      .click();
    await row.getByText("completed").first().waitFor();
  });

  it("to be retried says so in a state of its own, with attempt, cap and time; its events say why", async () => {
    const { world } = await runAt("pause");
    await world.event("one", "call-failed");
    const page = await look(world, "/runs?state=retrying");
    const pill = page.getByRole("row").filter({ hasText: "one" }).locator(".pill");
    await pill.getByText("2/6", { exact: true }).waitFor();
    expect(await pill.innerText()).toMatch(/^Retrying\s*2\/6\s*00:\d\d$/);
    await page.goto(`${world.url}/runs/one`);
    await page.locator(".summary-next").getByText("attempt 2 of 6", { exact: false }).waitFor();
    await page.getByRole("tab", { name: "Events" }).click();
    await page.getByRole("button", { name: "call.retrying" }).click();
    const event = await page.locator(".events-more").innerText();
    for (const part of [/"callAttempt": 2/, /"of": 6/, /"nextAt": \d+/, /"reason": "RateLimited"/])
      expect(event).toMatch(part);
  });
});

inBrowser("the first button of a failed run", () => {
  it("does the least again, and still does after the next failure", async () => {
    const world = await runWorld([fragile().workflow]);
    await world.operator.startRun({ body: { workflow: "fragile", run: "one" } });
    await world.event("one", "run-ended");
    const page = await look(world, "/runs/one", { hasOwnClock: true });
    const first = page.locator(".actions button").first();
    const does = "Runs ship again from its beginning, in a new run. Keeps the finished nodes: build.";
    for (let failures = 1; failures <= 3; failures++) {
      await first.getByText(does, { exact: false }).waitFor();
      expect(await first.innerText()).toMatch(/^Retry this stage/);
      expect(await first.getAttribute("class")).toContain("primary");
      const before = page.url();
      await first.click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
      await page.clock.fastForward(UNDO_MS);
      await page.waitForURL((url) => url.href !== before);
    }
  });
});

inBrowser("the panel beside a filtered list", () => {
  it.each([1440, 390])("walks that list: next and previous are its rows, in a window of %i px", async (width) => {
    const page = await look(pagesWorld(), "/runs?workflow=review-pr", { width });
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
