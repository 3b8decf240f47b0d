// How much a browser loads before it shows something.

import type { Request } from "playwright-core";
import { expect, it } from "vitest";
import { startWorld, type ServerWorld } from "../server/world.ts";
import { inBrowser, look } from "./browser.ts";
import { shown } from "./page-checks.ts";

const MOST_SCRIPT_BYTES = 200 * 1_024;

inBrowser("the first load", () => {
  it.each(["/", "/runs"])(
    "of %s is at most 200 KB of script as it is sent, and no more than one page's worth",
    async (path) => {
      const world: ServerWorld = await startWorld();
      // No script yet, and nothing in the cache.
      const page = await look(world, "/v1/health");
      const scripts: Request[] = [];
      const note = (request: Request): void => void (request.resourceType() === "script" && scripts.push(request));
      page.on("requestfinished", note);
      await page.goto(world.url + path);
      await shown(page);
      // What comes later is not part of the first load, and may come after the page is closed.
      page.off("requestfinished", note);
      for (const script of scripts)
        expect((await script.response())?.headers()["content-encoding"], script.url()).toBe("gzip");
      const sizes = await Promise.all(scripts.map((script) => script.sizes()));
      const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
      process.stdout.write(`first load of ${path}: ${(bytes / 1_024).toFixed(1)} KB of gzipped script\n`);
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThanOrEqual(MOST_SCRIPT_BYTES);
    },
  );
});
