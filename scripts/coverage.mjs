// The coverage of V8, counted only where it finds something: `vitest.config.ts` names the test files that run without it.
import v8 from "@vitest/coverage-v8";

const isCounted = () => process.env.FAULTLINE_COUNTS !== "no";

// Vitest may load this module again for each test file. The inspector's session stays in `v8`.
export default {
  getProvider: () => v8.getProvider(),
  startCoverage: (options) => (isCounted() ? v8.startCoverage(options) : undefined),
  takeCoverage: (options) => (isCounted() ? v8.takeCoverage(options) : undefined),
  stopCoverage: (options) => (isCounted() ? v8.stopCoverage(options) : undefined),
};
