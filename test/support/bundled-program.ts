// Programs that tests start as processes, each bundled into one file. Node loads that file in a fraction of the time it needs for a few hundred
// sources. A program is bundled again when one of its sources has changed, so it is never out of date.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** `npm run test:mutants` works on copies of the repository that share their packages: each copy has programs of its own. */
const COPY = createHash("sha256").update(ROOT).digest("hex").slice(0, 8);
const FOLDER = join(ROOT, "node_modules", ".cache", "test-programs", COPY);

/** How our sources become files that load fast. Packages with data files of their own stay outside. */
const FAST_LOADING = {
  absWorkingDir: ROOT,
  bundle: true,
  external: ["@jitl/*", "quickjs-*", "pg", "@restatedev/*"],
  format: "esm",
  platform: "node",
  target: "node22.13",
  // Some packages are CommonJS and load Node's modules with `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  logLevel: "error",
} satisfies BuildOptions;

/** Returns the path of the bundled program. */
export function bundledProgram(source: URL): string {
  const path = fileURLToPath(source);
  const file = join(FOLDER, `${path.slice(ROOT.length).replaceAll(/[\\/]/g, "_")}.mjs`);
  if (!isCurrent(file)) bundle(path, file);
  return file;
}

const inputsOf = (file: string): string => `${file}.inputs.json`;

function isCurrent(file: string): boolean {
  if (!existsSync(file) || !existsSync(inputsOf(file))) return false;
  const { mtimeMs: bundledAt } = statSync(file);
  const inputs = JSON.parse(readFileSync(inputsOf(file), "utf8")) as readonly string[];
  return inputs.every((input) => {
    const found = statSync(join(ROOT, input), { throwIfNoEntry: false });
    return found !== undefined && found.mtimeMs < bundledAt;
  });
}

/** Other processes may bundle the same program now: each writes files of its own and then renames them. */
function bundle(path: string, file: string): void {
  mkdirSync(FOLDER, { recursive: true });
  const startedAt = new Date();
  const own = `${file}.${process.pid}`;
  const { metafile } = buildSync({ ...FAST_LOADING, entryPoints: [path], outfile: own, metafile: true });
  utimesSync(own, startedAt, startedAt);
  // A file that a package leaves out on purpose has no place on the disk.
  const inputs = Object.keys(metafile.inputs).filter((input) => !input.startsWith("(disabled):"));
  writeFileSync(inputsOf(own), JSON.stringify(inputs));
  renameSync(inputsOf(own), inputsOf(file));
  renameSync(own, file);
}
