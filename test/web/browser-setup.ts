// Before the first browser test: starts the one browser that all of them share, in contexts of their own.

import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { getChromium, launchOptions } from "./chromium.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where tests reach the browser; null when there is none. */
    readonly browserAt: string | null;
  }
}

const NONE = `
################################################################################
##  THE BROWSER TESTS DID NOT RUN: there is no Chrome or Chromium here, and    ##
##  none could be installed. Install one, or name one with CHROME_PATH.        ##
################################################################################
`;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const path = getChromium((line) => process.stderr.write(`${line}\n`));
  if (path === null) {
    if (process.env["CI"] === "true") throw new Error(NONE);
    project.provide("browserAt", null);
    process.stderr.write(NONE);
    // Once more at the end, where people look.
    return () => Promise.resolve(void process.stderr.write(NONE));
  }
  const browser = await chromium.launchServer(launchOptions(path));
  project.provide("browserAt", browser.wsEndpoint());
  return () => browser.close();
}
