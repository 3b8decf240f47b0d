// What people do in the dashboard, against a live server with real runs.

import { json } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, it, vi } from "vitest";
import { fragile, fromText, GATED, problemOf, runWorld } from "../server/run-world.ts";
import { inBrowser, look } from "./browser.ts";
import { shown } from "./page-checks.ts";
import { pagesWorld } from "./pages.ts";

/** As long as an action that can be undone waits. */
const UNDO_MS = 4_000;

const rowOf = (page: Page, run: string) => page.getByRole("row").filter({ hasText: run });

inBrowser("a run in the list", () => {
  it("appears and fails while it is watched, and is retried from its row", async () => {
    const { workflow, mend } = fragile();
    const world = await runWorld([workflow]);
    const page = await look(world, "/runs", { hasOwnClock: true });
    await page.getByText("No runs yet").waitFor();
    await world.operator.startRun({ body: { workflow: "fragile", run: "watched", inputs: { password: "hunter2" } } });
    await rowOf(page, "watched").getByText("failed", { exact: false }).first().waitFor();
    mend();
    await rowOf(page, "watched").getByRole("button").first().click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.clock.fastForward(UNDO_MS);
    await page.getByRole("row").getByText("completed").first().waitFor();
    expect(await page.content()).not.toContain("hunter2");
  });

  it.each([
    { how: "reloaded", leave: (page: Page) => page.reload() },
    { how: "closed", leave: (page: Page) => page.close() },
  ])("an action is sent if the page is $how before it starts", async ({ leave }) => {
    const { workflow, mend } = fragile();
    const world = await runWorld([workflow]);
    await world.operator.startRun({ body: { workflow: "fragile", run: "watched" } });
    await world.event("watched", "run-ended");
    mend();
    const page = await look(world, "/runs", { hasOwnClock: true });
    await rowOf(page, "watched").getByRole("button").first().click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await leave(page);
    await vi.waitFor(async () => {
      expect((await world.operator.showRun({ params: { run: "watched" } })).successor).not.toBeNull();
    }, 10_000);
  });

  it("an action that was taken back in time is not sent", async () => {
    const { workflow } = fragile();
    const world = await runWorld([workflow]);
    await world.operator.startRun({ body: { workflow: "fragile", run: "watched" } });
    const page = await look(world, "/runs", { hasOwnClock: true });
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname));
    await rowOf(page, "watched").getByRole("button").first().click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    await page.clock.fastForward(UNDO_MS);
    await page.reload();
    await rowOf(page, "watched").waitFor();
    expect((await world.operator.showRun({ params: { run: "watched" } })).successor).toBeNull();
    expect(sent.filter((path) => path.startsWith("/v1/runs/"))).toEqual([]);
  });
});

inBrowser("an action on a server that is gone", () => {
  it("is said to have failed before everything on the page is read again", async () => {
    const { workflow } = fragile();
    const world = await runWorld([workflow]);
    await world.operator.startRun({ body: { workflow: "fragile", run: "watched" } });
    const page = await look(world, "/runs", {
      ...{ hasOwnClock: true, expects: [/ERR_FAILED|ERR_CONNECTION|Failed to fetch|network/i] },
    });
    await rowOf(page, "watched").getByRole("button").first().click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    // Reads hang, as they do while they are tried again and again.
    await page.route("**/v1/**", (route) => (route.request().method() === "POST" ? route.abort() : undefined));
    await page.clock.fastForward(UNDO_MS);
    await page.getByText("The server did not answer.", { exact: false }).waitFor();
  });
});

inBrowser("a question", () => {
  it("is answered in one browser, and leaves the inbox of the other; the first answer counts", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal });
    await world.operator.startRun({ body: { workflow: "gated", run: "one", inputs: { task: "the new page" } } });
    await world.event("one", "node-paused");
    const [mine, other] = [await look(world, "/questions"), await look(world, "/questions")];
    await other.getByText("Ship the new page?").first().waitFor();
    const [question] = (await world.operator.listQuestions({})).items;
    await mine.getByRole("button", { name: "Yes", exact: true }).click();
    await other.getByText("Ship the new page?").first().waitFor({ state: "detached" });
    expect(await world.event("one", "run-ended")).toMatchObject({ outcome: "shipped" });
    const late = world.operator.answerQuestion({
      ...{ params: { question: question?.id ?? "" }, body: { status: "accepted", value: false } },
    });
    expect(await problemOf(late)).toMatchObject({ status: 409 });
  });

  it("has one answer: the second browser, whose answer was on its way, reads who was first", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal });
    await world.operator.startRun({ body: { workflow: "gated", run: "one" } });
    await world.event("one", "node-paused");
    const mine = await look(world, "/questions");
    const other = await look(world, "/questions", { expects: [/status of 409/] });
    const answer = "**/v1/questions/*/answer";
    const sent = Promise.withResolvers<() => Promise<void>>();
    await other.route(answer, (route) => sent.resolve(() => route.continue()));
    await other.getByRole("button", { name: "No", exact: true }).click();
    const arrive = await sent.promise;
    await mine.getByRole("button", { name: "Yes", exact: true }).click();
    await mine.getByText("Your answer was sent.").waitFor();
    await arrive();
    await other.getByRole("status").getByText("The first answer counts.", { exact: false }).waitFor();
    await other.getByText("Nothing needs you").waitFor();
    expect(await world.event("one", "run-ended")).toMatchObject({ outcome: "shipped" });
    const { output } = await world.operator.showOutput({ params: { run: "one" }, query: { node: "last" } });
    expect(output).toMatchObject({ said: true });
  });

  it("stays after its answer, so that a second click answers nothing, until the person asks for the next one", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal });
    for (const run of ["one", "two"]) {
      await world.operator.startRun({ body: { workflow: "gated", run, inputs: { task: run } } });
      await world.event(run, "node-paused");
    }
    const page = await look(world, "/questions");
    const panel = page.getByRole("region", { name: "The chosen question" });
    const yes = panel.getByRole("button", { name: "Yes", exact: true });
    await panel.getByText("Ship one?").waitFor();
    await yes.click();
    expect(await world.event("one", "run-ended")).toMatchObject({ outcome: "shipped" });
    const next = panel.getByRole("button", { name: "Next question" });
    await next.waitFor();
    await panel.getByText("Ship one?").waitFor();
    expect(await yes.count()).toBe(0);
    await next.click();
    await panel.getByText("Ship two?").waitFor();
    await yes.waitFor();
  });

  it("is shown to a viewer without a form, and the server refuses an answer, too", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal });
    await world.operator.startRun({ body: { workflow: "gated", run: "one" } });
    await world.event("one", "node-paused");
    const page = await look(world, "/questions", { as: "viewer", expects: [/status of 403/] });
    await page.getByText("Ship a page?").first().waitFor();
    await shown(page);
    expect(await page.getByRole("button", { name: "Yes", exact: true }).count()).toBe(0);
    const [question] = (await world.operator.listQuestions({})).items;
    const status = await page.evaluate<number>(`fetch("/v1/questions/${question?.id}/answer", {
      method: "POST", headers: { "content-type": "application/json" }, body: '{"status":"accepted","value":true}',
    }).then((response) => response.status)`);
    expect(status).toBe(403);
  });
});

