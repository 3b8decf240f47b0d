// Checking values against a user's schema, whatever kind it is: Standard Schema or JSON Schema.

export type { Check, CheckResult, Issue } from "./check.ts";
export { compileSchema, jsonSchemaOf } from "./compile.ts";
export type { AnySchema } from "./compile.ts";
export { schemaFault } from "./fault.ts";
export type { JsonSchema } from "./json-schema.ts";
