// A chain's bound on a breaker's open time applies only if that time was not set explicitly.

import fc from "fast-check";
import { expect, it } from "vitest";
import { type BreakerRule, DEFAULT_POLICY } from "../../../src/core/index.ts";
import { settledRule } from "../../../src/runtime/target/target.ts";

const RULE = DEFAULT_POLICY.breaker;
const timeMs = fc.nat(7_200_000);

it("a rule without such a bound is the same object, so that it still counts as unset", () => {
  expect(settledRule(RULE)).toBe(RULE);
});

it("the bound applies if the maximum is the default", () => {
  expect(settledRule({ ...RULE, defaultMaxOpenMs: 30_000 })).toEqual({ ...RULE, maxOpenMs: 30_000 });
});

it("an explicit maximum is kept, whatever the bound", () => {
  fc.assert(
    fc.property(timeMs, timeMs, timeMs, (openMs, maxOpenMs, defaultMaxOpenMs) => {
      fc.pre(maxOpenMs !== RULE.maxOpenMs);
      const rule: BreakerRule = { ...RULE, openMs, maxOpenMs };
      expect(settledRule({ ...rule, defaultMaxOpenMs })).toEqual(rule);
    }),
  );
});

it("the bound never raises the maximum, and never lowers it below an explicit first open time", () => {
  fc.assert(
    fc.property(timeMs, timeMs, (openMs, defaultMaxOpenMs) => {
      const { maxOpenMs } = settledRule({ ...RULE, openMs, defaultMaxOpenMs });
      expect(maxOpenMs).toBeLessThanOrEqual(RULE.maxOpenMs);
      expect(maxOpenMs).toBeGreaterThanOrEqual(Math.min(openMs, RULE.maxOpenMs));
    }),
  );
});
