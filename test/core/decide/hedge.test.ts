// When a second attempt is sent beside a silent one, and where to.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Target } from "../../../src/core/decide/fallback.ts";
import {
  HEDGE_DEFAULT_MS,
  HEDGE_SAMPLES,
  hedgeDelayMs,
  hedgeTarget,
  type SilentCall,
} from "../../../src/core/decide/hedge.ts";
import { samples } from "../../support/grid.ts";

describe("the delay", () => {
  it("is known from 20 attempts on, and before that 5 s for a stream and 30 s for a whole answer", () => {
    expect(HEDGE_SAMPLES).toBe(20);
    expect(HEDGE_DEFAULT_MS).toEqual({ stream: 5_000, whole: 30_000 });
  });

  it.each([
    ["a stated time, whatever is known", 700, { attempts: 100, p95Ms: 50 }, true, 700],
    ["the percentile of enough attempts", "p95", { attempts: HEDGE_SAMPLES, p95Ms: 812.4 }, true, 813],
    ["the default for a stream of a new target", "p95", null, true, HEDGE_DEFAULT_MS.stream],
    ["the default for a whole answer of a new target", "p95", null, false, HEDGE_DEFAULT_MS.whole],
    [
      "the default with too few attempts",
      "p95",
      { attempts: HEDGE_SAMPLES - 1, p95Ms: 5 },
      false,
      HEDGE_DEFAULT_MS.whole,
    ],
    ["the default when no duration is known", "p95", { attempts: 100, p95Ms: null }, true, HEDGE_DEFAULT_MS.stream],
  ] as const)("is %s", (_what, after, seen, isStream, expected) => {
    expect(hedgeDelayMs(after, seen, isStream)).toBe(expected);
  });
});

const target = fc.record<Target>({
  id: fc.uuid(),
  endpoint: fc.constantFrom("east", "west"),
  account: fc.constantFrom("one", "two"),
  model: fc.constantFrom("large", "small"),
  capabilities: fc.subarray(["streaming", "tools"]),
  contextWindowTokens: fc.constantFrom(1_000, 100_000),
  available: fc.boolean(),
  backAt: fc.constant(Infinity),
});

const silent = fc.record({
  targets: fc.array(target, { minLength: 1, maxLength: 5 }),
  current: fc.nat(4),
  needs: fc.subarray(["streaming", "tools"]),
  isAnswering: fc.boolean(),
  mayTake: fc.boolean(),
});

describe("the target of a second attempt", () => {
  it("is one behind the silent one that can take the request now, and there is none where hedging is not allowed", () => {
    fc.assert(
      fc.property(silent, ({ targets, needs, mayTake, isAnswering, ...rest }) => {
        const current = Math.min(rest.current, targets.length - 1);
        const chain = { targets, current, needs, minContextTokens: 5_000 };
        const call: SilentCall = { chain, isAnswering, mayTake: () => mayTake };
        const found = hedgeTarget(call);
        const able = targets.filter(
          ({ available, capabilities, contextWindowTokens }, index) =>
            index > current &&
            available &&
            contextWindowTokens >= 5_000 &&
            needs.every((need) => capabilities.includes(need)),
        );
        if (found !== null) expect(able).toContain(found);
        if (isAnswering || !mayTake) expect(found).toBeNull();
        // Another endpoint that can answer is always preferred to the same one, and is never overlooked.
        const elsewhere = able.find(({ endpoint }) => endpoint !== targets[current]?.endpoint);
        if (!isAnswering && mayTake && elsewhere !== undefined) expect(found).toBe(elsewhere);
      }),
      { numRuns: samples(400, 3_000) },
    );
  });
});
