// No message and no path contains the value, no matter which validator wrote the message.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type AnySchema, compileSchema, type Issue, schemaFault } from "../../src/schema/index.ts";
import { samples } from "../support/grid.ts";

async function issuesOf(schema: AnySchema, value: unknown): Promise<readonly Pick<Issue, "path" | "message">[]> {
  const result = await compileSchema(schema, "a test")(value);
  return result.ok ? [] : result.issues.map(({ path, message }) => ({ path, message }));
}

function echoing(message: (value: unknown) => string): StandardSchemaV1 {
  const validate = (value: unknown): StandardSchemaV1.FailureResult => ({ issues: [{ message: message(value) }] });
  return { "~standard": { version: 1, vendor: "echo", validate } };
}

const SECRET = "hunter2-Passw0rd";

/** Each JSON Schema keyword that can fail, with a value that fails it and holds the secret. */
const KEYWORDS: readonly (readonly [keyword: string, schema: object, value: unknown])[] = [
  ["type", { type: "number" }, SECRET],
  ["enum", { enum: ["a"] }, SECRET],
  ["const", { const: "a" }, SECRET],
  ["maxLength", { maxLength: 1 }, SECRET],
  ["minLength", { minLength: 99 }, SECRET],
  ["pattern", { pattern: "^a$" }, SECRET],
  ["format", { format: "date" }, SECRET],
  ["formatMinimum", { format: "date", formatMinimum: "2026-01-01" }, "2020-02-03"],
  ["maximum", { maximum: 1 }, 48_151_623],
  ["minimum", { minimum: 99_999_999 }, 48_151_623],
  ["exclusiveMaximum", { exclusiveMaximum: 1 }, 48_151_623],
  ["multipleOf", { multipleOf: 2 }, 48_151_623],
  ["maxItems", { maxItems: 1 }, [SECRET, SECRET]],
  ["minItems", { minItems: 9 }, [SECRET]],
  ["uniqueItems", { uniqueItems: true }, [SECRET, SECRET]],
  ["contains", { contains: { const: "a" } }, [SECRET]],
  ["items", { prefixItems: [true], items: false }, [1, SECRET]],
  ["unevaluatedItems", { prefixItems: [true], unevaluatedItems: false }, [1, SECRET]],
  ["maxProperties", { maxProperties: 0 }, { a: SECRET }],
  ["minProperties", { minProperties: 9 }, { a: SECRET }],
  ["required", { required: ["b"] }, { a: SECRET }],
  ["additionalProperties", { additionalProperties: false }, { a: SECRET }],
  ["unevaluatedProperties", { unevaluatedProperties: false }, { a: SECRET }],
  ["propertyNames", { propertyNames: { maxLength: 1 } }, { ab: SECRET }],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: SECRET }],
  ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, { a: SECRET }],
  ["dependencies", { $schema: "http://json-schema.org/draft-07/schema", dependencies: { a: ["b"] } }, { a: SECRET }],
  ["not", { not: {} }, SECRET],
  ["anyOf", { anyOf: [{ type: "number" }] }, SECRET],
  ["oneOf", { oneOf: [{ type: "number" }] }, SECRET],
  ["if", { if: true, then: { type: "number" } }, SECRET],
  ["false", { properties: { a: false } }, { a: SECRET }],
];

describe("a JSON Schema's message", () => {
  it.each(KEYWORDS)("for %s does not say the value", async (_keyword, schema, value) => {
    const issues = await issuesOf(schema as AnySchema, value);
    expect(issues.length).toBeGreaterThan(0);
    expect(JSON.stringify(issues)).not.toMatch(/hunter2|48151623|2020-02-03/);
  });

  it("does not name a key that looks like data", async () => {
    const keys = ["sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGHIJ", "jane@example.com", "x".repeat(65), "a\nb"];
    for (const key of keys) {
      const issues = await issuesOf({ additionalProperties: false }, { [key]: 1 });
      expect(issues).toEqual([{ path: "$[…]", message: "is not known here" }]);
    }
  });
});

