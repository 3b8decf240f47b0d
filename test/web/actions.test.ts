// What people do in the dashboard, against a live server with real runs.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { fragile, fromText, GATED, problemOf, runWorld } from "../server/run-world.ts";
import { inBrowser, look } from "./browser.ts";
import { shown } from "./page-checks.ts";

const rowOf = (page: Page, run: string) => page.getByRole("row").filter({ hasText: run });

inBrowser("a run in the list", () => {
  it("appears and fails while it is watched, and is retried from its row", async () => {
    const { workflow, mend } = fragile();
    const world = await runWorld([workflow]);
    const page = await look(world, "/runs");
    await page.getByText("No runs yet").waitFor();
    await world.operator.startRun({ body: { workflow: "fragile", run: "watched", inputs: { password: "hunter2" } } });
    await rowOf(page, "watched").getByText("failed", { exact: false }).first().waitFor();
    mend();
    await rowOf(page, "watched").getByRole("button").first().click();
    await page.getByRole("row").getByText("completed").first().waitFor();
    expect(await page.content()).not.toContain("hunter2");
  });

  it("an action that was taken back in time is not sent", async () => {
    const { workflow } = fragile();
    const world = await runWorld([workflow]);
    await world.operator.startRun({ body: { workflow: "fragile", run: "watched" } });
    const page = await look(world, "/runs");
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname));
    await rowOf(page, "watched").getByRole("button").first().click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    await page.reload();
    await rowOf(page, "watched").waitFor();
    expect((await world.operator.showRun({ params: { run: "watched" } })).successor).toBeNull();
    expect(sent.filter((path) => path.startsWith("/v1/runs/"))).toEqual([]);
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
    await page.getByRole("button", { name: "Yes", exact: true }).waitFor();
    await press("Enter");
    await world.event("asks", "run-ended");
    await press("g", "f");
    await page.getByRole("heading", { level: 1, name: "Fault groups" }).waitFor();
  });
});
