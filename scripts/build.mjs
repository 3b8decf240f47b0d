// Makes `dist`: one file per door with shared chunks between them, because fifty small modules take five times as long to load as
// one; and the declarations beside them, file by file as the compiler writes them. Maps lead from both to `src`, which is part of
// the package. Dependencies that consist of many small files go into the chunks for the same reason.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { build as viteBuild } from "vite";
import { writeRequireDoors } from "./require-doors.mjs";
import { esbuildTablesAsJson, rollupTablesAsJson } from "./tables-as-json.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const doors = [
  "index",
  "core/index",
  "error-classifier/index",
  "policy-file/index",
  "tool-file/index",
  "mcp/index",
  "telemetry/index",
  "workflow/index",
  "workflow-file/index",
  "testing/index",
  "client/index",
  "testing/vitest",
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
/**
 * The command line brings these in chunks that load on first use, so that the demo, workflows with models and the gateway work in a
 * folder where nothing else is installed. The library uses the versions that the program has installed.
 */
const OF_THE_PROGRAM = ["@ai-sdk/anthropic", "@ai-sdk/google", "@ai-sdk/openai", "@ai-sdk/openai-compatible"];
const { dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const external = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }).filter(
  (name) => !BUNDLED.includes(name),
);

const TARGET = "node22.13";
/** The package gives Node its CommonJS form, which cannot be cut down to the parts that are used. */
const ALIAS = { yaml: `${root}node_modules/yaml/browser/index.js` };
/** Names stay, and lines stay short, so that a stack without maps can be read, too. */
const READABLE = { lineLimit: 160, legalComments: "none", charset: "ascii" };

rmSync(`${root}dist`, { recursive: true, force: true });

/** Declarations are written while the bundlers run. */
const types = run(
  fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url)),
  "-p",
  "tsconfig.build.json",
);
const inputs = [...(await bundleDoors()), ...(await bundleProgram())];
inputs.push(...(await bundleDashboard()));
writeFileSync(`${root}dist/THIRD-PARTY-LICENSES.txt`, licences(inputs));
process.exitCode = await types;
if (process.exitCode === 0) {
  nameDeclarationsAsModules();
  // The suite for journals imports Vitest, which refuses `require()`.
  await writeRequireDoors(
    `${root}dist`,
    doors.filter((door) => door !== "testing/journal-suite"),
  );
}

/**
 * The library. Each file costs a program up to a millisecond when it is loaded, so the code of these doors stays in one piece each,
 * and the other doors load that piece whole. esbuild has no option for this: it splits shared code by its users.
 */
async function bundleDoors() {
  const inOnePiece = ["core/index", "mcp/index"];
  /** Small files that nearly every chunk uses. */
  const small = [
    "core/json-fields",
    "host/builtin",
    "host/clock",
    "host/keyed-mutex",
    "host/lazy-part",
    "host/secret-tag",
    "journal/chain",
    "journal/files/artefact-names",
    "journal/journal-faults",
    "telemetry/otel",
    "telemetry/span-names",
  ];
  const pieces = new Map();
  const modules = new Set();
  await viteBuild({
    root,
    configFile: false,
    publicDir: false,
    logLevel: "error",
    resolve: { alias: ALIAS },
    plugins: [rollupTablesAsJson],
    esbuild: { minifyIdentifiers: false, minifyWhitespace: true, minifySyntax: true, ...READABLE },
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: TARGET,
      outDir: "dist",
      emptyOutDir: false,
      minify: "esbuild",
      sourcemap: true,
      rollupOptions: {
        input: Object.fromEntries(doors.map((door) => [door, `${root}src/${door}.ts`])),
        external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
        // As package.json says; otherwise every program that is bundled with us gets a warning for each import of a chunk.
        treeshake: { moduleSideEffects: false },
        // A door exports what its source does, and nothing that only other chunks need.
        preserveEntrySignatures: "strict",
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name]-[hash].js",
          hoistTransitiveImports: false,
          minifyInternalExports: false,
          sourcemapExcludeSources: true,
          manualChunks: (id, { getModuleInfo }) => {
            modules.add(id);
            if (pieces.size === 0) {
              for (const file of small) pieces.set(`${root}src/${file}.ts`, "small");
              for (const door of inOnePiece) collect(`${root}src/${door}.ts`, door, getModuleInfo);
            }
            return pieces.get(id);
          },
        },
      },
    },
  });
  return [...modules].map((id) => id.replace(root, ""));

  function collect(id, door, getModuleInfo) {
    if (pieces.has(id) || getModuleInfo(id)?.isExternal !== false) return;
    pieces.set(id, dirname(door));
    for (const imported of getModuleInfo(id).importedIds) collect(imported, door, getModuleInfo);
  }
}

/** The command line is built apart: its forty commands, each loaded on demand, would split the library's chunks into small pieces. */
async function bundleProgram() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { "cli/main": "src/cli/main.ts" },
    outdir: "dist",
    chunkNames: "cli/chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    external: external.filter((name) => !OF_THE_PROGRAM.includes(name)),
    alias: ALIAS,
    plugins: [esbuildTablesAsJson],
    format: "esm",
    platform: "node",
    target: TARGET,
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
    metafile: true,
    write: false,
    ...READABLE,
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith(".js") ? withoutBareImports(text) : text);
  }
  chmodSync(`${root}dist/cli/main.js`, 0o755);
  return Object.keys(metafile.inputs);
}

/** The compiler leaves `.ts` in the imports of declarations; there is no such file in `dist`. */
function nameDeclarationsAsModules() {
  for (const file of readdirSync(`${root}dist`, { recursive: true })) {
    if (!file.endsWith(".d.ts")) continue;
    const text = readFileSync(`${root}dist/${file}`, "utf8");
    // Keeps the columns, which the maps count.
    writeFileSync(`${root}dist/${file}`, text.replaceAll(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
  }
}

/** The page that `faultline serve` shows; see web/. */
async function bundleDashboard() {
  const { output } = await viteBuild({ configFile: `${root}web/vite.config.ts`, logLevel: "error" });
  return output.flatMap(({ moduleIds = [] }) => moduleIds).map((id) => id.replace(root, ""));
}

function run(...args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
    child.on("close", (code) => resolve(code ?? 1));
  });
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
      const { license, author } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
      // Some packages only name their licence.
      const text =
        file === undefined ? `${license}, ${author?.name ?? author}` : readFileSync(folder + file, "utf8").trim();
      if (file === undefined && license === undefined) throw new Error(`${name} has no licence`);
      return `${name}\n${"=".repeat(name.length)}\n\n${text}\n`;
    })
    .join("\n\n");
}
