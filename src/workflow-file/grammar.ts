// Builds the schema for one particular file: with the names its author chose, and for values with several forms the one that was
// meant. So a mistake is explained against what the author tried to write, not against every possible form.

import { isMap } from "../core/json-fields.ts";
import * as z from "zod";
import type { Grammar } from "../yaml-file/issues.ts";
import { MISTAKES } from "./codes.ts";
import { edge, edgeList, NODE_SCHEMAS, NODE_TYPES, type NodeType, targetOrName } from "./node-schema.ts";
import { agent, input, provider, tool, workflowFileSchema } from "./schema.ts";

export const GRAMMAR: Grammar = {
  schemaFor,
  codes: {
    unknownKey: MISTAKES["unknown-key"].code,
    wrongType: MISTAKES["wrong-type"].code,
    unknownName: MISTAKES["unknown-value"].code,
    outOfRange: MISTAKES["out-of-range"].code,
    missing: MISTAKES["missing"].code,
  },
  rangeHelp: {
    max_attempts: "max_attempts counts all attempts, the first included.",
    max: "max counts how many times the node may be entered in total.",
    turn_cap: "The minimum is 1: the model is asked once.",
    api_key_env: "Write the name of the variable, such as OPENAI_API_KEY; the key itself stays out of the file.",
    base_url: "Write it with http:// or https://.",
    nodes: "Add a node.",
  },
  manyNamesHelp: "`faultline explain --list` lists all fault codes.",
  examples: {
    workflow: 'workflow: { id: hello, version: "1" }',
    nodes: "nodes: { greet: { type: command, run: echo hello } }",
  },
};

function schemaFor(value: unknown): z.ZodType {
  const top = fieldsOf(value);
  const own: Record<string, z.ZodType> = { nodes: keyed(top["nodes"], nodeSchema) };
  if (isMap(top["policy"])) own["policy"] = mapOption(workflowFileSchema.shape.policy);
  for (const [key, item] of OWN_NAMES) if (isMap(top[key])) own[key] = keyed(top[key], () => item);
  return workflowFileSchema.extend(own);
}

const OWN_NAMES = [
  ["inputs", input],
  ["providers", provider],
  ["agents", agent],
  ["tools", tool],
] as const;

/** A strict map with exactly the keys in the file. An empty or absent one reports what it lacks. */
function keyed(held: unknown, schemaOf: (item: unknown) => z.ZodType): z.ZodType {
  return z.strictObject(Object.fromEntries(Object.entries(fieldsOf(held)).map(([key, item]) => [key, schemaOf(item)])));
}

function nodeSchema(node: unknown): z.ZodType {
  const { type, ...fields } = fieldsOf(node);
  if (!isNodeType(type)) return z.looseObject({ type: z.enum(NODE_TYPES) });
  const own: Record<string, z.ZodType> = {};
  for (const key of ["next", "on_failure"]) {
    if (fields[key] !== undefined && key in NODE_SCHEMAS[type].shape) own[key] = formOfEdges(fields[key]);
  }
  if (type === "condition" && isMap(fields["cases"])) own["cases"] = keyed(fields["cases"], () => targetOrName);
  return Object.keys(own).length === 0 ? NODE_SCHEMAS[type] : NODE_SCHEMAS[type].extend(own);
}

function isNodeType(type: unknown): type is NodeType {
  return typeof type === "string" && Object.hasOwn(NODE_SCHEMAS, type);
}

function formOfEdges(value: unknown): z.ZodType {
  if (Array.isArray(value)) return edgeList;
  return isMap(value) ? edge : z.string().min(1);
}

/** The map option of a union. */
function mapOption(schema: z.ZodType): z.ZodType {
  const { def } = schema as {
    readonly def: { readonly innerType?: z.ZodType; readonly options?: readonly z.ZodType[] };
  };
  if (def.innerType !== undefined) return mapOption(def.innerType);
  return def.options?.find((option) => option instanceof z.ZodObject) ?? schema;
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}
