// The retry budget shared by all calls to one provider, which prevents retry storms.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, type Refusal } from "../../../src/core/index.ts";
import { type Decision, explain, type Outcome, type Policy } from "../../../src/index.ts";
import { broken, callTimes, failure, type More, scripted, world } from "../../support/world.ts";

/** Five retries at once, none earned by calls, one more every ten seconds. Memory is off, so that only the budget decides. */
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
  it("is spent by retries, not by first attempts; once it is empty, no call starts to retry, and the decision says so", async () => {
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

  it("is shared by all tools of one provider, and with no other provider", async () => {
    const here = world({ policy: TIGHT });
    const first = broken("first", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    const second = broken("second", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    const third = broken("third", "ToolUnavailable", { ...AT_ONCE, provider: "other" });
    await callTimes(here, first.tool, 3);
    expect((await callTimes(here, second.tool, 1)).map(refusalOf)).toEqual(["retry-budget-spent"]);
    expect((await callTimes(here, third.tool, 1)).map(refusalOf)).toEqual(["attempts-spent"]);
  });

  it("is shared by the tools of one target if no provider is named", async () => {
    const here = world({ policy: TIGHT });
    const first = broken("first", "ToolUnavailable", { ...AT_ONCE, target: "acme" });
    const second = broken("second", "ToolUnavailable", { ...AT_ONCE, target: "acme" });
    await callTimes(here, first.tool, 3);
    expect((await callTimes(here, second.tool, 1)).map(refusalOf)).toEqual(["retry-budget-spent"]);
  });

  it("is spent once by calls that meet the same outage: they share attempts, and all of them finish", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", { retry: { maxAttempts: 3 } });
    const outcomes = await here.clock.runUntil(
      Promise.all(Array.from({ length: 100 }, () => here.fl.protect(down.tool, "x"))),
    );
    expect(new Set(outcomes.map(refusalOf))).toEqual(new Set(["attempts-spent"]));
    expect(down.runs.length).toBeLessThanOrEqual(105);
  });

  it("refills with time, up to its capacity", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", AT_ONCE);
    await callTimes(here, down.tool, 3);
    // Six retries: one of them is a debt.
    await here.clock.advance(19_999);
    expect((await callTimes(here, down.tool, 1)).map(({ attempts }) => attempts)).toEqual([1]);
    await here.clock.advance(1);
    expect((await callTimes(here, down.tool, 1)).map(({ attempts }) => attempts)).toEqual([3]);
    await here.clock.advance(3_600_000);
    expect((await callTimes(here, down.tool, 4)).map(({ attempts }) => attempts)).toEqual([3, 3, 3, 1]);
  });

  it("is earned by calls: one retry per five calls in the long run", async () => {
    const policy: Policy = { ...TIGHT, retryBudget: { capacity: 5, perCall: 0.2, perSecond: 0 } };
    const here = world({ policy });
    const down = broken("down", "ToolUnavailable", AT_ONCE);
    await callTimes(here, down.tool, 500);
    const retries = down.runs.filter((attempt) => attempt > 1).length;
    expect(retries).toBeGreaterThanOrEqual(100);
    expect(retries).toBeLessThanOrEqual(105);
  });

  it("leaves the other recourses available when it is empty", async () => {
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

  it("also applies to a retry whose wait the server named", async () => {
    const here = world({ policy: TIGHT });
    const down = broken("down", "ToolUnavailable", { ...AT_ONCE, provider: "acme" });
    await callTimes(here, down.tool, 3);
    const limited = scripted("limited", [failure("RateLimited", { retryAfterMs: 1 })], { provider: "acme" });
    const [outcome] = await callTimes(here, limited.tool, 1);
    expect(outcome).toMatchObject({ status: "surfaced", attempts: 1 });
    expect(outcome && refusalOf(outcome)).toBe("retry-budget-spent");
  });
});
