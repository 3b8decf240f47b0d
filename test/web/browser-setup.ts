// Before the first browser test: starts the one browser that all of them share, in contexts of their own, and the sample world.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import type { Served } from "./browser.ts";
import { getChromium, launchOptions } from "./chromium.ts";
import { poison } from "./hostile-text.ts";
import { startSampleWorld } from "./sample-world.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where tests reach the browser; null when there is none. */
    readonly browserAt: string | null;
    /** Without a browser, it is not started. */
    readonly sampleWorld: Served;
  }
}

const NONE = `
################################################################################
##  THE BROWSER TESTS DID NOT RUN: there is no Chrome or Chromium here, and    ##
##  none could be installed. Install one, or name one with CHROME_PATH.        ##
################################################################################
`;

/** Pages that live for a second: optimizing their scripts, and drawing in another process, takes longer than it saves. */
const SHORT_LIVED = ["--js-flags=--no-opt --no-maglev", "--in-process-gpu"];

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const path = getChromium((line) => process.stderr.write(`${line}\n`));
  if (path === null) {
    if (process.env["CI"] === "true") throw new Error(NONE);
    project.provide("browserAt", null);
    process.stderr.write(NONE);
    // Once more at the end, where people look.
    return () => Promise.resolve(void process.stderr.write(NONE));
  }
  const folder = mkdtempSync(join(tmpdir(), "faultline-web-"));
  const { args = [], ...launch } = launchOptions(path);
  const [browser, world] = await Promise.all([
    chromium.launchServer({ ...launch, args: [...args, ...SHORT_LIVED] }),
    startSampleWorld(folder),
  ]);
  await poison(world);
  project.provide("browserAt", browser.wsEndpoint());
  project.provide("sampleWorld", { url: world.url, tokens: world.tokens });
  return async () => {
    await browser.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
