// `npm run bench:web`: how long frames take while long lists are scrolled in a real browser.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { getChromium, launchOptions } from "../test/web/chromium.ts";
import { lengthen, scroll, type Scrolled } from "../test/web/long-lists.ts";
import { startSampleWorld } from "../test/web/sample-world.ts";

const ITEMS = process.argv.includes("--quick") ? 10_000 : 100_000;
const STEPS = 600;

function tell(what: string, { frames, mostRows, height }: Scrolled): void {
  const at = (share: number): string => (frames[Math.floor(frames.length * share)] ?? 0).toFixed(1);
  process.stdout.write(
    `${what}: ${frames.length} frames, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(0.999)} ms; at most ${mostRows} rows at once in ${height} px\n`,
  );
}

/** Reads every page of the list, as a person would who scrolls to its end. */
async function readAll(page: Page, selector: string, rows: number): Promise<void> {
  await page.evaluate(`(async () => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    for (;;) {
      scroller.scrollTo(0, scroller.scrollHeight);
      await new Promise(requestAnimationFrame);
      if (Number(scroller.getAttribute("aria-rowcount")) >= ${rows}) break;
    }
    scroller.scrollTo(0, 0);
  })()`);
}

const path = getChromium((line) => process.stderr.write(`${line}\n`));
if (path === null) throw new Error("There is no Chrome or Chromium, and none could be installed.");
const folder = mkdtempSync(join(tmpdir(), "faultline-bench-web-"));
const [browser, world] = await Promise.all([chromium.launch(launchOptions(path)), startSampleWorld(folder)]);
try {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  await context.addCookies([{ name: "faultline_session", value: world.tokens.operator, url: world.url }]);
  const page = await context.newPage();
  await lengthen(page, "/v1/runs", ITEMS, (item, index) => ({ ...item, run: `run-${index}` }));
  await page.goto(`${world.url}/runs`);
  await page.locator(".rows").waitFor();
  await readAll(page, ".rows", ITEMS);
  tell(`${ITEMS} runs in the list`, await scroll(page, ".rows", STEPS));
  const run = "review-pr-4408";
  await lengthen(page, `/v1/runs/${run}/events`, ITEMS, (item, index) => ({ ...item, sequence: String(index + 1) }));
  await page.goto(`${world.url}/runs/${run}?tab=events`);
  await page.locator(".events-rows [role=row]").first().waitFor();
  tell(`${ITEMS} events in a view`, await scroll(page, ".events-rows", STEPS));
} finally {
  await browser.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
}
