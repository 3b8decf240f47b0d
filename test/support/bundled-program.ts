// Programs that tests start as processes, bundled. Node loads a few files in a fraction of the time it needs for a few hundred sources. All of them
// are bundled together, because they share most of their sources: that takes as long as two of them alone. They are bundled again when one of
// the sources has changed, so no program is ever out of date.

import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";
import { readField, tryRead } from "../../src/core/try-read.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const PROGRAMS = [
  "scripts/team-kill/worker.mjs",
  "test/crash/child.mjs",
  "test/fixtures/mcp-payment-server.mjs",
  "test/fixtures/mcp-server.mjs",
  "test/journal/copy/copy-process.ts",
  "test/journal/writer-process.ts",
  "test/mcp/server.ts",
  "test/runtime/target/limited-process.ts",
  "test/runtime/target/member-process.ts",
  "test/runtime/target/pace-process.ts",
  "test/support/driver-process.ts",
  "test/support/server-process.ts",
  "test/support/starting-process.ts",
  "test/workflow/matrix/crash-life.ts",
  "test/workflow/restate/scale/worker.ts",
];

/** `npm run test:mutants` works on copies of the repository that share their packages: each copy has programs of its own. */
const COPY = createHash("sha256").update(ROOT).digest("hex").slice(0, 8);
const FOLDER = join(ROOT, "node_modules", ".cache", "test-programs", COPY);
/** What the programs were made of, and when. */
const RECORD = join(FOLDER, "made-of.json");
/** Has the id of the process that bundles now. */
const LOCK = join(FOLDER, "lock");
const LOOK_EVERY_MS = 20;
/** Nobody notifies those who wait on it: they look again. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));
/** A process of an older program may still load a part of it. */
const KEPT_MS = 3_600_000;

const nameOf = (program: string): string => program.replaceAll("/", "_");

/** How our sources become files that load fast. Packages with data files of their own stay outside. */
const FAST_LOADING = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  entryPoints: Object.fromEntries(PROGRAMS.map((program) => [nameOf(program), join(ROOT, program)])),
  outdir: FOLDER,
  outExtension: { ".js": ".mjs" },
  external: ["@jitl/*", "quickjs-*", "pg", "@restatedev/*"],
  format: "esm",
  platform: "node",
  target: "node22.13",
  // Some packages are CommonJS and load Node's modules with `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  logLevel: "error",
  metafile: true,
  write: false,
} satisfies BuildOptions;

interface Made {
  readonly at: number;
  readonly inputs: readonly string[];
}

/** Returns the path of the bundled program. */
export function bundledProgram(source: URL): string {
  const program = relative(ROOT, fileURLToPath(source)).replaceAll("\\", "/");
  if (!PROGRAMS.includes(program)) throw new Error(`${program} is not in the list of programs that tests start`);
  while (!isCurrent() && !bundleAlone()) Atomics.wait(NEVER, 0, 0, LOOK_EVERY_MS);
  return join(FOLDER, `${nameOf(program)}.mjs`);
}

function isCurrent(): boolean {
  if (existsSync(LOCK) || !existsSync(RECORD)) return false;
  const { at, inputs } = JSON.parse(readFileSync(RECORD, "utf8")) as Made;
  return inputs.every((input) => {
    const found = statSync(join(ROOT, input), { throwIfNoEntry: false });
    return found !== undefined && found.mtimeMs < at;
  });
}

/** False while another process bundles. */
function bundleAlone(): boolean {
  mkdirSync(FOLDER, { recursive: true });
  if (!takeLock()) return false;
  try {
    bundle();
  } finally {
    rmSync(LOCK, { force: true });
  }
  return true;
}

function takeLock(): boolean {
  const own = `${LOCK}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, LOCK);
    return true;
  } catch (error) {
    if (readField(error as object, "code") !== "EEXIST") throw error;
    const holder = Number(tryRead(() => readFileSync(LOCK, "utf8"), "0"));
    if (holder > 0 && !tryRead(() => process.kill(holder, 0), false)) rmSync(LOCK, { force: true });
    return false;
  } finally {
    rmSync(own);
  }
}

function bundle(): void {
  const at = Date.now();
  const { metafile, outputFiles } = buildSync(FAST_LOADING);
  for (const { path, contents } of outputFiles) replace(path, contents);
  // A file that a package leaves out on purpose has no place on the disk.
  const inputs = Object.keys(metafile.inputs).filter((input) => !input.startsWith("(disabled):"));
  const made: Made = { at, inputs: [...inputs, relative(ROOT, fileURLToPath(import.meta.url))] };
  replace(RECORD, JSON.stringify(made));
  const needed = new Set([RECORD, LOCK, ...outputFiles.map(({ path }) => path)].map((path) => basename(path)));
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name);
    if (!needed.has(name) && statSync(path).mtimeMs < at - KEPT_MS) rmSync(path, { recursive: true });
  }
}

/** A process that starts meanwhile finds the old file or the new one, and nothing in between. */
function replace(path: string, content: string | Uint8Array): void {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, content);
  renameSync(own, path);
}
