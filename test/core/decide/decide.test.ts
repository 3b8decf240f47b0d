// One decision at a time: what is chosen, what was refused before it and why.

import { describe, expect, it } from "vitest";
import {
  classify,
  DEFAULT_POLICY,
  decide,
  explain,
  fault,
  FAULT_CODES,
  LOCALES,
  PRESETS,
  REFUSALS,
  situation,
  traitsOf,
  withRows,
  type Decision,
  rowFor,
  type FaultCode,
  type FaultDetail,
  type Recourse,
  type Refusal,
  type Situation,
  type Target,
} from "../../../src/core/index.ts";
import { NOWHERE } from "../../../src/core/policy/policy.ts";

/** All but what a tool declares; of that, `decided` offers what the row names. See `declarations.test.ts` for the rest. */
const UNDECLARED: ReadonlySet<Recourse> = new Set([
  "refresh-credential",
  "fallback",
  "compact",
  "regenerate",
  "partial",
  "park",
  "ask",
  "surface",
  "fail",
]);

const EVERYTHING: ReadonlySet<Recourse> = new Set([...UNDECLARED, "alternative", "default", "skip"]);

function target(id: string, details: Partial<Target> = {}): Target {
  return {
    id,
    endpoint: id,
    model: id,
    account: id,
    capabilities: ["tools"],
    contextWindowTokens: 100_000,
    available: true,
    backAt: Infinity,
    ...details,
  };
}

function chainOf(...targets: readonly Target[]): Situation["chain"] {
  return { targets, current: 0, needs: [], minContextTokens: 0 };
}

function decided(
  code: FaultCode,
  details: Partial<Omit<Situation, "fault">> = {},
  detail: FaultDetail = {},
  policy = DEFAULT_POLICY,
): Decision {
  const met = fault(code, detail);
  const offers = new Set([...UNDECLARED, ...rowFor(policy, met, NOWHERE).then]);
  return decide(situation(met, { idempotent: true, offers, ...details }), policy);
}

function refusalsIn({ considered }: Decision): Partial<Record<string, Refusal>> {
  return Object.fromEntries(considered.map(({ recourse, refused }) => [recourse, refused]));
}

