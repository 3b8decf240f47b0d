// How much a browser loads before it shows something.

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
      let bytes = 0;
      const counted: Promise<void>[] = [];
      page.on("response", (response) => {
        if (response.request().resourceType() !== "script") return;
        expect(response.headers()["content-encoding"]).toBe("gzip");
        counted.push(
          response
            .request()
            .sizes()
            .then(({ responseBodySize }) => void (bytes += responseBodySize)),
        );
      });
      await page.goto(world.url + path);
      await shown(page);
      await Promise.all(counted);
      process.stdout.write(`first load of ${path}: ${(bytes / 1_024).toFixed(1)} KB of gzipped script\n`);
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThanOrEqual(MOST_SCRIPT_BYTES);
    },
  );
});
