// A list of any length: only the rows in view are there.

import { expect, it } from "vitest";
import { fragile, runWorld } from "../server/run-world.ts";
import { inBrowser, look } from "./browser.ts";
import { lengthen, scroll } from "./long-lists.ts";

inBrowser("a long list of runs", () => {
  it("has as many rows as fit, however far it is scrolled", async () => {
    const world = await runWorld([fragile().workflow]);
    await world.operator.startRun({ body: { workflow: "fragile", run: "first" } });
    await world.event("first", "run-ended");
    // The rows ask for runs that are not there.
    const page = await look(world, "/v1/health", { expects: [/status of 404/] });
    await lengthen(page, "/v1/runs", 5_000, (item, index) => ({ ...item, run: `run-${index}` }));
    await page.goto(`${world.url}/runs`);
    await page.getByRole("row").filter({ hasText: "run-0" }).first().waitFor();
    const { mostRows, height } = await scroll(page, ".rows", 60);
    expect(mostRows).toBeLessThan(80);
    expect(height).toBeGreaterThan(20_000);
  });
});
