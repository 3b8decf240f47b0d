// `faultline/core` is pure: it runs in a browser, from a bundle without a stand-in for anything of Node.

import { build } from "esbuild";
import { chromium } from "playwright-core";
import { expect, inject, it } from "vitest";
import { inBrowser } from "./browser.ts";

const PROGRAM = `
import { classify, decide, DEFAULT_POLICY, situation } from "faultline/core";
const fault = classify({ surface: "http", status: 429, headers: [["retry-after", "7"]], message: "Too Many Requests" });
const decision = decide(situation(fault), DEFAULT_POLICY);
globalThis.said = { code: fault.code, retryAfterMs: fault.retryAfterMs, recourse: decision.recourse };
`;

inBrowser("faultline/core in a browser", () => {
  it("classifies and decides", async () => {
    const { outputFiles, warnings } = await build({
      stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    const browser = await chromium.connect(inject("browserAt") ?? "");
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.addScriptTag({ content: outputFiles[0]?.text ?? "" });
      const said = await page.evaluate("globalThis.said");
      expect(said).toMatchObject({ code: "RateLimited", retryAfterMs: 7000, recourse: "retry" });
    } finally {
      await context.close();
    }
  });
});