describe("retrying", () => {
  it("waits as the row says and counts the first attempt", () => {
    expect(decided("RateLimited", { roll: 0.5 })).toMatchObject({
      recourse: "retry",
      delayMs: 5000,
      attempt: 2,
      maxAttempts: 6,
      serverWait: false,
    });
    expect(decided("RateLimited", { attempt: 5, roll: 0 })).toMatchObject({
      recourse: "retry",
      delayMs: 64_000,
      attempt: 6,
    });
    expect(refusalsIn(decided("RateLimited", { attempt: 6 }))).toMatchObject({ retry: "attempts-spent" });
  });

  it("keeps a wait the server named, exactly", () => {
    expect(decided("RateLimited", { roll: 0.9 }, { retryAfterMs: 1400 })).toMatchObject({
      recourse: "retry",
      delayMs: 1400,
      serverWait: true,
    });
    expect(decided("RateLimited", { now: 1000 }, { retryAfterMs: 1400, resetAt: 2000 })).toMatchObject({
      delayMs: 1000,
    });
    expect(decided("RateLimited", { now: 5000 }, { retryAfterMs: 1400, resetAt: 2000 })).toMatchObject({
      delayMs: 0,
    });
  });

  it.each<[Refusal, FaultCode, Partial<Omit<Situation, "fault">>, FaultDetail]>([
    ["not-in-policy", "AuthFailed", {}, {}],
    ["denied", "Overloaded", { denied: ["retry"] }, {}],
    ["attempts-spent", "Overloaded", { attempt: 3 }, {}],
    ["may-have-happened", "NetworkTimeout", { idempotent: false }, {}],
    ["already-answering", "Overloaded", { committed: true }, {}],
    ["server-says-no", "Overloaded", {}, { context: { shouldRetry: false } }],
    ["breaker-open", "Overloaded", { breaker: "open" }, {}],
    ["breaker-open", "Overloaded", { breaker: "isolated" }, {}],
    ["retry-budget-spent", "Overloaded", { retryBudgetLeft: false }, {}],
    ["wait-too-long", "RateLimited", {}, { retryAfterMs: 700_000 }],
    ["waits-spent", "ExecutionTimeout", { waitedMs: 1_950 }, {}],
    ["deadline", "RateLimited", { now: 0, deadlineAt: 4_000 }, {}],
    [
      "never-worked",
      "Overloaded",
      { incidents: Array.from({ length: 5 }, () => ({ recourse: "retry", worked: false, at: 0 })) },
      {},
    ],
  ])("is refused: %s", (refusal, code, details, detail) => {
    const decision = decided(code, details, detail);
    expect(decision.recourse).not.toBe("retry");
    expect(refusalsIn(decision)).toMatchObject({ retry: refusal });
  });

  it("and starting elsewhere are refused from the deadline on, not before it", () => {
    const chain = chainOf(target("a"), target("b"));
    const refused = [999, 1_000, 1_001].map((now) => {
      const details = { chain, alternatives: ["other"], offers: EVERYTHING, attempt: 99, now, deadlineAt: 1_000 };
      return refusalsIn(decided("Overloaded", details))["fallback"];
    });
    expect(refused).toEqual([undefined, "deadline", "deadline"]);
    const [waitMs, now] = [5_000, 100];
    const retried = [-1, 0, 1].map((extraMs) => {
      const details = { now, deadlineAt: now + waitMs + extraMs, roll: 0.5 };
      return refusalsIn(decided("RateLimited", details))["retry"];
    });
    expect(retried).toEqual(["deadline", "deadline", undefined]);
  });

  it("of work that cannot have happened needs no declaration", () => {
    expect(decided("ResourceBusy", { idempotent: false }).recourse).toBe("retry");
  });

  it("of a tool that ran and then failed needs the declaration, whatever the failure is called", () => {
    const ran = classify({
      surface: "tool",
      exitCode: 1,
      message: "charged card ch_1\nError: 429 Too Many Requests sending receipt",
    });
    expect(ran.code).toBe("RateLimited");
    expect(refusalsIn(decide(situation(ran, { idempotent: false, offers: EVERYTHING }), DEFAULT_POLICY))).toMatchObject(
      { retry: "may-have-happened" },
    );
    const never = classify({ surface: "tool", message: "429 Too Many Requests" });
    expect(decide(situation(never, { idempotent: false }), DEFAULT_POLICY).recourse).toBe("retry");
  });

  it("never has a wait that is none, whatever it is given", () => {
    for (const detail of [{ retryAfterMs: -5 }, { retryAfterMs: NaN }, {}]) {
      for (const roll of [NaN, -1, 2]) {
        const decision = decided("Overloaded", { roll }, detail);
        expect(decision.recourse === "retry" && decision.delayMs >= 0).toBe(true);
      }
    }
    expect(refusalsIn(decided("QuotaExhausted", {}, { resetAt: NaN }))).toMatchObject({ park: "no-reset-time" });
  });

  it("is not given up for a few failures, or when the memory is switched off", () => {
    const four = Array.from({ length: 4 }, () => ({ recourse: "retry", worked: false, at: 0 }) as const);
    expect(decided("Overloaded", { incidents: four }).recourse).toBe("retry");
    expect(decided("Overloaded", { incidents: [...four, { recourse: "retry", worked: true, at: 0 }] }).recourse).toBe(
      "retry",
    );
    expect(decided("Overloaded", { incidents: [...four, ...four] }, {}, PRESETS.cautious).recourse).toBe("retry");
  });
});

