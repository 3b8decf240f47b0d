// A model that repeats a failing call: how often, and the note that it gets once, whatever form the result has.

import type {
  JSONValue,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { type Pass, placesOf } from "../../../src/provider/portable/pass.ts";
import { noteAbout, repeatsIn, tellRepeats } from "../../../src/provider/portable/repeated-calls.ts";

const USER: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: "go" }] };
const ERROR: LanguageModelV4ToolResultOutput = { type: "error-text", value: "no" };
let ids = 0;

/** A call and its result. */
function call(
  output: LanguageModelV4ToolResultOutput | null,
  input: JSONValue = { a: 1, b: 2 },
  toolName = "search",
): LanguageModelV4Message[] {
  const toolCallId = `c${++ids}`;
  const asked: LanguageModelV4Message = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName, input }],
  };
  return output === null
    ? [asked]
    : [asked, { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] }];
}

describe("how often a call has failed in a row", () => {
  it.each<[string, LanguageModelV4Prompt, number]>([
    ["no call", [USER], 0],
    ["one failure", [USER, ...call(ERROR)], 1],
    ["two failures", [USER, ...call(ERROR), ...call(ERROR)], 2],
    ["two with the fields in another order", [USER, ...call(ERROR), ...call(ERROR, { b: 2, a: 1 })], 2],
    [
      "two with inner fields in another order",
      [USER, ...call(ERROR, { x: { c: 1, d: [null] } }), ...call(ERROR, { x: { d: [null], c: 1 } })],
      2,
    ],
    ["two with other arguments", [USER, ...call(ERROR), ...call(ERROR, { a: 1, b: 3 })], 1],
    ["two with a list in another order", [USER, ...call(ERROR, [1, 2]), ...call(ERROR, [2, 1])], 1],
    ["two of other tools", [USER, ...call(ERROR), ...call(ERROR, { a: 1, b: 2 }, "find")], 1],
    ["a success in between", [USER, ...call(ERROR), ...call({ type: "text", value: "yes" }), ...call(ERROR)], 1],
    ["a success at the end", [USER, ...call(ERROR), ...call({ type: "text", value: "yes" })], 0],
    ["a call without a result", [USER, ...call(ERROR), ...call(null)], 0],
    ["a user who speaks in between", [USER, ...call(ERROR), USER, ...call(ERROR)], 1],
    ["a user who speaks last", [USER, ...call(ERROR), ...call(ERROR), USER], 0],
  ])("%s", (_what, prompt, expected) => {
    expect(repeatsIn(prompt).count).toBe(expected);
  });
});

describe("the note", () => {
  const passFor = (prompt: LanguageModelV4Prompt): { pass: Pass; notes: string[] } => {
    const notes: string[] = [];
    const pass = {
      tellAfter: 2,
      note: (where: string) => void notes.push(where),
      whereOf: () => "here",
      replace: (_before: object, after: object) => after,
    };
    return { pass: { ...placesOf({ prompt }), ...pass } as unknown as Pass, notes };
  };
  const told = (
    prompt: LanguageModelV4Prompt,
  ): { readonly prompt: LanguageModelV4Prompt; readonly notes: readonly string[] } => {
    const { pass, notes } = passFor(prompt);
    return { prompt: tellRepeats({ prompt }, pass).prompt, notes };
  };
  const outputs = (prompt: LanguageModelV4Prompt): readonly unknown[] =>
    prompt
      .flatMap((message) => (message.role === "tool" ? message.content : []))
      .flatMap((part) => (part.type === "tool-result" ? [part.output] : []));
  const NOTE = noteAbout(2);

  it.each<[string, LanguageModelV4ToolResultOutput, unknown]>([
    ["a text", ERROR, { type: "error-text", value: `no\n${NOTE}` }],
    [
      "an object",
      { type: "error-json", value: { error: "no" } },
      { type: "error-json", value: { error: "no", note: NOTE } },
    ],
    ["a list", { type: "error-json", value: ["no"] }, { type: "error-json", value: { error: ["no"], note: NOTE } }],
    ["null", { type: "error-json", value: null }, { type: "error-json", value: { error: null, note: NOTE } }],
    ["a denial without a reason", { type: "execution-denied" }, { type: "execution-denied", reason: NOTE }],
    [
      "a denial with a reason",
      { type: "execution-denied", reason: "no" },
      { type: "execution-denied", reason: `no\n${NOTE}` },
    ],
  ])("is added to %s, where the limit is reached, and once", (_what, output, expected) => {
    const first = told([USER, ...call(output), ...call(output), ...call(output)]);
    expect(outputs(first.prompt)).toEqual([output, expected, output]);
    expect(first.notes).toEqual(["here"]);
    const again = told(first.prompt);
    expect(outputs(again.prompt)[1]).toEqual(expected);
    expect(again.notes).toEqual([]);
  });

  it("stays in earlier turns as the conversation grows", () => {
    expect(outputs(told([USER, ...call(ERROR), ...call(ERROR), USER, ...call(ERROR)]).prompt)[1]).toEqual({
      type: "error-text",
      value: `no\n${NOTE}`,
    });
  });

  it("leaves the very same request if none is due", () => {
    const prompt = [USER, ...call(ERROR)];
    expect(told(prompt).prompt).toBe(prompt);
  });
});
