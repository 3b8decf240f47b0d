// Breakers and pauses of one target that several processes hold: whatever they did and in whatever order they meet, they agree.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admit,
  type Breaker,
  type BreakerRule,
  CLOSED,
  DEFAULT_POLICY,
  fault,
  isolate,
  letProbe,
  mergeBreakers,
  record,
  release,
} from "../../../src/core/index.ts";
import {
  extendPause,
  fullBudget,
  liftPause,
  mergePauses,
  NO_PAUSE,
  type Pause,
  useBudget,
  withCause,
} from "../../../src/core/decide/breaker.ts";

const RULE: BreakerRule = { ...DEFAULT_POLICY.breaker, failures: 2, successes: 2, openMs: 100, probeTimeoutMs: 50 };

/** What can happen to a breaker at a moment. */
const ACTS = {
  success: (breaker, now) => call(breaker, "success", now),
  failure: (breaker, now) => call(breaker, "failure", now),
  neutral: (breaker, now) => call(breaker, "neutral", now),
  isolate: (breaker, now) => isolate(breaker, "maintenance", now),
  release,
  letProbe,
} satisfies Readonly<Record<string, (breaker: Breaker, now: number) => Breaker>>;

function call(breaker: Breaker, result: "success" | "failure" | "neutral", now: number): Breaker {
  const admission = admit(breaker, RULE, now);
  if (!admission.admitted) return breaker;
  const after = record(admission.breaker, RULE, admission.ticket, result, now);
  return withCause(after, { code: "ToolUnavailable", message: `at ${now}` });
}

const act = fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[]));
const history = fc.array(fc.tuple(act, fc.integer({ min: 0, max: 200 })), { maxLength: 12 });

function breakerOf(acts: readonly (readonly [keyof typeof ACTS, number])[], start: Breaker = CLOSED): Breaker {
  let now = 1_000;
  return acts.reduce((breaker, [name, waitMs]) => ACTS[name](breaker, (now += waitMs)), start);
}

/** Histories that share their beginning, as those of processes do. */
const breakers = (count: number): fc.Arbitrary<readonly Breaker[]> =>
  fc
    .tuple(history, fc.array(history, { minLength: count, maxLength: count }))
    .map(([common, apart]) => apart.map((own) => breakerOf(own, breakerOf(common))));

describe("two breakers of one target", () => {
  it("merge to the same one whichever comes first, and merging again changes nothing", () => {
    fc.assert(
      fc.property(breakers(3), ([a = CLOSED, b = CLOSED, c = CLOSED]) => {
        const ab = mergeBreakers(a, b);
        expect(mergeBreakers(b, a)).toEqual(ab);
        expect([a, b]).toContain(ab);
        expect(mergeBreakers(ab, b)).toBe(ab);
        expect(mergeBreakers(a, structuredClone(a))).toBe(a);
        expect(mergeBreakers(ab, c)).toEqual(mergeBreakers(a, mergeBreakers(b, c)));
      }),
    );
  });

  it("merge to the newer generation, as long as no person acted", () => {
    fc.assert(
      fc.property(breakers(2), ([a = CLOSED, b = CLOSED]) => {
        fc.pre((a.byHandAt ?? 0) === (b.byHandAt ?? 0));
        expect(mergeBreakers(a, b).generation).toBe(Math.max(a.generation, b.generation));
      }),
    );
  });

  it("merge to what a person did last, whatever else happened", () => {
    fc.assert(
      fc.property(breakers(2), fc.constantFrom("isolate", "release"), ([a = CLOSED, b = CLOSED], name) => {
        const acted = ACTS[name](a, 1_000_000);
        expect(mergeBreakers(b, acted)).toBe(acted);
        expect(mergeBreakers(acted, b)).toBe(acted);
      }),
    );
  });

  it("keep a person's act also after the clock was set back", () => {
    const isolated = isolate(CLOSED, "maintenance", 5_000);
    const released = release(isolated, 10);
    expect(mergeBreakers(isolated, released)).toBe(released);
  });

  it("of one generation are the more cautious one, and a count of failures that a success ended stays ended", () => {
    const one = call(CLOSED, "failure", 1);
    const ended = call(one, "success", 2);
    expect(mergeBreakers(one, ended)).toBe(ended);
    const open = breakerOf([
      ["failure", 0],
      ["failure", 0],
    ]);
    const probing = letProbe({ ...CLOSED, state: "open", openedAt: 0, openMs: 1 }, 0);
    expect(mergeBreakers(open, { ...CLOSED, generation: open.generation })).toBe(open);
    expect(mergeBreakers({ ...probing, generation: 9 }, { ...CLOSED, generation: 9 }).state).toBe("half-open");
  });
});

