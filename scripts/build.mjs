// Makes `dist`: one file per door with shared chunks between them, because fifty small modules take five times as long to
// load as one; and the declarations beside them, file by file as the compiler writes them.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
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
  "cli/main",
];

rmSync(`${root}dist`, { recursive: true, force: true });

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(doors.map((door) => [door, `src/${door}.ts`])),
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node22.13",
  logLevel: "warning",
  write: false,
});
// The bundler imports shared chunks for their effects, too. Ours have none, as package.json says, and every program that is
// bundled with us would get a warning for each of these lines.
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replaceAll(/^import "\.[^"\n]+";\n/gm, ""));
}
chmodSync(`${root}dist/cli/main.js`, 0o755);

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const types = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exit(types.status ?? 1);
