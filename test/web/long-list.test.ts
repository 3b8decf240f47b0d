// A list of any length: only the rows in view are there, and rows that were far away come back.

import { dirname } from "node:path";
import { expect, it } from "vitest";
import { makeWebJournal } from "../../bench/web-journal.ts";
import { journalPath, startWorld } from "../server/world.ts";
import { inBrowser, look } from "./browser.ts";
import { scroll } from "./scroll.ts";

const RUNS = 2_000;
/** Twenty pages of the list are loaded one after the other. */
const LONG = { timeout: 240_000 };

inBrowser("a long list of runs", () => {
  it(
    "has as many rows as fit, however far it is scrolled, and lets go of those far away until they are near",
    LONG,
    async () => {
      const { file } = await makeWebJournal(dirname(journalPath()), { runs: RUNS, events: 100 });
      const page = await look(await startWorld({ journal: file, drive: false }), "/runs");
      await page.getByRole("row").filter({ hasText: "run-000001" }).first().waitFor();
      const { mostRows } = await scroll(page, ".rows", 60);
      expect(mostRows).toBeLessThan(80);
      const list = page.locator(".rows");
      await list.evaluate(`(async (list) => {
      while (list.getAttribute("aria-rowcount") === "-1") {
        list.scrollTo(0, list.scrollHeight);
        await new Promise(requestAnimationFrame);
      }
    })(document.querySelector(".rows"))`);
      expect(await list.getAttribute("aria-rowcount")).toBe(String(RUNS));
      // Only now: on a busy machine, the pages of the list arrive after the frames in which it was scrolled.
      expect(await page.evaluate<number>("document.querySelector('.rows').scrollHeight")).toBeGreaterThan(20_000);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await list.evaluate(
        "document.querySelector('.rows').scrollTo(0, document.querySelector('.rows').scrollHeight / 4)",
      );
      await page.getByRole("row").filter({ hasText: "run-000498" }).first().waitFor();
      expect(asked).toContain("/v1/runs");
    },
  );
});
