// Proves that a made value fits its schema, whatever the schema is made of, and that a broken one does not.

import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenSampleOf, sampleOf } from "../../src/chaos/sample.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

const leaf = fc.oneof(
  fc.record({ type: fc.constant("string"), minLength: fc.nat(30) }),
  fc.constant({ type: "boolean" }),
  fc.constant({ type: "null" }),
  fc.constant({ type: ["null", "number"] }),
  fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 3 }) }),
  fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50)).map(([minimum, more]) => ({
    type: "integer",
    minimum,
    maximum: minimum + more,
  })),
);

const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("schema"), { minKeys: 1, maxKeys: 4 }).map((properties) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
    tie("schema").map((items) => ({ type: "array", items, minItems: 2 })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

describe("a made value", () => {
  it("fits its schema", () => {
    fc.assert(fc.property(schema, (one) => ajv.validate(one, sampleOf(one))));
  });

  it("fits a schema that contains itself", () => {
    const tree = {
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, sub: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name", "sub"],
        },
      },
      $ref: "#/$defs/node",
    };
    expect(ajv.validate(tree, sampleOf(tree))).toBe(true);
  });

  const node = { $ref: "#/$defs/node" };
  const text = { type: "string" };
  const withNode = (properties: object): object => ({
    $defs: { node: { type: "object", properties, required: Object.keys(properties), additionalProperties: false } },
    ...node,
  });
  const literal = { type: "object", properties: { value: text }, required: ["value"], additionalProperties: false };

  it.each<[string, object]>([
    ["a list that ends with null", withNode({ value: text, next: { anyOf: [node, { type: "null" }] } })],
    [
      "a tree with two branches",
      withNode({ value: text, left: { oneOf: [node, { type: "null" }] }, right: { oneOf: [node, { type: "null" }] } }),
    ],
    ["expressions", withNode({ operator: text, left: { anyOf: [node, literal] }, right: { anyOf: [node, literal] } })],
    [
      "a level of lists more",
      withNode({ value: text, rows: { type: "array", items: { type: "array", items: node } } }),
    ],
  ])("fits a schema that contains itself where everything is required: %s", (_what, one) => {
    expect(ajv.validate(one, sampleOf(one))).toBe(true);
  });

  it.each([
    { anyOf: [{ $ref: "#" }] },
    { allOf: [{ $ref: "#" }] },
    { $ref: "#" },
    { type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] },
    { type: "array", minItems: 1000, items: { $ref: "#" } },
  ])("is made in finite time from %j, which nothing fits", (one) => {
    expect(JSON.stringify(sampleOf(one)).length).toBeLessThan(1_000_000);
  });

  it("fits the keywords beside a choice, and combined schemas", () => {
    const properties = { a: text, b: { type: "number" } };
    const either = { type: "object", properties, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    expect(ajv.validate(either, sampleOf(either))).toBe(true);
    const parts = { allOf: [{ type: "object", properties, required: ["a"] }, { required: ["b"] }] };
    expect(ajv.validate(parts, sampleOf(parts))).toBe(true);
    expect(sampleOf({ allOf: [text, { minLength: 20 }] })).toHaveLength(20);
  });

  it("is read from Google's spelling, too", () => {
    const written = {
      type: "OBJECT",
      properties: { when: { type: "STRING", format: "date" }, count: { type: "INTEGER" } },
    };
    expect(sampleOf(written)).toEqual({ when: "2026-01-02", count: 1 });
  });

  it("uses the example that a schema gives, so that a pattern can be met", () => {
    expect(sampleOf({ type: "string", pattern: "^[A-Z]{2}$", examples: ["NO"] })).toBe("NO");
  });
});

describe("a broken value", () => {
  it("breaks an object's schema by one missing field", () => {
    const record = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    };
    expect(brokenSampleOf(record)).toEqual({ a: "sample text" });
  });

  it.each([
    { type: "string" },
    { type: "number" },
    { type: "array", items: {} },
    { type: "object", properties: {} },
    { type: "object", properties: { a: { type: "string" } }, required: [] },
  ])("breaks %o by being of another kind", (one) => {
    expect(ajv.validate(one, brokenSampleOf(one))).toBe(false);
  });
});