describe("a probe by hand", () => {
  it("lets one call through before the open time is over, and its result decides", () => {
    const open = breakerOf([
      ["failure", 0],
      ["failure", 0],
    ]);
    expect(admit(open, RULE, 1_001)).toMatchObject({ admitted: false });
    const probing = letProbe(open, 1_001);
    const first = admit(probing, RULE, 1_001);
    expect(first).toMatchObject({ admitted: true, breaker: { state: "half-open" } });
    expect(admit(first.breaker, RULE, 1_002)).toMatchObject({ admitted: false });
    expect(call(probing, "failure", 1_001)).toMatchObject({ state: "open", openedAt: 1_001 });
    expect(call(call(probing, "success", 1_001), "success", 1_002)).toMatchObject({ state: "closed" });
  });

  it("is a careful release for an isolated target, and nothing for a closed breaker", () => {
    expect(letProbe(isolate(CLOSED, "maintenance", 1), 2)).toMatchObject({ state: "half-open" });
    expect(letProbe(CLOSED, 2)).toBe(CLOSED);
  });
});

describe("two pauses of one target", () => {
  const pauses = fc.array(fc.tuple(fc.constantFrom("extend", "lift"), fc.integer({ min: 1, max: 50 })), {
    maxLength: 6,
  });
  const pauseOf = (acts: readonly (readonly [string, number])[]): Pause => {
    let now = 1_000;
    return acts.reduce((pause, [name, ms]) => {
      now += ms;
      return name === "lift"
        ? liftPause(pause, now)
        : extendPause(pause, now + ms * 10, fault("RateLimited", { message: `wait ${ms}` }));
    }, NO_PAUSE);
  };

  it("merge to the same one whichever comes first: the longer, unless a person lifted it", () => {
    fc.assert(
      fc.property(pauses, pauses, pauses, (one, two, three) => {
        const [a, b, c] = [pauseOf(one), pauseOf(two), pauseOf(three)];
        const ab = mergePauses(a, b);
        expect(mergePauses(b, a)).toEqual(ab);
        expect(mergePauses(ab, a)).toBe(ab);
        expect(mergePauses(ab, c)).toEqual(mergePauses(a, mergePauses(b, c)));
        if (a.liftedAt === b.liftedAt) expect(ab.until).toBe(Math.max(a.until, b.until));
        const lifted = liftPause({ ...ab, until: 1e9 }, 1e6);
        expect(mergePauses(a, lifted)).toBe(lifted);
      }),
    );
  });
});

describe("a retry budget that processes share", () => {
  const BUDGET = { capacity: 10, perCall: 0.1, perSecond: 1 };

  it("ends up the same whichever process uses it first", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 2, maxLength: 3 }), (uses) => {
        const spendAll = (order: readonly number[]): number =>
          order.reduce((shared, spent) => useBudget(shared, BUDGET, { earned: 0, spent }, 5), fullBudget(BUDGET, 5))
            .tokens;
        expect(spendAll(uses)).toBe(spendAll(uses.toReversed()));
        expect(spendAll(uses)).toBe(10 - uses.reduce((sum, spent) => sum + spent, 0));
      }),
    );
  });

  it("fills from now on when its time lies in the future, because the clock was set back", () => {
    const later = useBudget(null, BUDGET, { earned: 0, spent: 10 }, 1_000_000);
    const back = useBudget(later, BUDGET, { earned: 0, spent: 0 }, 1_000);
    expect(useBudget(back, BUDGET, { earned: 0, spent: 0 }, 3_000).tokens).toBe(2);
  });

  it("goes into debt no further than its capacity", () => {
    expect(useBudget(null, BUDGET, { earned: 0, spent: 1_000 }, 0).tokens).toBe(-10);
  });
});
