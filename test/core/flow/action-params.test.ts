// What is passed in with an action: taken as plain data, or refused with the field named and the value never quoted.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkActionParams, MAX_TEXT_BYTES } from "../../../src/core/flow/action-params.ts";
import { type ActionId, actionsFor, type OfferedAction } from "../../../src/core/flow/action.ts";
import type { FaultCode } from "../../../src/core/index.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import { failedWith, pausedFor, question, SELECT, situation } from "./action-situations.ts";

function offered(id: ActionId, state: RunState): OfferedAction {
  const more = { targets: ["claude", "codex", "gemini"], sendBackTo: "coder", hasPartialOutput: true };
  const found = actionsFor(situation(state, more), "en").find((action) => action.id === id);
  if (found === undefined) throw new Error(`${id} is not offered`);
  return found;
}
const after = (id: ActionId, code: FaultCode): OfferedAction => offered(id, failedWith(code));

const EDIT = after("edit-and-retry", "ContentFiltered");
const SWITCH = after("switch-provider", "Overloaded");
const BUDGET = after("raise-limit", "BudgetExceeded");
const NODES = after("raise-limit", "TurnLimit");
const TOOLS = after("grant-and-retry", "PermissionLoop");
const COMMANDS = offered("grant-and-retry", failedWith("Forbidden", "command"));
const BACK = after("send-back", "TestsFailed");
const RETRY = after("retry-stage", "Overloaded");
const GATE = pausedFor("gate", null, [question("q_1", SELECT)]);

// prettier-ignore
const TAKEN: readonly (readonly [string, OfferedAction, unknown, object])[] = [
  ["nothing",                RETRY,    undefined,                               {}],
  ["an empty object",        RETRY,    {},                                      {}],
  ["a text",                 EDIT,     { text: "Do less." },                    { text: "Do less." }],
  ["a target",               SWITCH,   { target: "gemini" },                    { target: "gemini" }],
  ["a higher limit",         BUDGET,   { limits: { maxCostMicrocents: 501 } },  { limits: { maxCostMicrocents: 501 } }],
  ["one limit of two",       NODES,    { limits: { turnCap: 2 } },              { limits: { turnCap: 2 } }],
  ["tools",                  TOOLS,    { tools: ["Bash"] },                     { tools: ["Bash"] }],
  ["commands",               COMMANDS, { commands: ["node --test *"] },         { commands: ["node --test *"] }],
  ["a way back",             BACK,     {},                                      { to: "coder" }],
  ["a way back with a note", BACK,     { text: "look at b" },                   { to: "coder", text: "look at b" }],
  ["a cancellation",         offered("cancel", GATE), {},                       { cancel: true }],
  ["a comment at a gate",    offered("continue-discussion", GATE), { text: "?" }, { option: "continue", text: "?" }],
  ["an answer",              offered("answer", GATE), { answer: { status: "accepted", value: "confirm" } }, { answer: { status: "accepted", value: "confirm" } }],
  ["the longest text",       EDIT,     { text: "x".repeat(65_536) },             { text: "x".repeat(65_536) }],
  ["the most names",         TOOLS,    { tools: Array(100).fill("T") },          { tools: Array(100).fill("T") }],
  ["the longest name",       TOOLS,    { tools: ["T".repeat(1_000)] },           { tools: ["T".repeat(1_000)] }],
  ["an answer without choices", { ...offered("answer", GATE), choices: [] }, { answer: { status: "accepted", value: 5 } }, { answer: { status: "accepted", value: 5 } }],
  ["the only choice",        { ...offered("answer", GATE), choices: ["a"] }, { answer: { status: "accepted", value: "a" } }, { answer: { status: "accepted", value: "a" } }],
  ["a no",                   offered("answer", GATE), { answer: { status: "rejected", reason: "not yet", x: 1 } }, { answer: { status: "rejected", reason: "not yet" } }],
];