inBrowser("filters", () => {
  it("an exact id in the audit counts when it is complete, not while it is typed", async () => {
    const page = await look(pagesWorld(), "/audit");
    await shown(page);
    const field = page.getByRole("searchbox", { name: "Exact id" });
    await field.fill("release-2");
    await page.getByRole("row").nth(2).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await field.fill("release-2.3");
    await field.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("on") === "release-2.3");
  });

  it("the audit is exported whole, with its filters", async () => {
    const world = pagesWorld();
    const { items: records } = await world.operator.listAudit({ query: { limit: 100 } });
    const [some] = records;
    const expected = records.filter(({ on }) => on === some?.on).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(records.length);
    const page = await look(world, `/audit?on=${encodeURIComponent(some?.on ?? "")}`);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export JSON" }).click();
    const saved = (await json(await (await download).createReadStream())) as readonly { readonly id: string }[];
    expect(saved.map(({ id }) => id)).toEqual(expected);
  });

  it("a cause on the overview leads to the runs that failed for it, with both filters marked", async () => {
    const page = await look(pagesWorld(), "/");
    await page.getByRole("link", { name: /^Tests failed/ }).click();
    await page
      .locator(".chip-on")
      .getByText(/^failed$/i)
      .waitFor();
    await page.locator(".chip-on").getByText("Tests failed", { exact: true }).waitFor();
    await rowOf(page, "fix-slugify-3").waitFor();
  });

  it("sessions are those of runs, or those of programs", async () => {
    const page = await look(pagesWorld(), "/sessions?kind=program");
    await rowOf(page, "plan-a-trip").waitFor();
    expect(await rowOf(page, "release-2.4").count()).toBe(0);
    await page.goto(`${pagesWorld().url}/sessions?kind=run`);
    await rowOf(page, "release-2.4").waitFor();
    expect(await rowOf(page, "plan-a-trip").count()).toBe(0);
  });

  it("the search field at the top is the only one, and keeps what was searched for", async () => {
    const page = await look(pagesWorld(), "/");
    await shown(page);
    await page.keyboard.press("/");
    await page.keyboard.type("slugify");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "slugify", exact: false }).waitFor();
    expect(await page.getByRole("searchbox").count()).toBe(1);
    expect(await page.getByRole("searchbox").inputValue()).toBe("slugify");
  });
});

inBrowser("the keyboard", () => {
  it("is enough for the way from a failed run to its retry, to a question and its answer, to the groups", async () => {
    const broken = fragile();
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow, broken.workflow], { journal });
    await world.operator.startRun({ body: { workflow: "gated", run: "asks" } });
    await world.event("asks", "node-paused");
    await world.operator.startRun({ body: { workflow: "fragile", run: "breaks" } });
    await world.event("breaks", "run-ended");
    const page = await look(world, "/");
    await shown(page);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("g", "r");
    await rowOf(page, "breaks").first().waitFor();
    await press("j", "Enter");
    await page.getByRole("heading", { level: 1, name: "breaks" }).waitFor();
    broken.mend();
    await page.getByRole("button", { name: /Retry/ }).first().waitFor();
    await press("r");
    await page.locator("main").getByText("completed").first().waitFor();
    await press("g", "n");
    await page.getByText("Ship a page?").first().waitFor();
    await press("j", "Enter");
    await page.locator("button:focus").getByText("Yes", { exact: true }).waitFor();
    await press("Enter");
    await world.event("asks", "run-ended");
    await press("g", "f");
    await page.getByRole("heading", { level: 1, name: "Fault groups" }).waitFor();
  });
});
