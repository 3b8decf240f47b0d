// A schema of any kind becomes one check that never throws, and anything that is not a schema is refused at once.

import { execFileSync } from "node:child_process";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isFaultError } from "../../src/core/index.ts";
import { type AnySchema, type CheckResult, compileSchema, type Issue } from "../../src/schema/index.ts";
import { thrownBy } from "../support/thrown.ts";

const WHAT = "the input of tool flight_search";

function check(schema: AnySchema, value: unknown): CheckResult | Promise<CheckResult> {
  return compileSchema(schema, WHAT)(value);
}

function issuesOf(schema: AnySchema, value: unknown): readonly Pick<Issue, "path" | "message">[] {
  const result = check(schema, value);
  return "issues" in result ? result.issues.map(({ path, message }) => ({ path, message })) : [];
}

/** A handwritten schema, as a library we know nothing of would make one. */
function standard(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { "~standard": { version: 1, vendor: "handwritten", validate: validate as never } };
}

const ITEMS = {
  type: "object",
  properties: { items: { type: "array", items: { type: "object", properties: { price: { type: "number" } } } } },
  required: ["items"],
} as const;

describe("a JSON Schema", () => {
  it("accepts what fits and gives it back as it is", () => {
    const value = { items: [{ price: 1 }] };
    const result = check(ITEMS, value);
    expect(result).toEqual({ ok: true, value });
    expect((result as { value: unknown }).value).toBe(value);
  });

  it("tells every mistake with its path", () => {
    expect(check(ITEMS, { items: [{ price: "a" }, { price: 1 }, 7] })).toMatchObject({
      ok: false,
      issues: [
        { path: "$.items[0].price", message: "must be number" },
        { path: "$.items[2]", message: "must be object" },
      ],
    });
  });

  it.each<[what: string, schema: object, value: unknown, path: string, message: string]>([
    ["a missing key", { required: ["from"] }, {}, "$.from", "is required"],
    [
      "a key that another asks for",
      { dependentRequired: { card: ["cvv"] } },
      { card: 1 },
      "$.cvv",
      "is required when `card` is present",
    ],
    ["a key too many", { additionalProperties: false }, { from: 1 }, "$.from", "is not known here"],
    ["a key that no keyword evaluated", { unevaluatedProperties: false }, { from: 1 }, "$.from", "is not known here"],
    ["a word that is not allowed", { enum: ["eco", "first"] }, "x", "$", 'must be one of ["eco","first"]'],
    ["another value than the one", { const: 7 }, 8, "$", "must be 7"],
    [
      "a key with a bad name",
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      "$",
      "has a property whose name must NOT have more than 2 characters",
    ],
    ["a format", { format: "date" }, "tomorrow", "$", 'must match format "date"'],
    ["an odd key", { properties: { "a b": { type: "null" } } }, { "a b": 1 }, '$["a b"]', "must be null"],
    ["a key made of digits", { properties: { "0": { type: "null" } } }, { "0": 1 }, '$["0"]', "must be null"],
    ["a key with a slash", { properties: { "a/b": { type: "null" } } }, { "a/b": 1 }, '$["a/b"]', "must be null"],
  ])("says of %s where and what", (_what, schema, value, path, message) => {
    expect(issuesOf(schema as AnySchema, value)).toContainEqual({ path, message });
  });

  it("is 2020-12 unless it says another dialect", () => {
    const tuple = { prefixItems: [{ type: "string" }], items: false };
    expect(check(tuple, ["a", "b"])).toMatchObject({ ok: false });
    const old = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] };
    expect(check({ ...old, additionalItems: false }, ["a", "b"])).toMatchObject({ ok: false });
    expect(check({ ...old, additionalItems: false }, ["a"])).toMatchObject({ ok: true });
    expect(() => check({ items: [{ type: "string" }] }, [])).toThrow(/schema\/items must be object,boolean/);
    const middle = { $schema: "https://json-schema.org/draft/2019-09/schema", dependentRequired: { a: ["b"] } };
    expect(check(middle, { a: 1 })).toMatchObject({ ok: false });
  });

  it("may contain unknown keywords and formats", () => {
    expect(check({ "type": "string", "x-widget": "date", "format": "seat-number" }, "14A")).toMatchObject({ ok: true });
  });

  it("may have the same $id as another, and refer to itself by it", () => {
    const first = { $id: "https://example.com/seat", $ref: "https://example.com/seat#/$defs/a", $defs: { a: { type: "string" } } };
    const second = { ...first, $defs: { a: { type: "number" } } };
    expect(check(first, "14A")).toMatchObject({ ok: true });
    expect(check(second, "14A")).toMatchObject({ ok: false });
    expect(check(second, 14)).toMatchObject({ ok: true });
    const inner = (type: string): object => ({ $defs: { a: { $id: "seat", type } }, $ref: "seat" });
    expect(check(inner("string") as AnySchema, "14A")).toMatchObject({ ok: true });
    expect(check(inner("number") as AnySchema, "14A")).toMatchObject({ ok: false });
  });

  it("is compiled once per object", () => {
    const schema = { type: "string" };
    expect(compileSchema(schema, "a")).toBe(compileSchema(schema, "b"));
    expect(compileSchema({ type: "string" }, "a")).not.toBe(compileSchema(schema, "a"));
  });

  it("true accepts all, false nothing", () => {
    expect(check(true, 1)).toEqual({ ok: true, value: 1 });
    expect(check(false, 1)).toMatchObject({ ok: false, issues: [{ path: "$" }] });
  });

  it("tells at most twenty mistakes", () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    expect(issuesOf({ items: { type: "string" } }, numbers)).toHaveLength(20);
  });

  it("fails, and does not throw, for a value that cannot be read or is too deep", () => {
    const trap = new Proxy({}, { get: () => { throw new Error("hunter2"); }, has: () => true });
    expect(check({ required: ["a"] }, trap)).toMatchObject({ ok: false });
    const round: Record<string, unknown> = {};
    round["next"] = round;
    const list = { properties: { next: { $ref: "#" } } };
    expect(check(list, round)).toMatchObject({ ok: false, issues: [{ path: "$" }] });
  });

  it("loads ajv only when the first one is compiled", () => {
    const script = `
      import { createRequire } from "node:module";
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("ajv"));
      const { compileSchema } = await import(${JSON.stringify(new URL("../../src/schema/index.ts", import.meta.url).href)});
      compileSchema(true, "x");
      const before = loaded();
      compileSchema({ type: "string" }, "x");
      console.log(before, loaded());`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(printed.trim()).toBe("false true");
  });
});

