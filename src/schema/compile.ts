// Compiles a user's schema, of any kind, into one function. A value that is not a schema is refused here, when a tool is defined, and not at
// its first call.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { readField, tryRead } from "../core/try-read.ts";
import { type Check, failed } from "./check.ts";
import { invalidSchema } from "./fault.ts";
import { compileJsonSchema, type JsonSchema, type SchemaTimes } from "./json-schema.ts";
import { kindOf } from "./path.ts";
import { standardCheck } from "./standard.ts";

/** A Standard Schema, or a JSON Schema. */
export type AnySchema = StandardSchemaV1 | JsonSchema;

/** `what` appears in the error: "the input of tool flight_search". */
export function compileSchema(schema: AnySchema, what: string, times?: SchemaTimes): Check {
  if (isStandard(schema)) return standardCheck(schema);
  if (typeof schema === "boolean") return schema ? acceptsAll : acceptsNothing;
  if (!isPlainObject(schema)) {
    throw invalidSchema(what, "it is neither a Standard Schema nor a JSON Schema", PASS_A_SCHEMA);
  }
  const inner = Object.keys(schema).find((key) => isStandard(schema[key]));
  if (inner !== undefined) {
    // Read as JSON Schema it would be one without a known keyword, which accepts everything.
    throw invalidSchema(
      what,
      `\`${inner}\` in it is itself a schema`,
      "Wrap the fields into one object schema, with zod: z.object({ … }).",
    );
  }
  return compileJsonSchema(schema, what, times);
}

/** A user's schema as JSON Schema; null when its library cannot write it that way. */
export function jsonSchemaOf(schema: AnySchema): Readonly<Record<string, unknown>> | null {
  if (typeof schema === "boolean") return null;
  if (!isStandard(schema)) return schema;
  // Part of a newer specification, which not every library follows yet.
  const { jsonSchema } = schema["~standard"] as Partial<StandardJSONSchemaV1.Props>;
  // The specification lets it throw for types that JSON Schema does not have.
  return tryRead(() => jsonSchema?.input({ target: "draft-2020-12" }) ?? null, null);
}

const PASS_A_SCHEMA =
  "Pass a schema that has `~standard` with a validate function (zod, valibot, arktype …), or a JSON Schema object.";

const acceptsAll: Check = (value) => ({ ok: true, value });
const acceptsNothing: Check = (value) =>
  failed([{ path: "$", message: "is not allowed: the schema accepts nothing", got: kindOf([], value) }]);

function isStandard(schema: unknown): schema is StandardSchemaV1 {
  // A schema may be a function: arktype's are.
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard = readField(schema, "~standard");
  return typeof standard === "object" && standard !== null && typeof readField(standard, "validate") === "function";
}

/** An instance of a class is not a JSON Schema: an old schema library's object would otherwise accept everything. */
function isPlainObject(schema: unknown): schema is Readonly<Record<string, unknown>> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return false;
  const prototype: unknown = Object.getPrototypeOf(schema);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