describe("once retrying is over", () => {
  it("goes down the row's list to the first thing that is possible", () => {
    expect(decided("ToolUnavailable", { attempt: 5, alternatives: ["search_b"] })).toMatchObject({
      recourse: "alternative",
      tool: "search_b",
    });
    const decision = decided("ToolUnavailable", { attempt: 5, offers: new Set(["default", "surface", "fail"]) });
    expect(decision).toMatchObject({ recourse: "default" });
    expect(refusalsIn(decision)).toEqual({
      retry: "attempts-spent",
      alternative: "not-offered",
      partial: "not-offered",
    });
  });

  it.each<[FaultCode, Recourse]>([
    ["AuthFailed", "refresh-credential"],
    ["ContextOverflow", "compact"],
    ["SchemaInvalid", "regenerate"],
    ["EmptyOutput", "regenerate"],
    ["TurnTimeout", "partial"],
    ["InputInvalid", "default"],
    ["RequestInvalid", "surface"],
    ["BudgetExceeded", "ask"],
    ["ShapeInvalid", "fail"],
  ])("%s → %s", (code, recourse) => {
    expect(decided(code).recourse).toBe(recourse);
  });

  it.each<[FaultCode, Recourse, Recourse]>([
    ["AuthFailed", "refresh-credential", "ask"],
    ["ContextOverflow", "compact", "surface"],
    ["SchemaInvalid", "regenerate", "default"],
  ])("%s takes %s once, then %s", (code, once, then) => {
    const decision = decided(code, { taken: [once] });
    expect(decision.recourse).toBe(then);
    expect(refusalsIn(decision)).toMatchObject({ [once]: "already-taken" });
  });

  it("fails when nothing else can be done, whatever the list", () => {
    expect(decided("Overloaded", { attempt: 3, offers: new Set() }).recourse).toBe("fail");
  });
});

