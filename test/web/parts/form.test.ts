// Forms from JSON Schema: which fields they have, and which value a filled-in form makes.

import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Draft, draftOf, readDraft } from "../../../web/parts/form/draft.ts";
import { fieldOf, type Schema } from "../../../web/parts/form/schema-field.ts";

const BOOKING: Schema = {
  type: "object",
  required: ["city", "nights", "guests", "address", "breakfast"],
  properties: {
    city: { type: "string", minLength: 2 },
    nights: { type: "integer", minimum: 1, maximum: 30 },
    room: { enum: ["single", "double", 3] },
    breakfast: { type: "boolean" },
    late: { type: "boolean" },
    budget: { anyOf: [{ type: "number" }, { type: "null" }] },
    guests: { type: "array", minItems: 1, items: { $ref: "#/$defs/Guest" } },
    address: { type: "object", required: ["zip"], properties: { zip: { type: "string", pattern: "^[0-9]{5}$" } } },
    invoice: { type: "object", required: ["to"], properties: { to: { type: "string" } } },
    more: { type: "object" },
  },
  $defs: {
    Guest: { type: "object", required: ["name"], properties: { name: { type: "string", title: "Full name" } } },
  },
};
const FORM = fieldOf(BOOKING);
const GOOD = {
  ...{ city: "Bern", nights: "2", room: "2", breakfast: false, late: "", budget: "", invoice: { to: "" }, more: "" },
  ...{ guests: [{ name: "Ann" }], address: { zip: "30110" } },
} satisfies Draft;

function mistakesOf(change: Readonly<Record<string, Draft>>): readonly string[] {
  return readDraft(FORM, { ...GOOD, ...change }).mistakes.map(({ at, what }) => `${at} ${what}`);
}

describe("a form from a JSON Schema", () => {
  it("makes a value of the types that the schema names, and leaves out what is blank", () => {
    expect(readDraft(FORM, GOOD)).toEqual({
      value: {
        ...{ city: "Bern", nights: 2, room: 3, breakfast: false },
        ...{ guests: [{ name: "Ann" }], address: { zip: "30110" } },
      },
      mistakes: [],
    });
  });

  it.each([
    [{ city: "" }, "/city missing"],
    [{ city: "B" }, "/city too-short"],
    [{ nights: "two" }, "/nights not-a-number"],
    [{ budget: " " }, "/budget not-a-number"],
    [{ nights: "1.5" }, "/nights not-whole"],
    [{ nights: "0" }, "/nights too-small"],
    [{ nights: "31" }, "/nights too-large"],
    [{ guests: [] }, "/guests too-few"],
    [{ guests: [{ name: "Ann" }, { name: "" }] }, "/guests/1/name missing"],
    [{ address: { zip: "" } }, "/address/zip missing"],
    [{ address: { zip: "3011" } }, "/address/zip wrong-form"],
    [{ more: "{" }, "/more not-json"],
  ])("says what is wrong, and where: %j", (change, mistake) => {
    expect(mistakesOf(change)).toEqual([mistake]);
  });

  it("tells a no from nothing where both are possible", () => {
    const said = (late: string): unknown => (readDraft(FORM, { ...GOOD, late }).value as { late?: boolean }).late;
    expect(["", "0", "1"].map(said)).toEqual([undefined, true, false]);
  });

  it("begins with the defaults, or with a value that is known", () => {
    const form = fieldOf({
      properties: { a: { type: "integer", default: 3 }, b: { enum: ["x", "y"] }, c: { const: 1 } },
    });
    expect(draftOf(form)).toEqual({ a: "3", b: "", c: "0" });
    expect(draftOf(form, { a: 5, b: "y" })).toEqual({ a: "5", b: "1", c: "0" });
  });

  it("asks for JSON where it has no field: circles, free choices, unknown types", () => {
    const circle: Schema = { $ref: "#/$defs/Self", $defs: { Self: { $ref: "#/$defs/Self" } } };
    const free: Schema = { anyOf: [{ type: "string" }, { type: "number" }] };
    for (const schema of [circle, free, {}, { type: "unheard-of" }, { $ref: "https://example.com/x" }])
      expect(fieldOf(schema).kind).toBe("json");
  });

  it("never makes a value that the schema refuses, whatever is typed", () => {
    const fits = new Ajv2020({ strict: false }).compile(BOOKING);
    const text = fc.oneof(fc.string(), fc.constantFrom("", "Bern", "2", "1e3", "30110", "0", "1", "{}", "null"));
    const guests = fc.array(fc.record({ name: text }), { maxLength: 3 });
    const drafts = fc.record({
      ...{
        city: text,
        nights: text,
        room: fc.constantFrom("", "0", "2"),
        breakfast: fc.boolean(),
        more: fc.constantFrom("", "{}", "{"),
      },
      ...{ late: fc.constantFrom("", "0", "1"), budget: text, invoice: fc.record({ to: text }), guests },
      address: fc.record({ zip: text }),
    });
    fc.assert(
      fc.property(drafts, (draft) => {
        const { value, mistakes } = readDraft(FORM, draft);
        if (mistakes.length === 0) expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("reads any schema without failing", () => {
    fc.assert(fc.property(fc.object(), (schema) => void draftOf(fieldOf(schema as Schema))));
  });
});
