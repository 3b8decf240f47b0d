// Bundles the current sources into files that load fast, because the campaign starts hundreds of workers.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the folder to import `faultline.js` and `workflow.js` from, as an address. */
export async function bundleWorkflows(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  // Packages with data files of their own stay outside the bundle and are resolved as usual.
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  await build({
    absWorkingDir: ROOT,
    entryPoints: { faultline: "src/index.ts", workflow: "src/workflow/index.ts" },
    outdir: folder,
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    external: ["@jitl/*", "quickjs-*", "pg", "@restatedev/*"],
    format: "esm",
    platform: "node",
    target: "node22.13",
    // Some packages are CommonJS and load Node's modules with `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
  return pathToFileURL(folder).href;
}
