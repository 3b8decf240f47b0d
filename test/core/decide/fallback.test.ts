// Which target comes next after a fault, for every scope: two targets that differ in exactly one or two failure domains.

import { describe, expect, it } from "vitest";
import { fault, FAULT_CODES, type FaultScope, nextTarget, type Target, traitsOf } from "../../../src/core/index.ts";
import { scopeOf } from "../../../src/core/decide/fallback.ts";

const FAILED: Target = {
  id: "failed",
  endpoint: "https://east",
  account: "team-a",
  model: "llama-3",
  capabilities: [],
  contextWindowTokens: Infinity,
  available: true,
  backAt: Infinity,
};

function other(id: string, details: Partial<Target>): Target {
  return { ...FAILED, id, ...details };
}

const OTHERS = {
  "the same again": {},
  "another model": { model: "qwen-3" },
  "another key": { account: "team-b" },
  "another key and model": { account: "team-b", model: "qwen-3" },
  "another endpoint": { endpoint: "https://west" },
} as const;

type Next = "next" | "if no other" | "passed over";

// prettier-ignore
const EXPECTED: Readonly<Partial<Record<FaultScope, Readonly<Record<keyof typeof OTHERS, Next>>>>> = {
  rate:     { "the same again": "passed over", "another model": "next",        "another key": "next",        "another key and model": "next",        "another endpoint": "next" },
  account:  { "the same again": "passed over", "another model": "passed over", "another key": "next",        "another key and model": "next",        "another endpoint": "next" },
  model:    { "the same again": "passed over", "another model": "next",        "another key": "if no other", "another key and model": "next",        "another endpoint": "next" },
  output:   { "the same again": "passed over", "another model": "next",        "another key": "if no other", "another key and model": "next",        "another endpoint": "next" },
  endpoint: { "the same again": "passed over", "another model": "if no other", "another key": "if no other", "another key and model": "if no other", "another endpoint": "next" },
  network:  { "the same again": "passed over", "another model": "if no other", "another key": "if no other", "another key and model": "if no other", "another endpoint": "next" },
  target:   { "the same again": "passed over", "another model": "next",        "another key": "next",        "another key and model": "next",        "another endpoint": "next" },
};

const CELLS = Object.entries(EXPECTED).flatMap(([scope, row]) =>
  Object.entries(row).map(([name, next]) => ({ scope: scope as FaultScope, name: name as keyof typeof OTHERS, next })),
);

function nextOf(scope: FaultScope, ...targets: readonly Target[]): ReturnType<typeof nextTarget> {
  return nextTarget({ targets: [FAILED, ...targets], current: 0, needs: [], minContextTokens: 0 }, scope);
}

describe("the next target", () => {
  it.each(CELLS)("after a fault of scope $scope, $name is: $next", ({ scope, name, next }) => {
    const got = nextOf(scope, other("b", OTHERS[name]));
    expect(got.target?.id ?? null).toBe(next === "passed over" ? null : "b");
    expect(got.sharesTheFailure).toBe(next === "if no other");
    expect(got.passedOver.map(({ id }) => id)).toEqual(next === "passed over" ? ["b"] : []);
  });

  it.each(CELLS.filter(({ next }) => next === "if no other"))(
    "after a fault of scope $scope, an endpoint that does not share it goes before $name",
    ({ scope, name }) => {
      const got = nextOf(scope, other("b", OTHERS[name]), other("c", { endpoint: "https://west" }));
      expect(got).toMatchObject({ target: { id: "c" }, sharesTheFailure: false, passedOver: [{ id: "b" }] });
    },
  );

  it("has a row in this test for every scope that some code has and another target may cure", () => {
    const scopes = new Set<FaultScope>(FAULT_CODES.map((code) => traitsOf(code).scope));
    const elsewhere = [...scopes].filter((scope) => nextOf(scope, other("b", OTHERS["another endpoint"])).target);
    expect(elsewhere.filter((scope) => EXPECTED[scope] === undefined).sort()).toEqual([
      "host",
      "limit",
      "request",
      "tool",
    ]);
  });
});

describe("what failed", () => {
  it.each([
    { code: "RateLimited", limitOf: "account", scope: "account" },
    { code: "RateLimited", limitOf: "model", scope: "rate" },
    { code: "RateLimited", limitOf: "", scope: "rate" },
    { code: "QuotaExhausted", limitOf: "model", scope: "rate" },
    { code: "QuotaExhausted", limitOf: "", scope: "account" },
    { code: "AuthFailed", limitOf: "model", scope: "account" },
    { code: "Provider5xx", limitOf: "account", scope: "endpoint" },
  ] as const)("$code with a limit of $limitOf is a property of: $scope", ({ code, limitOf, scope }) => {
    expect(scopeOf(fault(code, { context: { limitOf } }))).toBe(scope);
  });
});
