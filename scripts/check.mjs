// `npm test`: every check of this repository, in the order that fails fastest. Each also runs alone, as `npm run <name>`.
// `npm run test:quick` runs the same checks with fewer tests: the pure ones, and those of the folders you changed.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (path) => join(root, "node_modules", path);
const isQuick = process.argv.includes("--quick");

/** A test that blocks its worker cannot be ended by its own time limit, so the whole run has one. */
const LONGEST_CHECK_MS = 40 * 60_000;

/** Tests without processes, files or servers. */
const PURE_TESTS = ["core", "error-classifier", "host", "policy-file", "schema", "tool-file", "yaml-file"];

const checks = [
  { name: "format", args: [bin("oxfmt/bin/oxfmt"), "--list-different", "."] },
  // The rules need the types of everything, so one run checks both. `npm run types` checks types alone.
  { name: "lint and types", args: [bin("oxlint/bin/oxlint"), "--type-check", "."] },
  { name: "unused", args: [bin("knip/bin/knip.js"), "--no-progress"] },
  {
    name: "tests",
    args: [
      bin("vitest/vitest.mjs"),
      "run",
      ...(isQuick ? quickTests() : []),
      // With coverage, everything is slower and the machine is often shared: a test that loses a race runs once more, and the report marks it.
      ...(process.argv.includes("--coverage") ? ["--coverage", "--retry=1"] : []),
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
const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(join(root, "coverage", "tests.json"), "utf8"));
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);

/** The pure tests, the tidy test, and for each changed file the tests in the folder of the same name. */
function quickTests() {
  const related = changedFiles().flatMap((file) => {
    if (/^test\/.*\.test\.ts$/.test(file)) return existsSync(join(root, file)) ? [file] : [];
    const folder = dirname(file).replace(/^src(?=\/)/, "test");
    return folder.startsWith("test/") && existsSync(join(root, folder)) ? [`${folder}/`] : [];
  });
  return [...new Set(["test/tidy.test.ts", ...PURE_TESTS.map((name) => `test/${name}/`), ...related])];
}

/** Files that differ from what the upstream branch has, committed or not. */
function changedFiles() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  const hasUpstream = spawnSync("git", ["rev-parse", "--verify", "--quiet", "@{upstream}"], { cwd: root }).status === 0;
  const [base] = hasUpstream ? git("merge-base", "HEAD", "@{upstream}") : ["HEAD"];
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
}
