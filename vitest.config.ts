import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A property test prints its seed on failure; a hanging one is a bug.
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
