// `npm test`: every check of this repository, in the order that fails fastest. Each also runs alone, as `npm run <name>`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

const checks = [
  { name: "format", args: [bin("prettier/bin/prettier.cjs"), "--check", "--log-level=warn", "."] },
  { name: "types", args: [bin("typescript/bin/tsc"), "-p", "tsconfig.json"] },
  { name: "lint", args: [bin("eslint/bin/eslint.js"), "--max-warnings=0", "."] },
  {
    name: "tests",
    args: [
      bin("vitest/vitest.mjs"),
      "run",
      "--coverage",
      "--reporter=default",
      "--reporter=json",
      "--outputFile.json=coverage/tests.json",
    ],
  },
];

for (const { name, args } of checks) {
  const startedAt = performance.now();
  const done = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) {
    process.stderr.write(`\n✗ ${name} failed\n`);
    process.exit(done.status ?? 1);
  }
  process.stdout.write(`✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
}

// The last line counts the tests in a form that any reader of logs understands.
const { numPassedTests, numFailedTests } = JSON.parse(
  readFileSync(new URL("../coverage/tests.json", import.meta.url), "utf8"),
);
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);
