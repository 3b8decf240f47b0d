// `npm test`: every check of this repository, in the order that fails fastest. Each also runs alone, as `npm run <name>`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** A test that blocks its worker cannot be ended by its own time limit, so the whole run has one. */
const LONGEST_CHECK_MS = 40 * 60_000;

const checks = [
  { name: "format", args: [bin("oxfmt/bin/oxfmt"), "--list-different", "."] },
  { name: "types", args: [bin("typescript/bin/tsc"), "-p", "tsconfig.json"] },
  { name: "lint", args: [bin("oxlint/bin/oxlint"), "."] },
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
  const done = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", timeout: LONGEST_CHECK_MS });
  if (done.status !== 0) {
    const why = done.error?.code === "ETIMEDOUT" ? `did not finish in ${LONGEST_CHECK_MS / 60_000} minutes` : "failed";
    process.stderr.write(`\n✗ ${name} ${why}\n`);
    process.exit(done.status ?? 1);
  }
  process.stdout.write(`✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
}

// The last line counts the tests in a form that any reader of logs understands.
const { numPassedTests, numFailedTests } = JSON.parse(
  readFileSync(new URL("../coverage/tests.json", import.meta.url), "utf8"),
);
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);
