import { globSync, readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { makeMemoryFolder } from "./scripts/memory-folder.ts";

/**
 * Marks of a test file that changes what all tests of a process share: its environment, its listeners, its globals, its clock.
 * Such a file gets a process of its own. All others share a few processes, so that each loads the sources once and not once per file.
 * A mark behind a quote is in the text of a program that the test starts.
 */
const CHANGES_ITS_PROCESS =
  /^[^"'`\n]*\b(?:vi\.(?:mock|doMock|stub\w+|useFakeTimers)\(|vi\.spyOn\((?:Date|process|console|globalThis)\b|process\.(?:on|once|emit|chdir)\(|process\.kill\(process\.pid|process\.env(?:\.\w+|\["\w+"\]) = )/m;

/**
 * Test files that run the same code thousands of times: grids, and properties with many samples. Counting coverage doubles the time of a test
 * and finds nothing in these that it does not find in others, so they run without it.
 */
const REPEATING = [
  "test/core/classify/{hostile,limits}.test.ts",
  "test/core/decide/{hedge,properties,seen-situation}.test.ts",
  "test/core/flow/seen-stage.test.ts",
  "test/gateway/scenarios/scenarios.test.ts",
  "test/package/{bundled,published}.test.ts",
  "test/provider/fetch/endless.test.ts",
  "test/provider/grid/grid.test.ts",
  "test/provider/{model/as-given,wire/properties}.test.ts",
];

/** Test files that take longest begin first, so that none of them runs alone at the end. */
const LONGEST =
  /\/(?:crash|doc-snippets|drill|endless|journal|kill|matrix|published|run-bytes|scale|shared-\w+|start|worker)\.test\.ts$/;

/**
 * Vitest ends a process as soon as the next file belongs to another project, and the process that follows loads the sources again. So the files of
 * a project stay together. Those that share processes come last, because they fill the processes best.
 */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const rank = ({ project, moduleId }: TestSpecification): number =>
      2 * PROJECTS.indexOf(project.name) + Number(!LONGEST.test(moduleId));
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** In the order in which they run. */
const PROJECTS = ["isolated", "browser", "uncounted", "shared"];

/** Packages of the servers that tests start, which bring tests of their own. */
const INSTALLED = "test/servers/node_modules/**";

const root = import.meta.dirname;
const BROWSER_TESTS = "test/web/**/*.test.ts";
/** Vitest asks Node for packages in their form for development. One of this file's packages is TypeScript then, which Node refuses. */
const NEEDS_RUNNER = "test/package/published.test.ts";
const isolated = globSync("test/**/*.test.ts", { cwd: root, exclude: [BROWSER_TESTS, INSTALLED] }).filter(
  (file) => file === NEEDS_RUNNER || CHANGES_ITS_PROCESS.test(readFileSync(join(root, file), "utf8")),
);
const isCounting = process.argv.includes("--coverage");
const uncounted = isCounting ? REPEATING : [];
/** Read by `scripts/coverage.mjs`. */
const UNCOUNTED = { FAULTLINE_COUNTS: "no" };

// Processes that tests start load the same sources and libraries again and again: with this cache in half the time.
process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules", ".cache", "node-compile");
// This process, too: it loads the sources for the server that browser tests share, and the variable came too late for it.
enableCompileCache(process.env["NODE_COMPILE_CACHE"]);

const memory = process.env["TMPDIR"] === undefined ? makeMemoryFolder() : null;
if (memory !== null) process.env["TMPDIR"] = memory;

// Tests that need PostgreSQL share one server, which ends with this process.
process.env["FAULTLINE_TEST_OWNER"] ??= String(process.pid);

export default defineConfig({
  test: {
    // A property test prints its seed on failure; a hanging one is a bug.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What must come may take long on a busy machine.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    // More than half of the time of a test file, its worker waits for the processes and servers that it started.
    maxWorkers: Math.min(3 * availableParallelism(), availableParallelism() + 16),
    sequence: { sequencer: LongestFirst },
    // Node loads TypeScript itself, with a tenth less processor time than Vite's module runner. Coverage keeps the runner.
    experimental: { viteModuleRunner: isCounting, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          ...{
            name: "shared",
            include: ["test/**/*.test.ts"],
            exclude: [...isolated, ...uncounted, BROWSER_TESTS, INSTALLED],
            isolate: false,
          },
        },
      },
      ...(uncounted.length === 0
        ? []
        : [
            { extends: true as const, test: { name: "uncounted", include: uncounted, isolate: false, env: UNCOUNTED } },
          ]),
      // These may mock modules, which only Vite's module runner can.
      {
        extends: true,
        test: { name: "isolated", include: isolated, exclude: uncounted, experimental: { viteModuleRunner: true } },
      },
      {
        extends: true,
        test: {
          ...{ name: "browser", include: [BROWSER_TESTS], isolate: false, env: UNCOUNTED },
          globalSetup: "test/web/browser-setup.ts",
        },
      },
    ],
    coverage: {
      provider: "custom",
      customProviderModule: "scripts/coverage.mjs",
      include: ["src/**"],
      // The CLI is tested as real processes, whose coverage is not collected.
      exclude: ["src/cli/**"],
      reporter: ["text-summary"],
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
