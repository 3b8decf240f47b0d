// The retry budget that all calls to one provider share, so that retries cannot become a storm.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, type Refusal } from "../../../src/core/index.ts";
import { type Decision, explain, type Outcome, type Policy } from "../../../src/index.ts";
import { broken, callTimes, failure, type More, scripted, world } from "../../support/world.ts";

/** Five retries at once, none earned by calls, one more every ten seconds; memory is off, so that only the budget speaks. */
const TIGHT: Policy = {
  ...DEFAULT_POLICY,
  retryBudget: { capacity: 5, perCall: 0, perSecond: 0.1 },
  breaker: { ...DEFAULT_POLICY.breaker, failures: 1_000 },
  learnsAfter: 0,
};
const AT_ONCE: More = { retry: { maxAttempts: 3, backoff: { initialMs: 0 } } };

function decisionOf(outcome: Outcome<string>): Decision {
  if (!("decision" in outcome) || outcome.decision === null) throw new Error(`a call was ${outcome.status}`);
  return outcome.decision;
}

const refusalOf = (outcome: Outcome<string>): Refusal | undefined => decisionOf(outcome).considered[0]?.refused;

describe("a retry budget", () => {
  it("is spent by retries and not by first attempts; empty, it lets no call begin to retry, and says so", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", AT_ONCE);
    const outcomes = await callTimes(here, down.tool, 5);
    expect(outcomes.map(({ attempts }) => attempts)).toEqual([3, 3, 3, 1, 1]);
    expect(outcomes.map(refusalOf)).toEqual([
      "attempts-spent",
      "attempts-spent",
      "attempts-spent",
      "retry-budget-spent",
      "retry-budget-spent",
    ]);
    const last = outcomes.at(-1);
    expect(last && explain(decisionOf(last), "en").why.join("; ")).toContain("the shared retry budget is spent");
  });

  it("is shared by all tools of one provider, and by nobody else", async () => {
    const here = world({ policy: TIGHT });
    const first = broken("first", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    const second = broken("second", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    const third = broken("third", "ToolUnavailable", { ...AT_ONCE, provider: "other" });
    await callTimes(here, first.tool, 3);
    expect((await callTimes(here, second.tool, 1)).map(refusalOf)).toEqual(["retry-budget-spent"]);
    expect((await callTimes(here, third.tool, 1)).map(refusalOf)).toEqual(["attempts-spent"]);
  });

  it("is shared by the tools of one target when nobody names a provider", async () => {
    const here = world({ policy: TIGHT });
    const first = broken("first", "ToolUnavailable", { ...AT_ONCE, target: "acme" });
    const second = broken("second", "ToolUnavailable", { ...AT_ONCE, target: "acme" });
    await callTimes(here, first.tool, 3);
    expect((await callTimes(here, second.tool, 1)).map(refusalOf)).toEqual(["retry-budget-spent"]);
  });

  it("is spent once by calls that meet one outage together: they share attempts, and all go on to the end", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", { retry: { maxAttempts: 3 } });
    const outcomes = await here.clock.runUntil(
      Promise.all(Array.from({ length: 100 }, () => here.fl.protect(down.tool, "x"))),
    );
    expect(new Set(outcomes.map(refusalOf))).toEqual(new Set(["attempts-spent"]));
    expect(down.runs.length).toBeLessThanOrEqual(105);
  });

  it("comes back with time, up to its size", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", AT_ONCE);
    await callTimes(here, down.tool, 3);
    // Six retries: one of them is owed.
    await here.clock.advance(19_999);
    expect((await callTimes(here, down.tool, 1)).map(({ attempts }) => attempts)).toEqual([1]);
    await here.clock.advance(1);
    expect((await callTimes(here, down.tool, 1)).map(({ attempts }) => attempts)).toEqual([3]);
    await here.clock.advance(3_600_000);
    expect((await callTimes(here, down.tool, 4)).map(({ attempts }) => attempts)).toEqual([3, 3, 3, 1]);
  });

  it("is earned by calls: one retry for five of them in the long run", async () => {
    const policy: Policy = { ...TIGHT, retryBudget: { capacity: 5, perCall: 0.2, perSecond: 0 } };
    const here = world({ policy });
    const down = broken("down", "ToolUnavailable", AT_ONCE);
    await callTimes(here, down.tool, 500);
    const retries = down.runs.filter((attempt) => attempt > 1).length;
    expect(retries).toBeGreaterThanOrEqual(100);
    expect(retries).toBeLessThanOrEqual(105);
  });

  it("that is spent leaves the other recourses as they are", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    await callTimes(here, down.tool, 3);
    const second = scripted("second", []);
    const elsewhere = broken("elsewhere", "ToolUnavailable", {
      ...AT_ONCE,
      provider: "acme",
      alternatives: [second.tool],
    });
    expect(await callTimes(here, elsewhere.tool, 1)).toMatchObject([{ status: "done", from: "second", attempts: 2 }]);
  });

  it("holds for a retry whose wait the other side named, too", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    await callTimes(here, down.tool, 3);
    const limited = scripted("limited", [failure("RateLimited", { retryAfterMs: 1 })], { provider: "acme" });
    const [outcome] = await callTimes(here, limited.tool, 1);
    expect(outcome).toMatchObject({ status: "surfaced", attempts: 1 });
    expect(outcome && refusalOf(outcome)).toBe("retry-budget-spent");
  });
});
