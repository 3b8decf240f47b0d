// Random faults, targets, policies and situations.

import fc from "fast-check";
import {
  fault,
  FAULT_CODES,
  PRESET_NAMES,
  PRESETS,
  RECOURSES,
  situation,
  SURFACES,
  type Fault,
  type Policy,
  type Recourse,
  type Situation,
  type Target,
} from "../../../src/core/index.ts";

export const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
export const faults: fc.Arbitrary<Fault> = fc
  .record({
    code: fc.constantFrom(...FAULT_CODES),
    retryAfterMs: fc.option(fc.nat(2_000_000), { nil: undefined }),
    resetAt: fc.option(fc.nat(5_000_000), { nil: undefined }),
    shouldRetry: fc.boolean(),
  })
  .map(({ code, retryAfterMs, resetAt, shouldRetry }) =>
    fault(code, { retryAfterMs, resetAt, context: shouldRetry ? {} : { shouldRetry: false } }),
  );
const targets: fc.Arbitrary<readonly Target[]> = fc.array(
  fc.record({
    id: fc.uuid(),
    endpoint: fc.constantFrom("p", "q"),
    model: fc.constantFrom("m", "n"),
    account: fc.constantFrom("k", "l"),
    capabilities: fc.subarray(["tools", "vision"]),
    contextWindowTokens: fc.nat(1000),
    available: fc.boolean(),
    backAt: fc.constantFrom(0, 5_000, 1e12, Infinity),
  }),
  { maxLength: 4 },
);
export const policies: fc.Arbitrary<Policy> = fc.constantFrom(...PRESET_NAMES).map((name) => PRESETS[name]);
export const situations: fc.Arbitrary<Situation> = fc
  .record({
    fault: faults,
    place: fc.record({
      surface: fc.constantFrom(...SURFACES),
      provider: fc.constantFrom("", "openai"),
      tool: fc.constantFrom("", "search"),
      stage: fc.constantFrom("", "review"),
    }),
    attempt: fc.integer({ min: 1, max: 12 }),
    waitedMs: fc.nat(10_000),
    now: fc.nat(1_000_000),
    deadlineAt: fc.option(fc.nat(2_000_000), { nil: null }),
    breaker: fc.constantFrom("closed", "open", "half-open", "isolated"),
    retryBudgetLeft: fc.boolean(),
    idempotent: fc.boolean(),
    committed: fc.boolean(),
    chain: fc.record({
      targets,
      current: fc.constant(0),
      needs: fc.subarray(["tools"]),
      minContextTokens: fc.nat(1000),
    }),
    alternatives: fc.subarray(["b", "c"]),
    offers: fc.subarray([...RECOURSES]).map((list) => new Set(list)),
    taken: fc.subarray<Recourse>(["refresh-credential", "compact", "regenerate"]),
    denied: fc.subarray<Recourse | "retry">(["retry", "ask", "fallback", "fail"]),
    incidents: fc
      .tuple(
        fc.array(
          fc.record({
            recourse: fc.constantFrom<Recourse | "retry">("retry", "fallback", "park"),
            worked: fc.boolean(),
            at: fc.nat(1_000_000),
          }),
          {
            maxLength: 12,
          },
        ),
        // One recourse that always went the same way, so that memory has something to say.
        fc.record({ recourse: fc.constantFrom(...RECOURSES), worked: fc.boolean(), at: fc.nat(1_000_000) }),
        fc.nat(6),
      )
      .map(([mixed, steady, times]) => [...mixed, ...Array.from({ length: times }, () => steady)]),
    roll,
  })
  .map(({ fault: met, ...details }) => situation(met, details));
