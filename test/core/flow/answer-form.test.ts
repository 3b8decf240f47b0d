// The form for an answer: its fields from a schema that may hold anything, what a person types as a value, and an example to copy.

import { describe, expect, it } from "vitest";
import { exampleOf, filledIn, type FormField, formOf, readTyped } from "../../../src/core/flow/answer-form.ts";
import type { AnswerSchema } from "../../../src/core/flow/interaction.ts";

const FIELD: FormField = { name: "", type: "json", required: true, description: "", choices: [] };
const TEXT: FormField = { ...FIELD, type: "text" };
const propertiesOf = (count: number): AnswerSchema => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_one, index) => [`p${index}`, { type: "string" }])),
});

describe("a form", () => {
  it.each<[string, AnswerSchema | undefined, readonly FormField[]]>([
    ["no schema", undefined, [TEXT]],
    ["a text", { type: "string", description: "Why?" }, [{ ...TEXT, description: "Why?" }]],
    ["a number", { type: "number" }, [{ ...FIELD, type: "number" }]],
    ["a whole number", { type: "integer" }, [{ ...FIELD, type: "number" }]],
    ["yes or no", { type: "boolean" }, [{ ...FIELD, type: "yes-no" }]],
    ["a list", { type: "array" }, [FIELD]],
    ["several types", { type: ["string", "null"] }, [FIELD]],
    ["a description that is not a text", { type: "string", description: 7 }, [TEXT]],
    ["a choice", { enum: ["a", 2] }, [{ ...FIELD, type: "choice", choices: ["a", 2] }]],
    ["a choice without choices", { type: "string", enum: [] }, [TEXT]],
    ["a choice that is not a list", { type: "string", enum: "ab" }, [TEXT]],
    ["a choice among objects", { type: "string", enum: ["a", {}] }, [TEXT]],
    ["properties that are null", { type: "string", properties: null }, [TEXT]],
    ["properties that are a text", { type: "string", properties: "ab" }, [TEXT]],
    ["no properties", { type: "object", properties: {} }, [FIELD]],
    ["a property that is null", { properties: { a: null } }, [{ ...FIELD, name: "a", required: false }]],
    ["a property that is a text", { properties: { a: "string" } }, [{ ...FIELD, name: "a", required: false }]],
    [
      "two properties of which one is required",
      { properties: { a: { type: "string" }, b: { type: "boolean", description: "Sure?" } }, required: ["b"] },
      [
        { ...TEXT, name: "a", required: false },
        { ...FIELD, name: "b", type: "yes-no", description: "Sure?" },
      ],
    ],
    [
      "a list of required fields that is not one",
      { properties: { a: { type: "string" } }, required: "a" },
      [{ ...TEXT, name: "a", required: false }],
    ],
  ])("has fields for %s", (_what, schema, expected) => {
    expect(formOf(schema)).toEqual(expected);
  });

  it("is one field of JSON when it would be too long, and no choice when there are too many", () => {
    expect([20, 21].map((count) => formOf(propertiesOf(count)).length)).toEqual([20, 1]);
    const choices = (count: number): AnswerSchema => ({ enum: Array.from({ length: count }, (_one, index) => index) });
    expect([50, 51].map((count) => formOf(choices(count))[0]?.type)).toEqual(["choice", "json"]);
  });

  it("is one text when the schema cannot be read", () => {
    const hostile = Object.defineProperty({ properties: { a: {} } }, "required", {
      get: () => {
        throw new Error("no");
      },
    });
    expect(formOf(hostile as AnswerSchema)).toHaveLength(1);
  });
});

describe("what a person types", () => {
  it.each<[FormField["type"], string, unknown]>([
    ["text", " a ", " a "],
    ["number", " 2.5 ", 2.5],
    ["number", " ", undefined],
    ["number", "two", undefined],
    ["number", "Infinity", undefined],
    ["yes-no", " true ", true],
    ["yes-no", "false", false],
    ["yes-no", "yes", undefined],
    ["choice", " 2 ", 2],
    ["choice", "b", "b"],
    ["choice", "c", undefined],
    ["json", '{"a":1}', { a: 1 }],
  ])("as %s: %j", (type, text, expected) => {
    expect(readTyped({ ...FIELD, type, choices: [1, 2, "b"] }, text)).toEqual(expected);
  });

  it("is one value for a form of one field, and otherwise an object without the fields left out", () => {
    expect(filledIn([TEXT], ["a"])).toBe("a");
    const fields = ["x", "y"].map((name) => ({ ...TEXT, name }));
    expect(filledIn(fields, ["a", undefined])).toEqual({ x: "a" });
    expect(filledIn([], [])).toEqual({});
  });
});

describe("an example", () => {
  it.each<[string, AnswerSchema | undefined, string]>([
    ["a text", undefined, "…"],
    ["a number", { type: "number" }, "0"],
    ["yes or no", { type: "boolean" }, "false"],
    ["JSON", { type: "array" }, "null"],
    ["a choice", { enum: ["a"] }, "…"],
    [
      "the fields that are required",
      { properties: { a: {}, b: { type: "boolean" }, c: { enum: ["x", "y"] } }, required: ["b", "c"] },
      '{"b":false,"c":"x"}',
    ],
    ["the first field when none is required", { properties: { a: { type: "number" }, b: {} } }, '{"a":0}'],
  ])("shows %s", (_what, schema, expected) => {
    expect(exampleOf(schema)).toBe(expected);
  });
});