describe("switching", () => {
  const both = chainOf(target("gpt"), target("claude"));

  it("follows the fault's scope", () => {
    expect(decided("QuotaExhausted", { chain: both })).toMatchObject({ recourse: "fallback", target: "claude" });
  });

  it("does so for every code whose row lists it, however the row is matched", () => {
    const codes = FAULT_CODES.filter((code) => !traitsOf(code).cancels);
    const wrong: string[] = [];
    for (const code of codes) {
      const matched = [{}, { code: [code] }, { class: [traitsOf(code).class] }];
      for (const match of matched) {
        for (const then of [["fallback"], ["fallback", "ask", "fail"], ["compact", "fallback"]] as const) {
          const origin = { layer: "file", at: "own.yaml:1" } as const;
          const policy = withRows(DEFAULT_POLICY, [{ match, retry: null, then, origin }]);
          const offers = new Set<Recourse>(["fallback", "ask", "surface"]);
          const { recourse } = decided(code, { chain: both, offers, idempotent: true }, {}, policy);
          if (recourse !== "fallback") wrong.push(`${code} ${JSON.stringify(match)} ${then.join()}: ${recourse}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is never what the default policy does about a request that no target would take", () => {
    const chain = chainOf(target("gpt"), target("claude"));
    const went = FAULT_CODES.filter((code) => traitsOf(code).scope === "request").filter(
      (code) => decided(code, { chain }).recourse === "fallback",
    );
    expect(went).toEqual([]);
  });

  it("never leaves a bad credential behind unless the policy says so", () => {
    const details = { chain: both, taken: ["refresh-credential"] as const };
    expect(decided("AuthFailed", details).recourse).toBe("ask");
    expect(decided("AuthFailed", details, {}, PRESETS.eager)).toMatchObject({ recourse: "fallback", target: "claude" });
  });

  it("passes over targets that share the fault, lack a capability, are too small or are broken", () => {
    const chain = {
      ...chainOf(
        target("a", { endpoint: "p" }),
        target("b", { endpoint: "p" }),
        target("c", { capabilities: [] }),
        target("d", { contextWindowTokens: 10 }),
        target("e", { available: false }),
        target("f"),
      ),
      needs: ["tools"],
      minContextTokens: 1000,
    };
    expect(decided("Provider5xx", { attempt: 3, chain })).toMatchObject({
      recourse: "fallback",
      target: "f",
      passedOver: [
        { id: "b", why: "same endpoint" },
        { id: "c", why: "lacks capability" },
        { id: "d", why: "window too small" },
        { id: "e", why: "breaker open" },
      ],
    });
  });

  it("does not run elsewhere what may have happened here", () => {
    const decision = decided("ExecutionTimeout", { idempotent: false, alternatives: ["book_b"], chain: both });
    expect(decision.recourse).toBe("partial");
    expect(refusalsIn(decision)).toMatchObject({ retry: "may-have-happened", alternative: "may-have-happened" });
  });
});

describe("what a person has refused", () => {
  it("is not done, nor asked about again", () => {
    const decision = decided("Interrupted", { idempotent: false, denied: ["retry", "ask"] });
    expect(decision.recourse).toBe("surface");
    expect(refusalsIn(decision)).toEqual({ retry: "denied", ask: "denied" });
    expect(explain(decision, "en").why).toEqual(["not retried: a person said no", "not asked: a person said no"]);
  });

  it("leaves giving up", () => {
    expect(decided("Overloaded", { denied: ["retry", ...EVERYTHING] }).recourse).toBe("fail");
  });
});

describe("memory of what worked", () => {
  const chain = chainOf(target("gpt"), target("claude"));
  const alternatives = ["search_b"];
  const tries = (recourse: Recourse | "retry", ...worked: readonly boolean[]): Situation["incidents"] =>
    worked.map((did) => ({ recourse, worked: did, at: 0 }));
  const [yes, no] = [true, false];
  const five = [yes, yes, yes, yes, yes] as const;
  const spent = { attempt: 6, chain, alternatives };

  it("moves a recourse ahead of the others that run the work again, and says so", () => {
    expect(decided("RateLimited", spent)).toMatchObject({ recourse: "fallback", preferred: null });
    const decision = decided("RateLimited", { ...spent, incidents: tries("alternative", ...five) });
    expect(decision).toMatchObject({ recourse: "alternative", tool: "search_b", preferred: "alternative" });
    expect(decision.left).toEqual(["fallback", "default", "skip", "park", "ask", "surface", "fail"]);
    expect(explain(decision, "en").why).toEqual([
      "not retried: all attempts are used",
      "another tool first: it worked the last times",
    ]);
    expect(explain(decision, "zh-CN").why.at(-1)).toBe("优先换用工具：最近几次都有效");
  });

  it("asks for as many tries as the policy says, the last ones, all of which worked", () => {
    for (const incidents of [
      tries("alternative", yes, yes, yes, yes),
      tries("alternative", yes, yes, yes, yes, no),
      tries("alternative", no, ...five),
    ]) {
      expect(decided("RateLimited", { ...spent, incidents })).toMatchObject({ recourse: "fallback", preferred: null });
    }
    const incidents = tries("alternative", ...five, no);
    expect(decided("RateLimited", { ...spent, incidents })).toMatchObject({ preferred: "alternative" });
    expect(decided("RateLimited", { ...spent, incidents }, {}, { ...DEFAULT_POLICY, learnsAfter: 0 })).toMatchObject({
      recourse: "fallback",
      preferred: null,
    });
  });

  it("keeps the row's order among those that worked", () => {
    const incidents = [...tries("alternative", ...five), ...tries("fallback", ...five)];
    expect(decided("RateLimited", { ...spent, incidents })).toMatchObject({ recourse: "fallback", preferred: null });
  });

  it("moves nothing ahead of a retry that is possible", () => {
    const incidents = tries("alternative", ...five);
    const decision = decided("RateLimited", { ...spent, attempt: 1, incidents });
    expect(decision).toMatchObject({ recourse: "retry", preferred: null });
    expect(decision.left.slice(0, 2)).toEqual(["alternative", "fallback"]);
  });

  it("moves nothing past a question, and delays no call that another target may serve now", () => {
    const rows = (then: readonly Recourse[]): typeof DEFAULT_POLICY => ({
      ...DEFAULT_POLICY,
      rows: [{ match: {}, retry: null, then, origin: { layer: "file", at: "x" } }],
    });
    const incidents = [...tries("alternative", ...five), ...tries("park", ...five)];
    const details = { ...spent, incidents };
    expect(decided("RateLimited", details, {}, rows(["compact", "ask", "alternative"]))).toMatchObject({
      recourse: "compact",
      left: ["ask", "alternative"],
    });
    expect(decided("RateLimited", details, { resetAt: 5 }, rows(["fallback", "park"])).recourse).toBe("fallback");
    expect(decided("RateLimited", details, { resetAt: 5 }, rows(["default", "park", "alternative"]))).toMatchObject({
      recourse: "default",
      left: ["alternative", "park"],
    });
  });

  it("does not bring back what is refused", () => {
    const incidents = tries("alternative", ...five);
    const decision = decided("RateLimited", { ...spent, alternatives: [], incidents });
    expect(decision).toMatchObject({ recourse: "fallback", preferred: null });
    expect(decision.considered).toEqual([
      { recourse: "retry", refused: "attempts-spent" },
      { recourse: "alternative", refused: "no-alternative" },
    ]);
  });
});

describe("waiting and asking", () => {
  it("parks until the fault lifts, or continues if that time is unknown", () => {
    expect(decided("QuotaExhausted", { now: 1000 }, { resetAt: 90_000 })).toMatchObject({
      recourse: "park",
      wakeAt: 90_000,
    });
    expect(decided("QuotaExhausted", { now: 1000 }, { retryAfterMs: 500 })).toMatchObject({
      recourse: "park",
      wakeAt: 1500,
    });
    expect(refusalsIn(decided("QuotaExhausted"))).toMatchObject({ park: "no-reset-time" });
  });

  it.each<[FaultCode, string]>([
    ["AuthFailed", "Auth.DeviceCode"],
    ["QuotaExhausted", "Select"],
    ["BudgetExceeded", "Approve"],
    ["PermissionLoop", "Approve"],
  ])("asks about %s with %s", (code, question) => {
    expect(decided(code, { offers: new Set(["ask", "fail"]) })).toMatchObject({ recourse: "ask", question });
  });

  it("has no way around a cancellation", () => {
    expect(decided("TurnCancelled", { chain: chainOf(target("a"), target("b")) })).toMatchObject({
      recourse: "fail",
      considered: [],
    });
  });
});

describe("explaining", () => {
  const decisions = [
    decided("RateLimited", {}, { retryAfterMs: 1500 }),
    decided("RateLimited", { attempt: 6 }),
    decided("QuotaExhausted", { chain: chainOf(target("gpt"), target("claude")) }),
    decided("QuotaExhausted", {}, { resetAt: Date.UTC(2026, 0, 2) }),
    decided("ExecutionTimeout", { idempotent: false }),
    ...(
      [
        "AuthFailed",
        "ContextOverflow",
        "SchemaInvalid",
        "TurnTimeout",
        "InputInvalid",
        "RequestInvalid",
        "BudgetExceeded",
        "ShapeInvalid",
      ] as const
    ).map((code) => decided(code)),
  ];

  it.each(LOCALES)("has words for every decision and refusal in %s", (locale) => {
    for (const decision of decisions) {
      const { what, why, next } = explain(decision, locale);
      expect(next).toMatch(locale === "zh-CN" ? /。$/u : /^(?:If|Nothing) .*\.$/u);
      expect(what).toMatch(locale === "zh-CN" ? /\p{Script=Han}.*。$/u : /^[A-Z].*\.$/u);
      expect(why).toHaveLength(decision.considered.length);
    }
    const all = explain(
      { ...decided("ShapeInvalid"), considered: REFUSALS.map((refused) => ({ recourse: "retry", refused })) },
      locale,
    ).why;
    expect(new Set(all).size).toBe(REFUSALS.length);
  });

  it("says what comes if that does not help", () => {
    expect(explain(decided("RateLimited"), "en").next).toBe(
      "If it fails again: up to attempt 6, then fallback, alternative, default, skip, park, ask, surface, fail.",
    );
    expect(explain(decided("RateLimited", { attempt: 5 }), "en").next).toBe(
      "If that does not help: fallback, alternative, default, skip, park, ask, surface, fail.",
    );
    expect(explain(decided("ContextOverflow"), "en").next).toBe("If that does not help: fallback, surface, fail.");
    expect(explain(decided("ShapeInvalid"), "en").next).toBe("Nothing else is tried.");
  });

  it("speaks of a time no calendar has", () => {
    expect(explain(decided("QuotaExhausted", {}, { resetAt: 1e20 }), "en").what).toContain("+275760-09-13");
  });

  it("says what, why and how long", () => {
    expect(explain(decided("RateLimited", {}, { retryAfterMs: 1500 }), "en").what).toBe(
      "Try again in 1.5 s, as the server asked (attempt 2 of 6).",
    );
    expect(
      explain(decided("ExecutionTimeout", { idempotent: false, offers: new Set(["surface"]) }), "en"),
    ).toMatchObject({
      what: "Tell the model, and let it react.",
      why: expect.arrayContaining([
        "not retried: the work may have been done, and doing it twice is not declared safe",
      ]) as unknown,
    });
  });
});

describe("at its boundary", () => {
  const retrying = withRows(DEFAULT_POLICY, [
    {
      match: { code: ["Overloaded"] },
      retry: {
        ...{ maxAttempts: 9, jitter: 0, maxWaitMs: 500, maxTotalWaitMs: 800 },
        backoff: { kind: "fixed", initialMs: 500, maxMs: 500, multiplier: 1 },
      },
      then: ["fallback", "fail"],
      origin: { layer: "file", at: "a test" },
    },
  ]);
  const chain = chainOf(target("a"), target("b", { endpoint: "a" }));

  it.each<[string, Partial<Omit<Situation, "fault">>, FaultDetail, Refusal | null]>([
    ["a wait as long as the row allows", {}, { retryAfterMs: 500 }, null],
    ["a wait that is longer", {}, { retryAfterMs: 501 }, "wait-too-long"],
    ["waits that are together as long as the row allows", { waitedMs: 300 }, {}, null],
    ["waits that are together longer", { waitedMs: 301 }, {}, "waits-spent"],
    ["a deadline right after the wait", { deadlineAt: 501 }, {}, null],
    ["a deadline right at the end of the wait", { deadlineAt: 500 }, {}, "deadline"],
    ["the last attempt but one", { attempt: 8 }, {}, null],
    ["the last attempt", { attempt: 9 }, {}, "attempts-spent"],
  ])("%s is judged to the millisecond", (_what, details, detail, refused) => {
    const decision = decided("Overloaded", details, detail, retrying);
    expect(decision.recourse === "retry" ? null : decision.considered[0]?.refused).toBe(refused);
  });

  it("a recourse that failed the last times is passed over, and giving up cannot be refused", () => {
    const incidents = [1, 2, 3, 4, 5].map((at) => ({ recourse: "fallback", worked: false, at }) as const);
    const denied = ["retry", "fail"] as const;
    const decision = decided("Overloaded", { incidents, now: 6, chain, denied }, {}, retrying);
    expect(decision).toMatchObject({
      recourse: "fail",
      left: [],
      considered: [
        { recourse: "retry", refused: "denied" },
        { recourse: "fallback", refused: "never-worked" },
      ],
    });
  });

  it.each<[string, FaultCode, FaultDetail, number, Partial<Decision> | Refusal]>([
    ["no time is named", "RateLimited", {}, 9_000, { recourse: "park", wakeAt: 9_000, target: "c" }],
    ["the other target is back earlier", "RateLimited", { resetAt: 9_001 }, 9_000, { wakeAt: 9_000, target: "c" }],
    ["both are back at once", "RateLimited", { resetAt: 9_000 }, 9_000, { recourse: "park", wakeAt: 9_000 }],
    ["the limit lifts earlier", "RateLimited", { resetAt: 8_999 }, 9_000, { recourse: "park", wakeAt: 8_999 }],
    ["the other was back already", "RateLimited", {}, 900, { recourse: "park", wakeAt: 1_000, target: "c" }],
    ["it lifts in a millisecond", "RateLimited", { retryAfterMs: 1 }, Infinity, { recourse: "park", wakeAt: 1_001 }],
    ["it lifts now", "RateLimited", { retryAfterMs: 0 }, Infinity, "no-reset-time"],
    ["it lifted before", "RateLimited", { resetAt: 999 }, Infinity, { recourse: "park", wakeAt: 1_000 }],
    ["nothing says when", "RateLimited", {}, Infinity, "no-reset-time"],
    ["it never lifts", "AuthFailed", { resetAt: 5_000 }, 9_000, "no-reset-time"],
  ])(
    "a call is parked until the first of its target and the others is back: %s",
    (_what, code, detail, backAt, expected) => {
      const origin = { layer: "file", at: "a test" } as const;
      const parking = withRows(DEFAULT_POLICY, [
        { match: { code: [code] }, retry: null, then: ["park", "fail"], origin },
      ]);
      const others = chainOf(target("a"), target("c", { available: false, backAt }));
      const {
        row: _row,
        passedOver: _passedOver,
        preferred: _preferred,
        left: _left,
        considered,
        ...taken
      } = decided(code, { now: 1_000, chain: others }, detail, parking);
      if (typeof expected === "string") expect(considered.at(-1)).toEqual({ recourse: "park", refused: expected });
      else expect(taken).toEqual({ recourse: "park", ...expected });
    },
  );
});