describe("a Standard Schema", () => {
  it("gives the transformed value", () => {
    const schema = z.object({ date: z.string().transform((text) => text.length), seats: z.number().default(1) });
    expect(check(schema, { date: "2026-01-01" })).toEqual({ ok: true, value: { date: 10, seats: 1 } });
  });

  it("tells every mistake with its path", () => {
    const schema = z.strictObject({ items: z.array(z.object({ price: z.number() })) });
    expect(check(schema, { items: [{ price: "a" }, {}], more: 1 })).toMatchObject({
      ok: false,
      issues: [
        { path: "$.items[0].price", message: "Invalid input: expected number, received string" },
        { path: "$.items[1].price", message: "Invalid input: expected number, received undefined" },
        { path: "$", message: 'Unrecognized key: "more"' },
      ],
    });
  });

  it("may be asynchronous", async () => {
    const schema = standard((value) => Promise.resolve(value === 1 ? { value: "one" } : { issues: [{ message: "not one" }] }));
    await expect(check(schema, 1)).resolves.toEqual({ ok: true, value: "one" });
    await expect(check(schema, 2)).resolves.toMatchObject({ ok: false, issues: [{ path: "$", message: "not one" }] });
    const refined = z.string().refine((text) => Promise.resolve(text === "FRA"), "is no airport");
    await expect(check(refined, "FRA")).resolves.toEqual({ ok: true, value: "FRA" });
    await expect(check(refined, "XYZ")).resolves.toMatchObject({ ok: false, issues: [{ message: "is no airport" }] });
  });

  it("answers at once where it can", () => {
    expect(check(z.string(), "x")).not.toBeInstanceOf(Promise);
  });

  it("may be a function, and may write steps as objects", () => {
    const schema = Object.assign(() => true, standard(() => ({ issues: [{ message: "bad", path: [{ key: "a" }, 0, "b"] }] })));
    expect(check(schema, {})).toMatchObject({ ok: false, issues: [{ path: "$.a[0].b", message: "bad" }] });
  });

  it.each<[what: string, validate: (value: unknown) => unknown]>([
    ["throws", () => { throw new Error("disk on fire"); }],
    ["rejects", () => Promise.reject(new Error("disk on fire"))],
    ["throws nothing", () => { throw JSON.parse("null") as Error; }],
    ["answers nothing", () => undefined],
    ["answers nothing later", () => Promise.resolve(null)],
    ["answers issues that are not a list", () => ({ issues: "many" })],
    ["answers an empty list of issues", () => ({ issues: [] })],
    ["answers issues of nothing", () => ({ issues: [null, 7, { message: 7, path: 7 }, { path: [null, {}, Symbol("s")] }] })],
    ["answers an issue that cannot be read", () => ({ issues: [new Proxy({}, { get: () => { throw new Error("no"); } })] })],
    ["answers later an issue that cannot be read", () => Promise.resolve({ issues: [new Proxy({}, { get: () => { throw new Error("no"); } })] })],
  ])("fails the value when its code %s", async (_what, validate) => {
    const result = await check(standard(validate), { a: 1 });
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.issues.length).toBeGreaterThan(0);
    for (const { path, message } of result.issues) {
      expect(path).toMatch(/^\$/);
      expect(message).not.toBe("");
    }
  });

  it("says why when its code throws, to operators and not to a model", () => {
    const schema = standard(() => { throw new Error("disk on fire"); });
    const result = check(schema, 1);
    expect(result).toMatchObject({ ok: false, thrown: { fault: { message: "disk on fire" }, error: { message: "disk on fire" } } });
    expect(result).toMatchObject({ issues: [{ path: "$", message: expect.not.stringContaining("disk on fire") as string }] });
  });

  it("tells each mistake once, and at most twenty", () => {
    const same = standard(() => ({ issues: Array.from({ length: 40 }, () => ({ message: "bad" })) }));
    expect(check(same, 1)).toMatchObject({ ok: false, issues: [{ path: "$", message: "bad" }] });
    const many = standard(() => ({ issues: Array.from({ length: 40 }, (_, i) => ({ message: "bad", path: [i] })) }));
    expect(issuesOf(many, [])).toHaveLength(20);
  });
});

