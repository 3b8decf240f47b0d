// Makes `dist`: one file per door with shared chunks between them, because fifty small modules take five times as long to load as
// one; and the declarations beside them, file by file as the compiler writes them. Maps lead from both to `src`, which is part of
// the package. Dependencies that consist of many small files go into the chunks for the same reason.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const doors = [
  "index",
  "core/index",
  "error-classifier/index",
  "policy-file/index",
  "tool-file/index",
  "mcp/index",
  "workflow/index",
  "workflow-file/index",
  "testing/index",
  "testing/journal-suite",
];
/** Only these are bundled; all others are imported by name. */
const BUNDLED = [
  "zod",
  "yaml",
  "execa",
  "commander",
  "get-east-asian-width",
  "fastest-levenshtein",
  "eventsource-parser",
];
const { dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const external = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }).filter(
  (name) => !BUNDLED.includes(name),
);

rmSync(`${root}dist`, { recursive: true, force: true });

/** One folder of chunks for the doors of the library. The command line has its own: its many commands would cut the others to pieces. */
const inputs = [...(await bundle(doors, "chunks")), ...(await bundle(["cli/main"], "cli/chunks"))];
chmodSync(`${root}dist/cli/main.js`, 0o755);
writeFileSync(`${root}dist/THIRD-PARTY-LICENSES.txt`, licences(inputs));

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const types = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exit(types.status ?? 1);

/** Writes the files and returns what went into them. */
async function bundle(entries, chunks) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    outdir: "dist",
    chunkNames: `${chunks}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    external,
    // The package gives Node its CommonJS form, which cannot be cut down to the parts that are used.
    alias: { yaml: `${root}node_modules/yaml/browser/index.js` },
    format: "esm",
    platform: "node",
    target: "node22.13",
    // Names stay, and lines stay short, so that a stack without maps can be read, too.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    write: false,
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith(".js") ? withoutBareImports(text) : text);
  }
  return Object.keys(metafile.inputs);
}

/**
 * The bundler imports shared chunks for their effects, too. Ours have none, as package.json says, and every program that is bundled
 * with us would get a warning for each of these lines. Spaces stay in their place, because maps count columns.
 */
function withoutBareImports(text) {
  return text.replaceAll(/\bimport"\.{1,2}\/[\w./-]+\.js";/g, (found) => " ".repeat(found.length));
}

/** The licence of every package that went into the chunks. */
function licences(inputs) {
  const packages = inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  return [...new Set(packages)]
    .sort()
    .map((name) => {
      const folder = `${root}node_modules/${name}/`;
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined || !existsSync(folder + file)) throw new Error(`${name} has no licence file`);
      return `${name}\n${"=".repeat(name.length)}\n\n${readFileSync(folder + file, "utf8").trim()}\n`;
    })
    .join("\n\n");
}
