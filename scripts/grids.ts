// `npm run test:grids -- [files …]`: the test files with a grid, with all combinations. `npm test` runs a share of each grid.

import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , ...named] = process.argv;
const files = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/servers/node_modules/**"] }).filter((file) =>
  readFileSync(join(root, file), "utf8").includes('/support/grid.ts"'),
);
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", ...(named.length > 0 ? named : files)],
  { cwd: root, stdio: "inherit", env: { ...process.env, FAULTLINE_GRIDS: "whole" } },
);
process.exitCode = status ?? 1;