describe("a Standard Schema's message", () => {
  it("loses what it quotes of the value", async () => {
    const schema = z.object({
      pin: z.string().refine(() => false, { error: ({ input }) => `${String(input)} is no PIN` }),
      note: z.string(),
    });
    expect(await issuesOf(schema, { pin: "4711", note: "x" })).toEqual([{ path: "$.pin", message: "… is no PIN" }]);
  });

  it.each<[what: string, message: (value: unknown) => string]>([
    ["as JSON", (value) => `got ${JSON.stringify(value)}`],
    ["cut short", (value) => `got ${JSON.stringify(value).slice(0, 40)}…`],
    ["on several lines", (value) => `got\n${JSON.stringify(value, null, 2)}`],
  ])("loses a whole value quoted %s", async (_what, message) => {
    const value = { user: "jane.doe", card: 4_111_111_111_111_111, deep: [{ note: `${SECRET}"\nS3cond-Half` }] };
    const said = JSON.stringify(await issuesOf(echoing(message), value));
    expect(said).not.toMatch(/hunter2|Passw0rd|S3cond|jane\.doe|41111/);
  });

  it("loses it also when the schema's code throws it", async () => {
    const schema = z.string().transform((text): string => {
      throw new Error(`cannot read ${text}`);
    });
    const result = await compileSchema(schema, "x")(SECRET);
    const seen = result.ok ? null : result.thrown?.fault;
    expect(seen?.message).toBe("cannot read …");
    expect(JSON.stringify(seen)).not.toContain(SECRET);
  });

  it("also loses text from elsewhere in the value", async () => {
    const schema = z.object({ token: z.string(), seats: z.number() }).superRefine(({ token }, context) => {
      context.addIssue({ code: "custom", path: ["seats"], message: `none left for ${token}` });
    });
    expect(await issuesOf(schema, { token: "abcd1234", seats: 2 })).toEqual([
      { path: "$.seats", message: "none left for …" },
    ]);
  });

  it("names an unknown key that is a name, and no other", async () => {
    const schema = z.strictObject({});
    expect(await issuesOf(schema, { colour: 1 })).toEqual([{ path: "$", message: 'Unrecognized key: "colour"' }]);
    expect(await issuesOf(schema, { "jane@example.com": 1 })).toEqual([{ path: "$", message: 'Unrecognized key: "…"' }]);
  });

  it("stays readable where the value only resembles its words", async () => {
    const schema = z.object({ seats: z.number().max(1000), cabin: z.enum(["economy", "first"]), kind: z.string() });
    expect(await issuesOf(schema, { seats: 10_000, cabin: "econ", kind: "number" })).toEqual([
      { path: "$.seats", message: "Too big: expected number to be <=1000" },
      { path: "$.cabin", message: 'Invalid option: expected one of "economy"|"first"' },
    ]);
  });

  it("is dropped when there is too much to look for, or nothing can be read", async () => {
    const schema = echoing((value) => `got ${String((value as unknown[])[0])}`);
    expect(await issuesOf(schema, [SECRET, ...Array.from({ length: 20_000 }, (_, i) => i)])).toEqual([
      { path: "$", message: "is not valid" },
    ]);
    const beside = z.looseObject({ seats: z.number() }).superRefine((value, context) => {
      context.addIssue({ code: "custom", path: ["seats"], message: `none left for ${String(value["token"])}` });
    });
    expect(await issuesOf(beside, { token: SECRET, seats: 2, list: Array.from({ length: 20_000 }, (_, i) => i) })).toEqual([
      { path: "$.seats", message: "is not valid" },
    ]);
    const trap = new Proxy({}, { ownKeys: () => { throw new Error("no"); } });
    expect(await issuesOf(echoing(() => "said"), trap)).toEqual([{ path: "$", message: "is not valid" }]);
  });

  it("never holds a text or number of eight characters from anywhere in the value", async () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/);
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: "small" }, secret, fc.array(tie("any"), { maxLength: 4 }), fc.dictionary(fc.constantFrom("a", "b"), tie("any"))),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(JSON.stringify, String), async (given, echo) => {
        const secrets = JSON.stringify(given).match(/[A-Za-z0-9]{8,}/g) ?? [];
        const issues = await issuesOf(echoing((seen) => `bad: ${echo(seen)}`), given);
        for (const one of secrets) expect(JSON.stringify(issues)).not.toContain(one);
      }),
      { numRuns: samples(100, 300) },
    );
  });
});

describe("schemaFault", () => {
  const issues = (count: number): Issue[] =>
    Array.from({ length: count }, (_, i) => ({ path: `$.items[${i}].price`, message: "must be number", got: "string" }));

  it("is InputInvalid before the tool ran and OutputMalformed after it", () => {
    expect(schemaFault("input", "flight_search", { issues: issues(1) })).toMatchObject({
      code: "InputInvalid",
      context: { tool: "flight_search", field: "items.0.price" },
      message:
        "The input of tool flight_search does not fit its schema: $.items[0].price must be number. Nothing was run. Correct these and call it again.",
    });
    expect(schemaFault("output", "flight_search", { issues: issues(1) }).code).toBe("OutputMalformed");
  });

  it("lists five and counts the rest", () => {
    expect(schemaFault("input", "x", { issues: issues(20) }).message).toMatch(/items\[4\].*; and 15 more\. Nothing/);
    expect(schemaFault("input", "x", { issues: issues(5) }).message).not.toContain("more");
  });

  it.each([
    ["$", undefined],
    ["$[0]", "0"],
    ['$["a b"].c', "a b.c"],
    ["$.a.b", "a.b"],
  ])("makes of %s the field %s", (path, field) => {
    expect(schemaFault("input", "x", { issues: [{ path, message: "bad", got: "string" }] }).context["field"]).toBe(field);
  });

  it("needs no issue", () => {
    expect(schemaFault("output", "x", { issues: [] })).toMatchObject({ context: { tool: "x" } });
  });
});
