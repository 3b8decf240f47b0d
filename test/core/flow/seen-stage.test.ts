// What an entry records of a failed attempt of a stage is enough to decide again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CODES } from "../../../src/core/fault/catalogue.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { RESOLUTIONS } from "../../../src/core/flow/visit.ts";
import {
  decideStage,
  type FailedAttempt,
  type SeenStage,
  seenStage,
  stageDecidedAgain,
  type StageRules,
} from "../../../src/core/flow/stage.ts";

const rules: fc.Arbitrary<StageRules> = fc.record({
  node: fc.constant("review"),
  retry: fc.record({
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    backoff: fc.record({
      kind: fc.constantFrom("fixed", "linear", "exponential"),
      initialMs: fc.nat(5_000),
      maxMs: fc.nat(60_000),
      multiplier: fc.constantFrom(1, 2, 3),
    }),
    jitter: fc.constantFrom(0, 0.2),
    maxWaitMs: fc.constantFrom(1_000, 100_000),
    maxTotalWaitMs: fc.constantFrom(60_000, Infinity),
  }),
  retryOn: fc.option(fc.array(fc.constantFrom(...FAULT_CODES), { maxLength: 20 })),
  resolution: fc.constantFrom(...RESOLUTIONS),
  idempotent: fc.boolean(),
});
const failures: fc.Arbitrary<FailedAttempt> = fc
  .record({
    code: fc.constantFrom(...FAULT_CODES),
    retryAfterMs: fc.option(fc.nat(50_000), { nil: undefined }),
    resetAt: fc.option(fc.nat(2_000_000), { nil: undefined }),
    ran: fc.option(fc.boolean(), { nil: undefined }),
    again: fc.boolean(),
    attempt: fc.integer({ min: 1, max: 6 }),
    now: fc.nat(1_000_000),
    deadlineAt: fc.option(fc.nat(2_000_000)),
    roll: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map(({ code, retryAfterMs, resetAt, ran, ...rest }) => {
    const context = ran === undefined ? {} : { ran };
    return { ...rest, fault: fault(code, { context, retryAfterMs, resetAt }) };
  });

describe("a recorded attempt of a stage", () => {
  it("leads to the same decision, however much later its entry was written", () => {
    fc.assert(
      fc.property(failures, rules, fc.nat(5_000), (failed, own, laterMs) => {
        const saw = JSON.parse(JSON.stringify(seenStage(failed, own))) as SeenStage;
        const event = { node: own.node, execution: 1, attempt: failed.attempt, fault: failed.fault };
        const again = stageDecidedAgain(event, saw, failed.now + laterMs);
        expect(JSON.stringify(again)).toBe(JSON.stringify(decideStage(failed, own)));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is short for a stage that has one attempt", () => {
    const [own] = fc.sample(rules, 1) as [StageRules];
    const once = { ...own, retry: { ...own.retry, maxAttempts: 1 }, retryOn: null, idempotent: false } as const;
    const failed = { fault: fault("RateLimited"), again: false, attempt: 1, now: 5, deadlineAt: null, roll: 0.5 };
    expect(seenStage(failed, { ...once, resolution: "abort-workflow" })).toEqual({ roll: 0.5 });
  });
});
