// Makes `dist`: one file per door with shared chunks between them, because fifty small modules take five times as long to
// load as one; and the declarations beside them, file by file as the compiler writes them.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
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

await build({
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
});
chmodSync(`${root}dist/cli/main.js`, 0o755);

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const types = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exit(types.status ?? 1);
