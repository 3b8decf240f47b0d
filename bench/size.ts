// `npm run bench:size`: how large the entry points are, and how long they take to load, compared with an empty module and with peers in the same run.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { print } from "./measure.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = process.argv.includes("--quick") ? 3 : 15;
const folder = mkdtempSync(join(tmpdir(), "faultline-size-"));

const DOORS = ["core", "error-classifier", "policy-file", "tool-file", "workflow-file", "workflow", "mcp", "testing"];
/** Packages that do part of the same work, or that programs load beside us. */
const PEERS = ["p-retry", "cockatiel", "opossum", "effect", "zod", "openai", "ai"];

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

interface Load {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Imports a module in a fresh process. */
function load(target: string): Load {
  const script = `const cpu = process.cpuUsage(), at = performance.now();
    await import(${JSON.stringify(target)});
    const wallMs = performance.now() - at, { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", cwd: ROOT }),
  ) as Load;
}

/** A whole process, from its start to its end. */
function run(args: readonly string[]): Load {
  const at = performance.now();
  execFileSync(process.execPath, args, { stdio: "ignore", cwd: ROOT });
  return { wallMs: performance.now() - at, cpuMs: NaN };
}

/** The best of several rounds, in which all take turns. */
function best(subjects: readonly (readonly [name: string, measure: () => Load])[]): ReadonlyMap<string, Load> {
  const least = new Map<string, Load>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, measure] of subjects) {
      const { wallMs, cpuMs } = measure();
      const before = least.get(name) ?? { wallMs: Infinity, cpuMs: Infinity };
      least.set(name, { wallMs: Math.min(wallMs, before.wallMs), cpuMs: Math.min(cpuMs, before.cpuMs) });
    }
  }
  return least;
}

function printOver(floorName: string, loads: ReadonlyMap<string, Load>): void {
  const floor = loads.get(floorName) ?? { wallMs: NaN, cpuMs: NaN };
  for (const [name, { wallMs, cpuMs }] of loads) {
    const cpu = Number.isNaN(cpuMs) ? "" : `   ${(cpuMs - floor.cpuMs).toFixed(1).padStart(6)} ms of CPU`;
    print(
      name === floorName
        ? `  ${name.padEnd(28)} ${wallMs.toFixed(1).padStart(6)} ms, the floor, subtracted below`
        : `  ${name.padEnd(28)} ${(wallMs - floor.wallMs).toFixed(1).padStart(6)} ms${cpu}`,
    );
  }
}

try {
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "export {};\n");
  print("Size of the entry points (minified, one file)");
  for (const door of ["core", "error-classifier"]) {
    const { bytes, gzipped, imports } = await bundle(`dist/${door}/index.js`);
    print(
      `  faultline/${door.padEnd(17)} ${(bytes / 1024).toFixed(1).padStart(6)} KB  ${(gzipped / 1024).toFixed(1).padStart(6)} KB gzipped  outside imports: ${imports.length === 0 ? "none" : imports.join(", ")}`,
    );
  }
  const door = (path: string): string => pathToFileURL(join(ROOT, "dist", path, "index.js")).href;
  print(`\nHow long an import takes over bare Node (fresh process, best of ${ROUNDS})`);
  printOver(
    "an empty module",
    best([
      ["an empty module", () => load(pathToFileURL(empty).href)],
      ["faultline", () => load(door("."))],
      ...DOORS.map((name) => [`faultline/${name}`, () => load(door(name))] as const),
      ...PEERS.map((name) => [`peer: ${name}`, () => load(name)] as const),
    ]),
  );
  print(`\nHow long a command takes over bare Node (whole process, best of ${ROUNDS})`);
  const program = join(ROOT, "dist", "cli", "main.js");
  printOver(
    "node -e 0",
    best([
      ["node -e 0", () => run(["-e", "0"])],
      ["faultline --version", () => run([program, "--version"])],
      ["faultline classify", () => run([program, "classify", "429 Too Many Requests: rate limit reached"])],
    ]),
  );
} finally {
  rmSync(folder, { recursive: true });
}
