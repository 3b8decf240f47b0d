// `npm run bench:web`: how long frames take while long lists are scrolled in a real browser, and how much memory they take. The runs and the
// events are real, in a journal on disk, behind a real server.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { startServer } from "../src/server/server.ts";
import { getChromium, launchOptions } from "../test/web/chromium.ts";
import { scroll, type Scrolled } from "../test/web/scroll.ts";
import { print } from "./measure.ts";
import { makeWebJournal } from "./web-journal.ts";

const ITEMS = process.argv.includes("--quick") ? 5_000 : 100_000;
const STEPS = 600;

function tell(what: string, { frames, mostRows, height }: Scrolled): void {
  const at = (share: number): string => (frames[Math.floor(frames.length * share)] ?? 0).toFixed(1);
  print(
    `${what}: ${frames.length} frames, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(0.999)} ms; at most ${mostRows} rows at once in ${height} px`,
  );
}

/** What the page's objects take after a collection, in MB. */
async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize / 1_048_576;
}

/** Scrolls to the end of the list, page by page, as a person would who wants to see all of it. */
async function readAll(page: Page, selector: string, rows: number): Promise<void> {
  await page.evaluate(`(async () => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    while (Number(scroller.getAttribute("aria-rowcount")) < ${rows}) {
      scroller.scrollTo(0, scroller.scrollHeight);
      await new Promise(requestAnimationFrame);
    }
  })()`);
}

async function measureRuns(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/runs`);
  await page.locator(".rows [role=row]").nth(1).waitFor();
  tell(`the first of ${ITEMS} runs`, await scroll(page, ".rows", STEPS));
  const before = await heapOf(page);
  const startedAt = performance.now();
  await readAll(page, ".rows", ITEMS);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  print(
    `scrolled to the last run in ${seconds} s: ${before.toFixed(1)} MB before, ${(await heapOf(page)).toFixed(1)} MB after`,
  );
  await page.evaluate("document.querySelector('.rows').scrollTo(0, 0)");
  tell(`all ${ITEMS} runs, from the top again`, await scroll(page, ".rows", STEPS));
}

async function measureEvents(page: Page, url: string, run: string): Promise<void> {
  await page.goto(`${url}/runs/${encodeURIComponent(run)}?tab=events`);
  await page.locator(".events-rows [role=row]").first().waitFor();
  tell(`the first of ${ITEMS} events of a run`, await scroll(page, ".events-rows", STEPS));
  // Anywhere: the last ones are as near as the first ones.
  await page.evaluate(
    "(({ scrollHeight }, rows) => rows.scrollTo(0, scrollHeight / 2))(document.querySelector('.events-rows'), document.querySelector('.events-rows'))",
  );
  tell("from the middle of them", await scroll(page, ".events-rows", STEPS));
  print(`${(await heapOf(page)).toFixed(1)} MB`);
}

const path = getChromium((line) => process.stderr.write(`${line}\n`));
if (path === null) throw new Error("There is no Chrome or Chromium, and none could be installed.");
const folder = mkdtempSync(join(tmpdir(), "faultline-bench-web-"));
const browser = await chromium.launch(launchOptions(path));
try {
  const startedAt = performance.now();
  const { file, longRun } = await makeWebJournal(folder, { runs: ITEMS, events: ITEMS });
  print(
    `a journal with ${ITEMS} runs, one of them with ${ITEMS} events, written in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
  );
  const server = await startServer({ journal: file, port: 0, env: {}, drive: false });
  const token = readFileSync(server.tokenFile, "utf8").trim();
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  context.setDefaultTimeout(120_000);
  await context.addCookies([{ name: "faultline_session", value: token, url: server.url }]);
  const page = await context.newPage();
  await measureRuns(page, server.url);
  await measureEvents(page, server.url, longRun);
  await context.close();
  await server.close();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
