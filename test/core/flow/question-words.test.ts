// A question about money says how much: what is spent, the limit, and what the next attempt may cost.

import { expect, it } from "vitest";
import { type ContextValue, fault } from "../../../src/core/fault/fault.ts";
import type { Locale } from "../../../src/core/fault/words/words.ts";
import { payloadFor } from "../../../src/core/flow/question-words.ts";

function promptFor(context: Readonly<Record<string, ContextValue>>, locale: Locale = "en"): string {
  const exceeded = fault("BudgetExceeded", { message: "sk-secret", context });
  return payloadFor("Approve", { tool: "pay", fault: exceeded, schema: null, others: [], canSkip: false }, locale)
    .prompt;
}

const SPENT = { limit: 10_000, spent: 8_000, estimate: 8_000 };

it("names the amounts when a budget stops an attempt before it is sent", () => {
  expect(promptFor(SPENT)).toBe(
    "pay: The work stopped because it reached the spending limit set for it. $0.00008 of $0.0001 is spent, and the next attempt may cost $0.00008. Try it again?",
  );
  expect(promptFor(SPENT, "zh-CN")).toContain("上限 $0.0001，已花费 $0.00008，下一次尝试可能花费 $0.00008。是否重试？");
});

it("names no price that is not known", () => {
  expect(promptFor({ ...SPENT, estimate: 0 })).toContain("$0.00008 of $0.0001 is spent. Try it again?");
  expect(promptFor({ ...SPENT, ran: true })).toContain("$0.00008 of $0.0001 is spent. Try it again?");
});

it("reads only figures from the fault", () => {
  expect(promptFor({ limit: "sk-secret", spent: 1 })).not.toContain("secret");
  expect(promptFor({})).toBe("pay: The work stopped because it reached the spending limit set for it. Try it again?");
});
