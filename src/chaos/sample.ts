// Builds a value that fits a JSON Schema, and one that almost does. Supports what agents' schemas use, in JSON Schema spelling
// and in Google's (`"type": "OBJECT"`). `pattern` is not supported: give such a field an example.

import type { Json } from "./wire.ts";

/** Down to this depth a value has all properties; below it only the required ones. */
const FULL_DEPTH = 3;
/** Down to this depth arrays are not empty. */
const LIST_DEPTH = 6;
/** Deeper or larger values are cut off: otherwise a recursive schema would never end. */
const DEEPEST = 64;
const MAX_VALUES = 10_000;

/** The schema being walked. `left` counts down how many values may still be created. */
interface Walk {
  readonly root: unknown;
  left: number;
}

export function sampleOf(schema: unknown): unknown {
  return sample(schema, { root: schema, left: MAX_VALUES }, 0);
}

/** Valid JSON that breaks the schema: a required field is missing, or the whole is of another kind. */
export function brokenSampleOf(schema: unknown): unknown {
  const good = sampleOf(schema);
  if (typeof good === "object" && good !== null && !Array.isArray(good)) {
    const dropped = namesIn(resolved(schema, schema)["required"]).at(-1);
    if (dropped !== undefined) {
      return Object.fromEntries(Object.entries(good).filter(([name]) => name !== dropped));
    }
  }
  return typeof good === "string" ? 42 : "this is not what was asked for";
}

function sample(schema: unknown, walk: Walk, depth: number): unknown {
  if (walk.left-- <= 0 || depth > DEEPEST) return null;
  const rules = resolved(schema, walk.root);
  for (const key of ["const", "default", "example"]) if (rules[key] !== undefined) return rules[key];
  for (const key of ["enum", "examples"]) if (Array.isArray(rules[key]) && rules[key].length > 0) return rules[key][0];
  const branches = rules["anyOf"] ?? rules["oneOf"];
  if (Array.isArray(branches)) {
    const branch = resolved(branchOf(branches, walk, depth), walk.root);
    return sample(merged(without(rules, "anyOf", "oneOf"), branch), walk, depth + 1);
  }
  if (Array.isArray(rules["allOf"])) {
    const parts = rules["allOf"].map((part) => resolved(part, walk.root));
    return sample(parts.reduce(merged, without(rules, "allOf")), walk, depth + 1);
  }
  if (depth > FULL_DEPTH && isNullable(rules)) return null;
  return SAMPLES[typeOf(rules)]?.(rules, walk, depth) ?? null;
}

/** Prefers a branch that is not null. Deep down it takes the branch that ends soonest, because a schema may contain itself. */
function branchOf(branches: readonly unknown[], { root }: Walk, depth: number): unknown {
  if (depth < FULL_DEPTH) return branches.find((one) => typeOf(resolved(one, root)) !== "null") ?? branches[0];
  return branches.toSorted((one, other) => weightOf(one, root) - weightOf(other, root))[0];
}

const WEIGHTS: Readonly<Record<string, number>> = { null: 0, array: 2, object: 3 };

function weightOf(schema: unknown, root: unknown): number {
  const rules = resolved(schema, root);
  const properties = record(rules["properties"]);
  const heavy = namesIn(rules["required"]).filter((name) => !isPlain(resolved(properties[name], root)));
  return (WEIGHTS[typeOf(rules)] ?? 1) + heavy.length;
}

function isPlain(rules: Json): boolean {
  const isChoice = ["anyOf", "oneOf", "allOf"].some((key) => rules[key] !== undefined);
  return !isChoice && WEIGHTS[typeOf(rules)] === undefined;
}

function isNullable({ type, nullable }: Json): boolean {
  return nullable === true || (Array.isArray(type) && type.includes("null"));
}

const SAMPLES: Readonly<Record<string, (rules: Json, walk: Walk, depth: number) => unknown>> = {
  object: (rules, walk, depth) => {
    const required = new Set(namesIn(rules["required"]));
    const properties = Object.entries(record(rules["properties"]));
    const kept = properties.filter(([name]) => required.has(name) || depth < FULL_DEPTH);
    return Object.fromEntries(kept.map(([name, property]) => [name, sample(property, walk, depth + 1)]));
  },
  array: (rules, walk, depth) => {
    if (Array.isArray(rules["prefixItems"])) return rules["prefixItems"].map((item) => sample(item, walk, depth + 1));
    const least = Number(rules["minItems"] ?? (depth > LIST_DEPTH ? 0 : 1));
    const count = Math.min(Number(rules["maxItems"] ?? Infinity), least, 1000);
    return Array.from({ length: count }, () => sample(rules["items"] ?? {}, walk, depth + 1));
  },
  string: (rules) => {
    const text = FORMATS[String(rules["format"])] ?? "sample text";
    const least = Number(rules["minLength"] ?? 0);
    return text.padEnd(Math.min(least, 10_000), ".").slice(0, Number(rules["maxLength"] ?? Infinity));
  },
  number: numberOf,
  integer: (rules) => Math.ceil(numberOf({ ...rules, multipleOf: rules["multipleOf"] ?? 1 })),
  boolean: () => true,
  null: () => null,
};

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  "date": "2026-01-02",
  "time": "03:04:05Z",
  "duration": "PT5M",
  "email": "ada@example.com",
  "uri": "https://example.com/",
  "url": "https://example.com/",
  "uuid": "3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
  "ipv4": "127.0.0.1",
  "ipv6": "::1",
  "hostname": "example.com",
};

function numberOf(rules: Json): number {
  const step = Number(rules["multipleOf"] ?? 1);
  const above = rules["exclusiveMinimum"] === undefined ? -Infinity : Number(rules["exclusiveMinimum"]) + step;
  const below = rules["exclusiveMaximum"] === undefined ? Infinity : Number(rules["exclusiveMaximum"]) - step;
  const least = Math.max(Number(rules["minimum"] ?? -Infinity), above);
  const most = Math.min(Number(rules["maximum"] ?? Infinity), below);
  const wanted = Math.max(least, Math.min(most, step));
  const stepped = Math.ceil(wanted / step) * step;
  return stepped <= most ? stepped : wanted;
}

function without(rules: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(rules).filter(([key]) => !keys.includes(key)));
}

/** Merges two schemas: the properties of both are required. */
function merged(rules: Json, part: Json): Json {
  return {
    ...rules,
    ...part,
    ...(rules["properties"] === undefined && part["properties"] === undefined
      ? {}
      : { properties: { ...record(rules["properties"]), ...record(part["properties"]) } }),
    required: [...namesIn(rules["required"]), ...namesIn(part["required"])],
  };
}

const MAX_HOPS = 12;

/** Follows references, which point into the same schema. */
function resolved(schema: unknown, root: unknown): Json {
  let rules = record(schema);
  for (let hops = 0; typeof rules["$ref"] === "string" && hops < MAX_HOPS; hops++) {
    const steps = rules["$ref"].split("/").slice(1);
    rules = record(steps.reduce<unknown>((held, step) => record(held)[step.replaceAll("~1", "/")], root));
  }
  return rules;
}

function typeOf(rules: Json): string {
  const { type } = rules;
  const named: unknown = Array.isArray(type) ? (type.find((one) => one !== "null") ?? type[0]) : type;
  if (typeof named === "string") return named.toLowerCase();
  if (rules["properties"] !== undefined) return "object";
  return rules["items"] === undefined ? "string" : "array";
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
