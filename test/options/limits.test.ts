// What the options that several doors share take, at their limits.

import { expect, it } from "vitest";
import { type Kind, optionsFault, shape } from "../../src/options/check-options.ts";
import { FETCH_OPTIONS } from "../../src/provider/fetch/fetch-options.ts";
import {
  breakerKind,
  budgetKind,
  environmentKind,
  MAX_TIMEOUT_MS,
  policyKind,
  RETRY_OPTIONS,
  retryKind,
} from "../../src/runtime/option-shapes.ts";

const MONTH_MS = 2_592_000_000;

/** Whether an option of this kind takes a value. */
function of(kind: Kind): (value: unknown) => boolean {
  return (value) => optionsFault("t", { it: value }, shape<{ readonly it: unknown }>({ it: kind })) === null;
}

it.each<[string, (value: unknown) => boolean, readonly unknown[], readonly unknown[]]>([
  ["a retry", of(retryKind), ["none", {}, { maxAttempts: 1 }], ["all", 3, { maxAttempts: 0 }, null]],
  [
    "what is different of a retry",
    (value) => optionsFault("t", value as object, RETRY_OPTIONS) === null,
    [
      ...[
        { maxAttempts: 1 },
        { maxAttempts: 1_000 },
        { jitter: 0 },
        { jitter: 1 },
        { maxWaitMs: 0 },
        { maxTotalWaitMs: 0 },
      ],
      ...[{ kind: "linear" }, { initialMs: 0 }, { initialMs: MONTH_MS }, { maxMs: 0 }, { maxMs: MONTH_MS }].map(
        (backoff) => ({ backoff }),
      ),
      ...[{ multiplier: 1 }, { multiplier: 100 }].map((backoff) => ({ backoff })),
    ],
    [
      ...[
        { maxAttempts: 0 },
        { maxAttempts: 1_001 },
        { maxAttempts: 1.5 },
        { jitter: -0.1 },
        { jitter: 1.1 },
        { maxWaitMs: -1 },
      ],
      ...[{ maxTotalWaitMs: -1 }, { backoff: { kind: "none" } }, { backoff: { initialMs: -1 } }],
      ...[{ initialMs: MONTH_MS + 1 }, { maxMs: -1 }, { maxMs: MONTH_MS + 1 }].map((backoff) => ({ backoff })),
      ...[{ multiplier: 0.9 }, { multiplier: 101 }].map((backoff) => ({ backoff })),
    ],
  ],
  [
    "a breaker",
    of(breakerKind),
    [
      ...[{}, { failures: 1 }, { successes: 1 }, { openMs: 0 }, { openMs: MONTH_MS }, { growth: 1 }, { growth: 1_000 }],
      ...[{ maxOpenMs: 0 }, { maxOpenMs: MONTH_MS }, { defaultMaxOpenMs: 0 }, { defaultMaxOpenMs: MONTH_MS }],
      ...[{ probeTimeoutMs: 0 }, { counts: "calls" }, { counts: "attempts" }],
    ],
    [
      ...[
        { failures: 0 },
        { successes: 0 },
        { openMs: -1 },
        { openMs: MONTH_MS + 1 },
        { growth: 0.9 },
        { growth: 1_001 },
      ],
      ...[{ maxOpenMs: -1 }, { maxOpenMs: MONTH_MS + 1 }, { defaultMaxOpenMs: -1 }, { defaultMaxOpenMs: MONTH_MS + 1 }],
      ...[{ probeTimeoutMs: -1 }, { counts: "probes" }],
    ],
  ],
  [
    "an environment",
    of(environmentKind),
    [{}, { A: "" }, { A: "x", B: undefined }],
    [{ A: 7 }, { A: null }, "A=1", null],
  ],
  [
    "a budget",
    of(budgetKind),
    [{}, { maxUsd: 0 }, { onExceed: "warn" }, { warnAtPercent: 0 }],
    [{ maxUsd: -0.01 }, { onExceed: "stop" }, { warnAtPercent: -1 }],
  ],
  [
    "a policy",
    of(policyKind),
    [
      "cautious",
      { name: "", rows: [], breaker: {}, retryBudget: { capacity: 0, perCall: 0, perSecond: 0 }, learnsAfter: 0 },
      { name: "", rows: [], breaker: {}, retryBudget: {}, learnsAfter: 0, unattended: true },
    ],
    [
      "careful",
      {},
      { name: "", rows: [{}], breaker: {}, retryBudget: {}, learnsAfter: 0 },
      { name: "", rows: [], breaker: {}, retryBudget: {}, learnsAfter: -1 },
      { name: "", rows: [], breaker: {}, retryBudget: {} },
      { name: "", rows: [], breaker: {}, learnsAfter: 0 },
      { name: "", rows: [], retryBudget: {}, learnsAfter: 0 },
      { name: "", breaker: {}, retryBudget: {}, learnsAfter: 0 },
      { rows: [], breaker: {}, retryBudget: {}, learnsAfter: 0 },
      ...[{ capacity: -1 }, { perCall: -1 }, { perSecond: -1 }].map((retryBudget) => ({
        ...{ name: "", rows: [], breaker: {}, retryBudget, learnsAfter: 0 },
      })),
    ],
  ],
  [
    "a protected fetch",
    (value) => optionsFault("t", { provider: "openai", ...(value as object) }, FETCH_OPTIONS) === null,
    [
      ...[{}, { maxConcurrent: 1 }, { fallback: [] }, { retryBeforeFallback: {} }, { timeouts: { idleMs: 1 } }],
      ...[{ model: "m" }, { baseURL: "https://a.example" }, { baseURL: "http://a.example/v1" }, { apiKey: "k 1~" }].map(
        (one) => ({ fallback: [one] }),
      ),
      ...[{ provider: "p" }, { headers: { a: "" } }, { credential: "c" }].map((one) => ({ fallback: [one] })),
    ],
    [
      ...[{ provider: "" }, { maxConcurrent: 0 }, { maxConcurrent: 1.5 }, { retryBeforeFallback: { maxAttempts: 0 } }],
      ...[
        { timeouts: { idleMs: 0 } },
        { fallback: {} },
        { fetch: "fetch" },
        { refreshCredential: "now" },
        { credential: "" },
      ],
      ...[{}, { model: "" }, { baseURL: "ftp://a.example" }, { baseURL: "https://" }, { baseURL: "a.example" }].map(
        (one) => ({ fallback: [one] }),
      ),
      ...[{ apiKey: "k\n" }, { apiKey: "" }, { apiKey: 7 }, { headers: { a: 1 } }].map((one) => ({ fallback: [one] })),
    ],
  ],
])("%s", (_what, fits, taken, refused) => {
  expect(taken.filter((value) => !fits(value))).toEqual([]);
  expect(refused.filter((value) => fits(value))).toEqual([]);
});

it("the longest time that an option takes is thirty days", () => {
  expect(MAX_TIMEOUT_MS).toBe(MONTH_MS);
});