describe("a value that is not a schema", () => {
  class OldSchema {
    readonly _def = { type: "string" };
  }

  it.each<[what: string, schema: unknown, says: RegExp]>([
    ["nothing", null, /neither/],
    ["undefined", undefined, /neither/],
    ["text", "string", /neither/],
    ["a list", [{ type: "string" }], /neither/],
    ["a function", () => true, /neither/],
    ["an object of some class", new OldSchema(), /neither/],
    ["a ~standard that cannot validate", Object.assign(new OldSchema(), { "~standard": { version: 1 } }), /neither/],
    ["fields that are schemas", { from: z.string() }, /`from` in it is itself a schema.*z\.object/],
    ["a type there is not", { type: "strnig" }, /schema\/type must be equal to one of the allowed values/],
    ["a reference to nothing", { $ref: "#/$defs/seat" }, /can't resolve reference #\/\$defs\/seat/],
    ["a reference to elsewhere", { $ref: "https://example.com/seat.json" }, /can't resolve reference/],
    ["a pattern that is none", { pattern: "(" }, /Invalid regular expression/],
    ["an unknown dialect", { $schema: "http://json-schema.org/draft-04/schema#" }, /dialect/],
    ["a dialect that is not text", { $schema: 7 }, /dialect/],
    ["an asynchronous JSON Schema", { $async: true, type: "string" }, /\$async/],
  ])("is refused when it is defined: %s", async (_what, schema, says) => {
    const error = await thrownBy(new Promise((resolve) => resolve(compileSchema(schema as AnySchema, WHAT))));
    expect(isFaultError(error)).toBe(true);
    if (!isFaultError(error)) return;
    expect(error.fault.code).toBe("ConfigSchemaViolation");
    expect(error.fault.message).toContain(WHAT);
    expect(error.fault.message).toMatch(says);
  });

  it("includes one that contains itself", () => {
    const round: Record<string, unknown> = { type: "object" };
    round["properties"] = { self: round };
    expect(() => compileSchema(round, WHAT)).toThrow(WHAT);
  });

  it("is not cached as a valid one", () => {
    const schema: Record<string, unknown> = { type: "strnig" };
    expect(() => compileSchema(schema, WHAT)).toThrow();
    schema["type"] = "string";
    expect(compileSchema(schema, WHAT)("x")).toMatchObject({ ok: true });
  });
});
