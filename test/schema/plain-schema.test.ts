// A plain schema is compiled without a look at the dialect's own schema. So what is called plain has to be valid in every dialect.

import { createRequire } from "node:module";
import type { Ajv } from "ajv";
import formats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainSchema } from "../../src/schema/plain-schema.ts";
import { samples } from "../support/grid.ts";

const load = createRequire(import.meta.url);
const DIALECTS = (
  [
    ["ajv/dist/2020.js", "Ajv2020"],
    ["ajv/dist/2019.js", "Ajv2019"],
    ["ajv", "Ajv"],
  ] as const
).map(([module, name]) => {
  const classes = load(module) as Readonly<Record<string, new (options: object) => Ajv>>;
  const AjvClass = classes[name];
  if (AjvClass === undefined) throw new Error(`${module} has no ${name}`);
  return { name, ajv: formats.default(new AjvClass({ strict: false, logger: false })) };
});

/** The dialects that refuse it. */
const refusing = (schema: object): readonly string[] =>
  DIALECTS.filter(({ ajv }) => ajv.validateSchema(schema) !== true).map(({ name }) => name);

/** Every keyword of every dialect that ajv knows, and one that is none. */
const KEYWORDS = [...new Set([...DIALECTS.flatMap(({ ajv }) => Object.keys(ajv.RULES.all)), ...namesIn(), "x-mine"])];

function namesIn(): readonly string[] {
  const own = DIALECTS.flatMap(({ ajv }) => Object.values(ajv.schemas)).map((found) => found?.schema);
  return own.flatMap((schema) =>
    typeof schema === "object" && "properties" in schema ? Object.keys(schema["properties"] as object) : [],
  );
}

/** What keywords take, and what none of them takes. */
const leaf = fc.oneof(
  fc.constantFrom("string", "object", "integer", "nothing", "date", "", "^(", "#/$defs/a"),
  fc.constantFrom(0, 1, -1, 0.5, true, false, null),
);
const { schema: anySchema } = fc.letrec<{ schema: unknown; value: unknown; named: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    fc.dictionary(fc.constantFrom(...KEYWORDS), tie("value"), { maxKeys: 3 }),
  ),
  named: fc.dictionary(fc.constantFrom("a", "type", "__proto__"), tie("schema"), { maxKeys: 2 }),
  value: fc.oneof(leaf, tie("schema"), tie("named"), fc.array(fc.oneof(leaf, tie("schema")), { maxLength: 3 })),
}));

describe("a schema that is called plain", () => {
  it("is valid in every dialect, whatever its keywords have for values", () => {
    let plain = 0;
    const property = fc.property(anySchema, (schema) => {
      if (typeof schema !== "object" || schema === null || !isPlainSchema({ ...schema })) return;
      plain++;
      expect(refusing(schema)).toEqual([]);
    });
    fc.assert(property, { numRuns: samples(500, 40_000) });
    expect(plain).toBeGreaterThan(10);
  });

  // Each keyword alone, with each kind of value: none of them is left to chance.
  it.each(KEYWORDS)("is valid with any value of %s", (keyword) => {
    const values = [
      ...["string", "date", "", 0, 1, -1, 0.5, Infinity, true, null, undefined, {}, [], [{}], [true], ["a"], ["a", "a"]],
      ...[["string"], ["string", "null"], ["string", "string"], [1, 1], [{ type: "no" }], { a: {} }, { a: 1 }, { a: { type: "no" } }],
      ...[{ type: "no" }, { a: ["b"] }, [[1]], [[1], [1]], Object.assign([], { 1: "a" }), new Date(0), { a: { b: { minimum: "1" } } }],
    ];
    const wrong = values.filter((value) => isPlainSchema({ [keyword]: value }) && refusing({ [keyword]: value }).length > 0);
    expect(wrong).toEqual([]);
  });

  it("is most of what people write", () => {
    const price = { type: "number", minimum: 0, description: "in cents" };
    const item = { type: "object", properties: { price, name: { type: ["string", "null"], maxLength: 5 } }, required: ["price"] };
    const choice = { anyOf: [{ enum: ["a", "b", 1, null] }, { const: { any: "thing" } }], default: "a", title: "Choice" };
    const whole = { type: "object", additionalProperties: false, properties: { items: { type: "array", items: item }, choice } };
    expect(isPlainSchema(whole)).toBe(true);
  });

  it.each([
    ["has a keyword that dialects read differently", { items: [{ type: "string" }] }],
    ["refers to another", { $ref: "#/$defs/a" }],
    ["has a keyword of another program", { "x-mine": 1 }],
    ["inherits a keyword", { properties: { a: Object.create({ type: "no" }) as object } }],
    ["is too deep", Array.from({ length: 60 }).reduce<object>((not) => ({ not }), {})],
  ])("is none that %s", (_what, schema) => {
    expect(isPlainSchema(schema as Readonly<Record<string, unknown>>)).toBe(false);
  });
});
