// The facts about a chain on which a decision depends.

import { describe, expect, it } from "vitest";
import { NO_CHAIN } from "../../../src/core/decide/fallback.ts";
import { fault, type Target } from "../../../src/core/index.ts";
import { withFirstReturn } from "../../../src/runtime/call/situation.ts";

const NOW = 1_000_000;
const target = (id: string, backAt: number): Target => ({
  ...{ id, endpoint: id, account: id, model: id, capabilities: [], contextWindowTokens: 1 },
  ...{ available: backAt <= NOW, backAt },
});

describe("the failure of a chain", () => {
  it.each([
    { title: "its own return, if that comes first", own: 5_000, others: [9_000], at: 5_000 },
    { title: "the return of another target, if that comes first", own: 9_000, others: [7_000, 5_000], at: 5_000 },
    { title: "a return in one millisecond", own: 9_000, others: [1], at: 1 },
    { title: "no return while a target can be asked", own: 9_000, others: [0], at: null },
    { title: "no return if none is known", own: undefined, others: [Infinity], at: null },
    { title: "the return of another target if its own is unknown", own: undefined, others: [7_000], at: 7_000 },
  ])("names $title", ({ own, others, at }) => {
    const seen = fault("RateLimited", own === undefined ? {} : { retryAfterMs: own });
    const backAts = [own ?? Infinity, ...others];
    const targets = backAts.map((backMs, index) => target(`t${index}`, NOW + backMs));
    const named = withFirstReturn(seen, { ...NO_CHAIN, targets }, NOW);
    expect(named).toEqual(at === null ? seen : { ...seen, resetAt: NOW + at });
  });
});
