// An answer is collected field by field: what each prompt says and offers, what it refuses, and the value that comes of it.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { QuestionPayload } from "../../../src/core/flow/interaction.ts";
import { fillIn, type FormWords, oneLine, promptText } from "../../../src/runtime/person/terminal-form.ts";

type AskPayload = Extract<QuestionPayload, { readonly kind: "Ask" }>;

const WORDS: FormWords = {
  ...{ yes: "Yes", no: "No", leaveOut: "(leave out)", optional: "(optional)", needed: "needed" },
  ...{ wants: { number: "a number", json: "JSON" }, explainsKeys: true },
};
const CANCEL = Symbol("cancel");

interface Shown {
  readonly message: string;
  readonly options?: readonly { readonly value: number; readonly label: string }[];
  readonly validate?: (text?: string) => string | undefined;
  readonly showInstructions?: boolean;
}

/** Types these answers one after the other: the number of a choice, or a text. What a prompt refuses is noted and typed again. */
async function filled(
  schema: unknown,
  typed: readonly unknown[],
  more: Partial<AskPayload> = {},
): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  const left = [...typed];
  const answer = (asked: Shown): Promise<unknown> => {
    const { message, options, validate } = asked;
    shown.push(options === undefined ? message : [message, options.map(({ label }) => label)]);
    for (;;) {
      const next = left.shift();
      const problem = typeof next === "symbol" ? undefined : validate?.(next as string | undefined);
      if (problem === undefined) return Promise.resolve(next);
      shown.push(`${JSON.stringify(next)} is refused: ${problem}`);
    }
  };
  const clack = { select: answer, text: answer, isCancel: (value: unknown) => value === CANCEL, S_BAR: "|" };
  const payload = { kind: "Ask", prompt: "What now?", schema, ...more } as AskPayload;
  const prompt = { input: new PassThrough(), output: new PassThrough(), signal: new AbortController().signal };
  const value = await fillIn(clack as never, payload, WORDS, prompt);
  return [...shown, { value }];
}

const objectOf = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
});

describe("a form", () => {
  it.each<[string, unknown, readonly unknown[], readonly unknown[]]>([
    ["without a schema takes any text", undefined, [""], ["What now?", { value: "" }]],
    ["without a schema takes white space", undefined, [" "], ["What now?", { value: " " }]],
    [
      "for one number",
      { type: "number" },
      ["", "x", "7"],
      ["What now?", '"" is refused: needed', '"x" is refused: a number', { value: 7 }],
    ],
    ["for one choice", { enum: ["a", "b"] }, [1], [["What now?", ["a", "b"]], { value: "b" }]],
    ["for yes or no", { type: "boolean" }, [1], [["What now?", ["Yes", "No"]], { value: false }]],
    [
      "with fields says the question once, and names each",
      objectOf({ name: { type: "string", description: "of the\nuser" }, age: { type: "number" } }, ["name"]),
      ["Ada", "x", " "],
      ["What now?\n|  name: of the user", "age (optional)", '"x" is refused: a number', { value: { name: "Ada" } }],
    ],
    [
      "with a needed field takes nothing empty",
      objectOf({ name: { type: "string" } }, ["name"]),
      ["", " ", "Ada"],
      ["What now?\n|  name", '"" is refused: needed', '" " is refused: needed', { value: { name: "Ada" } }],
    ],
    [
      "with optional choices offers to leave them out",
      objectOf({ size: { enum: [1, ""] }, ok: { type: "boolean" } }),
      [1, 2],
      [
        ["What now?\nsize (optional)", ["1", '""', "(leave out)"]],
        ["ok (optional)", ["Yes", "No", "(leave out)"]],
        { value: { size: "" } },
      ],
    ],
    [
      "with a needed choice does not",
      objectOf({ ok: { type: "boolean" } }, ["ok"]),
      [0],
      [["What now?\nok", ["Yes", "No"]], { value: { ok: true } }],
    ],
    [
      "with JSON in it",
      objectOf({ data: { type: "array" } }, ["data"]),
      ["[1", "[1]"],
      ["What now?\n|  data", '"[1" is refused: JSON', { value: { data: [1] } }],
    ],
    [
      "with an optional text leaves out an empty one",
      objectOf({ name: { type: "string" }, note: { type: "string" } }),
      ["", "x"],
      ["What now?\n|  name (optional)", "note (optional)", { value: { note: "x" } }],
    ],
    ["that is closed", objectOf({ a: {}, b: {} }), [CANCEL], ["What now?\n|  a (optional)", { value: CANCEL }]],
    ["that is closed at a choice", { enum: ["a"] }, [CANCEL], [["What now?", ["a"]], { value: CANCEL }]],
  ])("%s", async (_what, schema, typed, expected) => {
    expect(await filled(schema, typed)).toEqual(expected);
  });

  it("says what was wrong with the last answer", async () => {
    const issues = [
      { path: "$.a", expected: "a\nnumber", got: "nothing" },
      { path: "$.b", expected: "a text", got: "array" },
    ];
    expect((await filled(undefined, ["x"], { issues }))[0]).toBe("What now?\n|  $.a a number\n|  $.b a text");
  });
});

describe("a text from elsewhere", () => {
  it.each([
    ["x".repeat(2_000), "x".repeat(2_000)],
    ["x".repeat(2_001), `${"x".repeat(2_000)}\n… (+1)`],
    ["a\n".repeat(20).trim(), "a\n".repeat(20).trim()],
    ["a\n".repeat(21).trim(), `${"a\n".repeat(20).trim()}\n… (+2)`],
    ["  a\r\nb\rc\u0000\u202ed\u001b[31me\u001b[0m ", "a\nb\nc de"],
    ["", ""],
  ])("is harmless in a prompt: %j", (text, shown) => {
    expect(promptText(text)).toBe(shown);
  });

  it("has one line where only one fits", () => {
    expect(oneLine(" a\n\tb  c\r\n")).toBe("a b c");
  });
});
