// Schemas and values that would keep a check busy for years. Each of these must come back, with an answer that names the schema.

import { describe, expect, it } from "vitest";
import { isFaultError } from "../../src/core/index.ts";
import { compileSchema, type JsonSchema } from "../../src/schema/index.ts";

const WHAT = "the output of tool evil.tool";
/** A check that never ends keeps a processor busy until its time is over. */
const SOON = { compileMs: 5_000, checkMs: 100 };

/** `#/$defs/n0` refers twice to `n1`, which refers twice to `n2` …: one value, 2^levels checks. */
function doubling(levels: number): JsonSchema {
  const ref = (level: number): object => ({ $ref: `#/$defs/n${level}` });
  const defs = Array.from({ length: levels }, (_, level) => [
    `n${level}`,
    { anyOf: [ref(level + 1), ref(level + 1)] },
  ]);
  return { $defs: { ...Object.fromEntries(defs), [`n${levels}`]: { type: "null" } }, $ref: "#/$defs/n0" };
}

/** Twice into each level of the value. */
const TWICE: JsonSchema = {
  $defs: { n: { type: "object", properties: { x: { anyOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }] } } } },
  $ref: "#/$defs/n",
};

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { x: value };
  return value;
}

/** What a check says, or the code of the fault it throws. */
function answerOf(check: () => unknown): unknown {
  try {
    return check();
  } catch (error) {
    if (!isFaultError(error)) throw error;
    return error.fault.code;
  }
}

const LONG = `${"a".repeat(60)}!`;

describe("a check that would never end", () => {
  it.each<readonly [string, JsonSchema, unknown]>([
    ["a pattern that backtracks", { type: "string", pattern: "^(a+)+$" }, LONG],
    ["a pattern without nested stars", { type: "string", pattern: "^(a|a)*$" }, LONG],
    ["a pattern with a look-ahead", { type: "string", pattern: "^(?=(a+)+$)" }, LONG],
    ["a pattern of property names", { patternProperties: { "^(a+)+$": {} }, additionalProperties: false }, { [LONG]: 1 }],
    ["a pattern deep inside", { items: { properties: { a: { pattern: "(x+x+)+y" } } } }, [{ a: "x".repeat(60) }]],
    ["references that double at each level", doubling(60), "no"],
    ["references that double at each level of the value", TWICE, nested(60)],
    ["unique items", { uniqueItems: true }, Array.from({ length: 100_000 }, (_, n) => ({ n, rest: [n, n] }))],
  ])("ends: %s", (_name, schema, value) => {
    expect(compileSchema(schema, WHAT, SOON)(value)).toMatchObject({
      ok: false,
      issues: [{ path: "$", message: expect.stringContaining("the schema is too costly") as unknown }],
    });
  });

  it("does not keep the next value from being checked", () => {
    const check = compileSchema({ type: "string", pattern: "^(a+)+$" }, WHAT);
    expect(check(LONG)).toMatchObject({ ok: false });
    expect(check("aaaa")).toMatchObject({ ok: true });
    expect(check("b")).toMatchObject({ ok: false, issues: [{ message: 'must match pattern "^(a+)+$"' }] });
  });

  it.each<readonly [string, JsonSchema, unknown]>([
    ["a ring of two", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }, 1],
    ["a schema that is itself", { $ref: "#" }, 1],
    ["a ring through the value", { properties: { x: { $ref: "#" } } }, nested(100_000)],
  ])("ends with rings of references: %s", (_name, schema, value) => {
    const answer = answerOf(() => compileSchema(schema, WHAT, SOON)(value));
    if (answer !== "ConfigSchemaViolation") expect(answer).toMatchObject({ ok: false });
  });
});

describe("a schema that is too much", () => {
  const codes = Array.from({ length: 30_000 }, (_, n) => `code-${n}`);
  const deep = (): JsonSchema => {
    let schema: Record<string, unknown> = {};
    for (let level = 0; level < 5_000; level++) schema = { properties: { x: schema } };
    return schema;
  };
  const itself: Record<string, unknown> = {};
  itself["not"] = itself;

  it.each<readonly [string, JsonSchema]>([
    ["a long one", { enum: codes }],
    ["a deep one", deep()],
    ["one that contains itself", itself],
  ])("is refused: %s", (_name, schema) => {
    const fault = { code: "ConfigSchemaViolation", message: expect.stringContaining(WHAT) as unknown };
    expect(() => compileSchema(schema, WHAT)).toThrow(expect.objectContaining({ fault: expect.objectContaining(fault) as unknown }));
  });
});
