// What is found to be in order needs none of the rules that always hold, and an ordinary history is found to be.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInOrder } from "../../../src/provider/portable/in-order.ts";
import type { Pass } from "../../../src/provider/portable/pass.ts";
import { PORTABLE_RULES } from "../../../src/provider/portable/rules.ts";
import type { TargetFacts } from "../../../src/provider/portable/target-facts.ts";
import { assistant, call, requests, result, SIGNED, targets, text, thought, TO, tool, user } from "./requests.ts";

function isLeftAlone(given: LanguageModelV4CallOptions, to: TargetFacts): boolean {
  const pass: Pass = { to, from: null, note: () => undefined, whereOf: () => "", replace: (_before, next) => next };
  return PORTABLE_RULES.filter(({ when }) => when === "always").every(({ apply }) => apply(given, pass) === given);
}

describe("a history that is in order", () => {
  it("is one that no rule would change", () => {
    let found = 0;
    fc.assert(
      fc.property(requests, targets, (given, to) => {
        if (!isInOrder(given.prompt, to)) return;
        found += 1;
        expect(isLeftAlone(given, to)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it("may have calls with their answers, several at once and in any order, and thoughts of the target's own", () => {
    const history = [
      user(text("look")),
      assistant(thought(SIGNED), text("both"), call("a"), call("b")),
      tool(result("b")),
      tool(result("a")),
      assistant(text("found")),
      user(text("thanks")),
    ];
    expect(isInOrder(history, TO.opus)).toBe(true);
    expect(isInOrder(history, TO.gpt)).toBe(false);
  });

  it.each([
    ["a call without an answer", [assistant(call("a"))]],
    ["an answer without a call", [tool(result("a"))]],
    ["an answer behind another message", [assistant(call("a")), user(text("well?")), tool(result("a"))]],
    ["an answer twice", [assistant(call("a")), tool(result("a"), result("a"))]],
    ["a call that its vendor answers", [assistant(call("a", { providerExecuted: true }), text("there"))]],
  ])("has not %s", (_what, prompt) => {
    expect(isInOrder(prompt, TO.opus)).toBe(false);
  });
});
