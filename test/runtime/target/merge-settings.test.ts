// A bound that a chain puts on the open time of a breaker holds only where nobody set that time.

import fc from "fast-check";
import { expect, it } from "vitest";
import { type BreakerRule, DEFAULT_POLICY } from "../../../src/core/index.ts";
import { settledRule } from "../../../src/runtime/target/merge-settings.ts";

const RULE = DEFAULT_POLICY.breaker;
const timeMs = fc.nat(7_200_000);

it("a rule without such a bound is the same rule, so that it still counts as nobody's opinion", () => {
  expect(settledRule(RULE)).toBe(RULE);
});

it("the bound holds where the longest time is the default's", () => {
  expect(settledRule({ ...RULE, defaultMaxOpenMs: 30_000 })).toEqual({ ...RULE, maxOpenMs: 30_000 });
});

it("a longest time that somebody set stays, whatever the bound", () => {
  fc.assert(
    fc.property(timeMs, timeMs, timeMs, (openMs, maxOpenMs, defaultMaxOpenMs) => {
      fc.pre(maxOpenMs !== RULE.maxOpenMs);
      const rule: BreakerRule = { ...RULE, openMs, maxOpenMs };
      expect(settledRule({ ...rule, defaultMaxOpenMs })).toEqual(rule);
    }),
  );
});

it("the bound never makes the longest time longer, nor shorter than the first time that somebody set", () => {
  fc.assert(
    fc.property(timeMs, timeMs, (openMs, defaultMaxOpenMs) => {
      const { maxOpenMs } = settledRule({ ...RULE, openMs, defaultMaxOpenMs });
      expect(maxOpenMs).toBeLessThanOrEqual(RULE.maxOpenMs);
      expect(maxOpenMs).toBeGreaterThanOrEqual(Math.min(openMs, RULE.maxOpenMs));
    }),
  );
});
