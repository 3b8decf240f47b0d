// The session's state owns the sum that was spent. A budget adds only what the journal does not have yet.

import { describe, expect, it } from "vitest";
import type { Cost } from "../../src/core/flow/money.ts";
import { NOTHING_SPENT, book, rebook } from "../../src/core/flow/money.ts";
import { Budget } from "../../src/runtime/budget.ts";

const RULE = { maxCostMicrocents: 10, onExceed: "fail", warnAtPercent: 80 } as const;
const cost = (microcents: number): Cost => ({ microcents, basis: "reported" });
const succeeded = (paid: Cost) =>
  ({
    type: "call-succeeded",
    call: "c",
    tool: "t",
    attempt: 1,
    durationMs: 1,
    cost: paid,
    errors: [],
    output: null,
  }) as const;

describe("the budget of a session", () => {
  it("counts a cost once, before and after the journal has it", () => {
    const state = { spending: NOTHING_SPENT, budgetWarned: false };
    const budget = new Budget(RULE, state);
    budget.reserve(6);
    expect([budget.spentMicrocents, budget.exceeds(5), budget.exceeds(4)]).toEqual([0, true, false]);
    budget.settle(6, cost(4));
    expect([budget.spentMicrocents, budget.exceeds(7), budget.exceeds(6)]).toEqual([4, true, false]);
    state.spending = book(state.spending, cost(4));
    budget.written(succeeded(cost(4)));
    expect([budget.spentMicrocents, budget.spending.microcents]).toEqual([4, 4]);
  });

  it("replaces the booked estimate when the true cost arrives late", () => {
    const state = { spending: book(NOTHING_SPENT, cost(4)), budgetWarned: false };
    const budget = new Budget(RULE, state);
    budget.rebook(cost(4), cost(1));
    expect(budget.spentMicrocents).toBe(1);
    state.spending = rebook(state.spending, cost(4), cost(1));
    const late = { type: "call-late", call: "c", tool: "t", attempt: 1, ok: true, fault: null, durationMs: 1 } as const;
    budget.written({ ...late, cost: cost(1), booked: cost(4) });
    expect(budget.spentMicrocents).toBe(1);
  });

  it("outside a session holds the sum itself", () => {
    const budget = new Budget(RULE);
    budget.settle(null, cost(3));
    budget.rebook(cost(3), null);
    expect([budget.spentMicrocents, budget.spending.microcents]).toEqual([3, 3]);
  });
});

describe("a budget of 10 that warns at 80 %", () => {
  it.each([
    { estimate: 7, warned: false, isQuiet: true },
    { estimate: 8, warned: false, isQuiet: false },
    { estimate: 8, warned: true, isQuiet: true },
    { estimate: 10, warned: true, isQuiet: true },
    { estimate: 11, warned: true, isQuiet: false },
    { estimate: 11, warned: false, isQuiet: false },
  ])("has nothing to say about an attempt of $estimate, warned before $warned: $isQuiet", (about) => {
    const budget = new Budget(RULE, { spending: NOTHING_SPENT, budgetWarned: about.warned });
    expect(budget.isQuietAt(about.estimate)).toBe(about.isQuiet);
  });
});