// prettier-ignore
const REFUSED: readonly (readonly [string, OfferedAction, unknown, string])[] = [
  ["no text",                      EDIT,     {},                                      "text"],
  ["an empty text",                EDIT,     { text: "  \n" },                        "text"],
  ["a text that is a number",      EDIT,     { text: 5 },                             "text"],
  ["a text that is too long",      EDIT,     { text: "é".repeat(MAX_TEXT_BYTES / 2 + 1) }, "text"],
  ["a target that is not offered", SWITCH,   { target: "sk-secret" },                 "target"],
  ["a limit that is no higher",    BUDGET,   { limits: { maxCostMicrocents: 500 } },  "limits"],
  ["a limit that is endless",      BUDGET,   { limits: { maxCostMicrocents: Infinity } }, "limits"],
  ["a limit in words",             BUDGET,   { limits: { maxCostMicrocents: "900" } }, "limits"],
  ["another limit",                BUDGET,   { limits: { timeoutMs: 900 } },          "limits"],
  ["no limit at all",              BUDGET,   { limits: {} },                          "limits"],
  ["tools that are not a list",       TOOLS,    { tools: "Bash" },                       "tools"],
  ["an empty list",                TOOLS,    { tools: [] },                           "tools"],
  ["a list with a hole",           COMMANDS, { commands: ["npm test", ""] },          "commands"],
  ["a text of one byte too many",  EDIT,     { text: "x".repeat(65_537) },            "text"],
  ["a name too many",              TOOLS,    { tools: Array(101).fill("T") },         "tools"],
  ["a name that is too long",      TOOLS,    { tools: ["T".repeat(1_001)] },          "tools"],
  ["everything",                   TOOLS,    { tools: [" * "] },                      "tools"],
  ["limits that are no object",    BUDGET,   { limits: 5 },                           "limits"],
  ["limits that are null",         BUDGET,   { limits: null },                        "limits"],
  ["null",                         RETRY,    null,                                    "params"],
  ["a text for all fields",        RETRY,    "x",                                     "params"],
  ["a field with a long name",     RETRY,    { ["f".repeat(50)]: 1 },                 "f".repeat(40)],
  ["an answer that is null",       offered("answer", GATE), { answer: null },         "answer"],
  ["an answer that is a text",     offered("answer", GATE), { answer: "confirm" },    "answer"],
  ["an answer without a value",    offered("answer", GATE), { answer: { status: "accepted" } }, "answer"],
  ["an answer of another status",  offered("answer", GATE), { answer: { status: "timeout", value: "confirm" } }, "answer"],
  ["what is not the only choice",  { ...offered("answer", GATE), choices: ["a"] }, { answer: { status: "accepted", value: "b" } }, "answer"],
  ["a field of another action",    RETRY,    { text: "x" },                           "text"],
  ["a name from the prototype",    BUDGET,   { limits: { constructor: 5 } },          "limits"],
  ["a list instead of an object",  RETRY,    [],                                      "params"],
  ["an option that is not offered", offered("answer", GATE), { answer: { status: "accepted", value: "x" } }, "answer"],
  ["a no without a reason",        offered("answer", GATE), { answer: { status: "rejected" } }, "answer"],
];

describe("what an action takes", () => {
  it.each(TAKEN)("%s", (_what, action, given, params) => {
    expect(checkActionParams(action, given)).toEqual({ params });
  });
});

describe("what an action refuses, naming the field", () => {
  it.each(REFUSED)("%s", (_what, action, given, field) => {
    const checked = checkActionParams(action, given);
    expect(checked).toMatchObject({ code: "ShapeInvalid", context: { action: action.id, field } });
    expect(JSON.stringify(checked)).not.toContain("sk-secret");
  });
});

describe("a field that an action does not know", () => {
  it.each([
    [RETRY, "it takes nothing"],
    [EDIT, "it takes text"],
    [BACK, "it takes text"],
  ])("is refused with those that it knows: $0.id", (action, known) => {
    expect(Reflect.get(checkActionParams(action, { x: 1 }), "message")).toMatch(new RegExp(`${known}$`));
  });
});

describe("an answer to an open question", () => {
  const answer = offered("answer", GATE);
  const [asked] = [question("q_1", SELECT)];

  it("is held against that question, and against no other", () => {
    const given = { answer: { status: "accepted", value: "x" } };
    const loose = { ...answer, choices: [] };
    expect(checkActionParams(loose, given, [])).toEqual({ params: given });
    expect(checkActionParams(loose, given, [{ ...asked, id: "q_2" }])).toEqual({ params: given });
    expect(checkActionParams(loose, given, [asked])).toMatchObject({ context: { action: "answer", field: "answer" } });
    const right = { answer: { status: "accepted", value: "confirm" } };
    expect(checkActionParams(loose, right, [asked])).toEqual({ params: right });
    expect(checkActionParams({ ...RETRY, question: "q_1" }, {}, [asked])).toEqual({ params: {} });
    expect(checkActionParams(loose, { answer: 5 }, [asked])).toMatchObject({ code: "ShapeInvalid" });
  });
});

describe("whatever is passed in", () => {
  it("is checked without a throw, even if it throws itself", () => {
    const hostile = Object.defineProperty({}, "text", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(checkActionParams(EDIT, hostile)).toMatchObject({ code: "ShapeInvalid" });
    fc.assert(
      fc.property(fc.constantFrom(EDIT, SWITCH, BUDGET, TOOLS, RETRY), fc.anything(), (action, given) => {
        const checked = checkActionParams(action, given);
        expect("params" in checked || checked.code === "ShapeInvalid").toBe(true);
      }),
    );
  });
});
