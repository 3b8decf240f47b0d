// `npm run screenshots`: pictures of the dashboard for the README and the docs, taken in the sample world and written to docs/images/.

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { getChromium, launchOptions } from "../test/web/chromium.ts";
import { shown } from "../test/web/page-checks.ts";
import { type SampleWorld, startSampleWorld } from "../test/web/sample-world.ts";

const IMAGES = fileURLToPath(new URL("../docs/images/", import.meta.url));

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme?: "light" | "dark";
  readonly language?: "en" | "zh-CN";
  readonly width?: number;
  readonly height?: number;
}

const SHOTS: readonly Shot[] = [
  { name: "overview-light", path: "/" },
  { name: "runs-light", path: "/runs?run=review-pr-4408" },
  { name: "runs-dark", path: "/runs?run=review-pr-4408", theme: "dark" },
  { name: "run-light", path: "/runs/review-pr-4410" },
  { name: "runs-zh", path: "/runs?run=review-pr-4408", language: "zh-CN" },
  { name: "questions-light", path: "/questions" },
  { name: "targets-dark", path: "/targets", theme: "dark" },
  { name: "trace-light", path: "/sessions/plan-a-trip" },
  { name: "runs-phone", path: "/runs", width: 390, height: 844 },
];

async function take(browser: Browser, { url, tokens }: SampleWorld, shot: Shot): Promise<void> {
  const { name, path, theme = "light", language = "en", width = 1_440, height = 900 } = shot;
  const context = await browser.newContext({
    ...{ viewport: { width, height }, reducedMotion: "reduce", colorScheme: theme, locale: language },
  });
  await context.addInitScript(`localStorage["faultline.preferences"] = '${JSON.stringify({ theme, language })}'`);
  await context.addCookies([{ name: "faultline_session", value: tokens.operator, url }]);
  const page = await context.newPage();
  await page.goto(url + path);
  await shown(page);
  await page.locator(".live-live").waitFor({ state: "attached" });
  // The rows ask for their buttons once they have rested in view.
  if (path.startsWith("/runs"))
    await page.locator(".runs-do button, .actions button").first().waitFor({ state: "attached" });
  if (path === "/") await page.locator("canvas").first().waitFor({ state: "attached" });
  await page.evaluate("document.fonts.ready");
  const file = join(IMAGES, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
  process.stdout.write(`${name}.png ${(statSync(file).size / 1_024).toFixed(0)} KB\n`);
  await context.close();
}

const path = getChromium((line) => process.stderr.write(`${line}\n`));
if (path === null) throw new Error("There is no Chrome or Chromium, and none could be installed.");
mkdirSync(IMAGES, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "faultline-screenshots-"));
const [browser, world] = await Promise.all([chromium.launch(launchOptions(path)), startSampleWorld(folder)]);
try {
  for (const shot of SHOTS) await take(browser, world, shot);
} finally {
  await browser.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
}
