import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * Marks of a test file that changes what all tests of a process share: its environment, its listeners, its globals, its clock.
 * Such a file gets a process of its own. All others share a few processes, so that each loads the sources once and not once per file.
 * A mark behind a quote is in the text of a program that the test starts.
 */
const CHANGES_ITS_PROCESS =
  /^[^"'`\n]*\b(?:vi\.(?:mock|doMock|stub\w+|useFakeTimers)\(|vi\.spyOn\((?:Date|process|console|globalThis)\b|process\.(?:on|once|emit|chdir)\(|process\.kill\(process\.pid|process\.env(?:\.\w+|\["\w+"\]) = )/m;

/** Packages of the servers that tests start, which bring tests of their own. */
const INSTALLED = "test/servers/node_modules/**";

const root = import.meta.dirname;
const BROWSER_TESTS = "test/web/**/*.test.ts";
const isolated = globSync("test/**/*.test.ts", { cwd: root, exclude: [BROWSER_TESTS, INSTALLED] }).filter((file) =>
  CHANGES_ITS_PROCESS.test(readFileSync(join(root, file), "utf8")),
);

// Processes that tests start load the same sources and libraries again and again: with this cache in half the time.
process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules", ".cache", "node-compile");

// Tests that need PostgreSQL share one server, which ends with this process.
process.env["FAULTLINE_TEST_OWNER"] ??= String(process.pid);

export default defineConfig({
  test: {
    // A property test prints its seed on failure; a hanging one is a bug.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What must come may take long on a busy machine.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    // Half of the time of a test file, its worker waits for the processes and servers that it started.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      {
        extends: true,
        test: {
          ...{
            name: "shared",
            include: ["test/**/*.test.ts"],
            exclude: [...isolated, BROWSER_TESTS, INSTALLED],
            isolate: false,
          },
        },
      },
      { extends: true, test: { name: "isolated", include: isolated } },
      {
        extends: true,
        test: {
          ...{ name: "browser", include: [BROWSER_TESTS], isolate: false },
          globalSetup: "test/web/browser-setup.ts",
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**"],
      // The CLI is tested as real processes, whose coverage is not collected.
      exclude: ["src/cli/**"],
      reporter: ["text-summary"],
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
