// A value that fits a JSON Schema, made by walking it, and one that almost does. Understands what agents' schemas use, in the
// spelling of JSON Schema and in Google's (`"type": "OBJECT"`); a `pattern` is beyond it, so give such a field an example.

import type { Json } from "./wire.ts";

const DEEPEST = 12;

export function sampleOf(schema: unknown): unknown {
  return sample(schema, schema, 0);
}

/** Valid JSON that breaks the schema: a required field is missing, or the whole is of another kind. */
export function brokenSampleOf(schema: unknown): unknown {
  const good = sampleOf(schema);
  if (typeof good === "object" && good !== null && !Array.isArray(good)) {
    const required = resolved(schema, schema)["required"];
    const dropped = Array.isArray(required) ? String(required.at(-1)) : undefined;
    if (dropped !== undefined) {
      return Object.fromEntries(Object.entries(good).filter(([name]) => name !== dropped));
    }
  }
  return typeof good === "string" ? 42 : "this is not what was asked for";
}

function sample(schema: unknown, root: unknown, depth: number): unknown {
  const rules = resolved(schema, root);
  for (const key of ["const", "default", "example"]) if (rules[key] !== undefined) return rules[key];
  for (const key of ["enum", "examples"]) if (Array.isArray(rules[key]) && rules[key].length > 0) return rules[key][0];
  const branch = rules["anyOf"] ?? rules["oneOf"];
  if (Array.isArray(branch)) {
    const chosen: unknown = branch.find((one) => typeOf(resolved(one, root)) !== "null") ?? branch[0];
    return sample(chosen, root, depth + 1);
  }
  if (Array.isArray(rules["allOf"])) return mergedSample(rules, rules["allOf"], root, depth);
  if (depth > DEEPEST) return null;
  return SAMPLES[typeOf(rules)]?.(rules, root, depth) ?? null;
}

const SAMPLES: Readonly<Record<string, (rules: Json, root: unknown, depth: number) => unknown>> = {
  object: (rules, root, depth) => {
    const required = new Set(Array.isArray(rules["required"]) ? rules["required"].map(String) : []);
    const properties = Object.entries(record(rules["properties"]));
    // Below a few levels only what must be there, because a schema may contain itself.
    const kept = properties.filter(([name]) => required.has(name) || depth < DEEPEST / 4);
    return Object.fromEntries(kept.map(([name, property]) => [name, sample(property, root, depth + 1)]));
  },
  array: (rules, root, depth) => {
    if (Array.isArray(rules["prefixItems"])) return rules["prefixItems"].map((item) => sample(item, root, depth + 1));
    const least = Number(rules["minItems"] ?? 1);
    const count = Math.min(
      Number(rules["maxItems"] ?? Infinity),
      depth > DEEPEST / 2 ? Number(rules["minItems"] ?? 0) : least,
    );
    return Array.from({ length: Math.min(count, 1000) }, () => sample(rules["items"] ?? {}, root, depth + 1));
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

function mergedSample(rules: Json, parts: readonly unknown[], root: unknown, depth: number): unknown {
  const rest = Object.fromEntries(Object.entries(rules).filter(([key]) => key !== "allOf"));
  const values = [rest, ...parts].map((part) => sample(part, root, depth + 1));
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  return objects.length === 0 ? values.find((value) => value !== null) : Object.assign({}, ...objects);
}

/** References lead to other places of the same schema. */
function resolved(schema: unknown, root: unknown): Json {
  let rules = record(schema);
  for (let hops = 0; typeof rules["$ref"] === "string" && hops < DEEPEST; hops++) {
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

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
