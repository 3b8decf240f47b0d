// `npm run bench:size`: what `faultline/core` weighs and how long it takes to load, beside an empty module in the same run.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { print } from "./measure.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "faultline-size-"));

/** One file, as a bundler would ship it to a browser. */
async function bundle(
  entry: string,
): Promise<{ readonly bytes: number; readonly gzipped: number; readonly imports: readonly string[] }> {
  const result = await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    write: false,
    metafile: true,
  });
  const code = result.outputFiles[0]?.contents ?? new Uint8Array();
  const outside = Object.values(result.metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  );
  return { bytes: code.length, gzipped: gzipSync(code).length, imports: outside };
}

/** Milliseconds to import a module in a fresh process, the best of several. */
function importMs(target: string): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(target)}); console.log(performance.now() - t);`;
  const runs = Array.from({ length: 9 }, () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })),
  );
  return Math.min(...runs);
}

try {
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "export {};\n");
  print("What the doors weigh (minified, one file)");
  for (const door of ["core", "error-classifier"]) {
    const { bytes, gzipped, imports } = await bundle(`dist/${door}/index.js`);
    print(
      `  faultline/${door.padEnd(17)} ${(bytes / 1024).toFixed(1).padStart(6)} KB  ${(gzipped / 1024).toFixed(1).padStart(6)} KB gzipped  outside imports: ${imports.length === 0 ? "none" : imports.join(", ")}`,
    );
  }
  print("\nHow long they take to load (fresh process, best of 9)");
  const floor = importMs(empty);
  print(`  an empty module            ${floor.toFixed(1).padStart(6)} ms (floor)`);
  for (const door of ["core", "error-classifier", "policy-file"]) {
    print(
      `  faultline/${door.padEnd(17)} ${importMs(join(ROOT, "dist", door, "index.js"))
        .toFixed(1)
        .padStart(6)} ms`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
