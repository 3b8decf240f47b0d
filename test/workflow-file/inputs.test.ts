// Proves which inputs a run may be started with, what words of a command line become, and that nothing secret is said.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REDACTED } from "../../src/core/index.ts";
import { type InputSpec, readInputs } from "../../src/workflow-file/index.ts";
import { definitionOf, top } from "./workflow-text.ts";

async function specs(inputs: string): Promise<readonly InputSpec[]> {
  return (await definitionOf(top(`inputs: ${inputs}`))).inputs;
}

async function read(inputs: string, given: unknown): Promise<ReturnType<typeof readInputs>> {
  return readInputs(await specs(inputs), given);
}

describe("inputs that fit", () => {
  it.each([
    ["{ n: { type: number } }", { n: "1.5e3" }, { n: 1500 }],
    ["{ n: { type: integer } }", { n: "-3" }, { n: -3 }],
    ["{ n: { type: boolean } }", { n: "TRUE" }, { n: true }],
    ["{ n: { type: boolean } }", { n: false }, { n: false }],
    ["{ n: { type: array } }", { n: "[1, 2]" }, { n: [1, 2] }],
    ["{ n: { type: object } }", { n: '{"a": 1}' }, { n: { a: 1 } }],
    ["{ n: { type: string } }", { n: "42" }, { n: "42" }],
    ["{ n: {} }", { n: "" }, { n: "" }],
    ["{ n: { enum: [1, 2] } }", { n: "2" }, { n: 2 }],
    ["{ n: { default: short } }", {}, { n: "short" }],
    ["{ n: { type: object, default: {} } }", undefined, { n: {} }],
    ["{ n: { required: false } }", {}, {}],
    ["{ n: { required: false } }", { n: undefined }, {}],
  ])("%s, given %j", async (inputs, given, values) => {
    expect(await read(inputs, given)).toEqual({ values, shown: values, secret: {} });
  });

  it("are shown without the secret ones", async () => {
    expect(
      await read("{ a: {}, t: { secret: true }, u: { secret: true, required: false } }", { a: "x", t: "hunter2" }),
    ).toEqual({
      values: { a: "x", t: "hunter2" },
      shown: { a: "x", t: REDACTED },
      secret: { t: "hunter2" },
    });
  });
});

describe("inputs that do not fit", () => {
  it.each([
    ["{ n: { type: number } }", { n: "many" }, "n", "must be a number"],
    ["{ n: { type: number } }", { n: "" }, "n", "must be a number"],
    ["{ n: { type: number } }", { n: NaN }, "n", "must be a number"],
    ["{ n: { type: integer } }", { n: "1.5" }, "n", "must be a whole number"],
    ["{ n: { type: boolean } }", { n: "yes" }, "n", "must be true or false"],
    ["{ n: { type: array } }", { n: "{}" }, "n", "must be a list"],
    ["{ n: { type: object } }", { n: "[]" }, "n", "must be an object"],
    ["{ n: { type: object } }", { n: "{" }, "n", "must be an object"],
    ["{ n: { type: string } }", { n: 3 }, "n", "must be text"],
    ["{ n: {} }", { n: null }, "n", "must be text"],
    ["{ n: { enum: [a, b] } }", { n: "c" }, "n", 'must be one of "a", "b"'],
    ["{ n: { description: What to build } }", {}, "n", "is missing; it must be text (What to build)"],
    ["{ task: {} }", { tsk: "x" }, "tsk", "did you mean task?"],
    ["{}", { x: 1 }, "x", "takes none"],
    ["{ n: {} }", JSON.parse('{ "__proto__": 1 }'), "__proto__", "there is no input"],
    ["{ n: {} }", "text", "inputs", "must be an object"],
    ["{ n: {} }", ["x"], "inputs", "must be an object"],
  ])("%s, given %j, name the field and what it must be", async (inputs, given, field, said) => {
    expect(await read(inputs, given)).toMatchObject({
      code: "ShapeInvalid",
      message: expect.stringContaining(said) as string,
      context: { field },
    });
  });

  it("are never repeated, because they may be secret", async () => {
    const declared = await specs("{ n: { type: integer, secret: true }, e: { enum: [a] }, o: { type: object } }");
    fc.assert(
      fc.property(fc.constantFrom("n", "e", "o"), fc.string({ minLength: 12 }), (name, value) => {
        const given = { n: 1, e: "a", o: {}, [name]: `${value}#` };
        expect(JSON.stringify(readInputs(declared, given))).not.toContain(JSON.stringify(`${value}#`).slice(1, -1));
      }),
    );
  });
});
