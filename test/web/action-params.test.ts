import { describe, expect, it } from "vitest";
import { checkActionParams } from "../../src/core/flow/action-params.ts";
import type { OfferedAction } from "../../src/core/flow/action.ts";
import { type Action, type Draft, emptyDraft, paramsOf } from "../../web/parts/action-params.ts";

function offer(needs: Action["needs"], more: Partial<Action> = {}): Action {
  return {
    ...{ id: "retry-stage", label: "", explains: "", redoes: "", keeps: "", node: "write", execution: 1, needs },
    ...{ accepts: [], choices: [], limits: {}, effect: "instruct", question: "", costMicrocents: 0, key: "key" },
    ...more,
  };
}

const LIMITS = offer("limits", {
  id: "raise-limit",
  limits: { maxCostMicrocents: 2e8, timeoutMs: 60_000, maxNodes: 0 },
});

/** What was typed, and what is sent; null while something is missing. */
const CASES: readonly (readonly [string, Action, Partial<Draft>, unknown])[] = [
  ["nothing", offer("nothing"), {}, {}],
  ["no text", offer("text"), { text: " \n" }, null],
  ["a text", offer("text"), { text: "think of the old clients" }, { text: "think of the old clients" }],
  ["the first target", offer("target", { choices: ["west", "north"] }), {}, { target: "west" }],
  ["no target", offer("target"), {}, null],
  ["dollars", LIMITS, { limits: { maxCostMicrocents: "2.50" } }, { limits: { maxCostMicrocents: 250_000_000 } }],
  ["minutes", LIMITS, { limits: { timeoutMs: "1.5" } }, { limits: { timeoutMs: 90_000 } }],
  ["a limit that is not higher", LIMITS, { limits: { maxCostMicrocents: "2" } }, null],
  ["one higher and one lower", LIMITS, { limits: { maxCostMicrocents: "3", timeoutMs: "0.5" } }, null],
  ["no number", LIMITS, { limits: { maxNodes: "many" } }, null],
  ["no limits", LIMITS, { limits: { maxNodes: "" } }, null],
  ["commands", offer("commands"), { names: " node --test\n\nnpm ci " }, { commands: ["node --test", "npm ci"] }],
  ["no comment", offer("nothing", { id: "send-back", accepts: ["text"] }), { text: " " }, {}],
  ["a comment", offer("nothing", { id: "send-back", accepts: ["text"] }), { text: "not so" }, { text: "not so" }],
  [
    "commands with further ones",
    offer("text", { id: "edit-and-retry", accepts: ["commands"] }),
    { text: "npm ci", names: "npm ci" },
    { text: "npm ci", commands: ["npm ci"] },
  ],
  ["no tools", offer("tools"), { names: "\n" }, null],
];

describe("what was typed for an action", () => {
  it.each(CASES)("%s", (_name, action, typed, sent) => {
    const params = paramsOf(action, { ...emptyDraft(action), ...typed });
    expect(params).toEqual(sent);
    if (params !== null) expect(checkActionParams(action as OfferedAction, params)).toHaveProperty("params");
  });

  it("suggests twice the limits that there are, and they are taken", () => {
    const params = paramsOf(LIMITS, emptyDraft(LIMITS));
    expect(params).toEqual({ limits: { maxCostMicrocents: 4e8, timeoutMs: 120_000 } });
  });
});
