// Parses the JSON in an agent's answer and checks it against the requested schema; also writes the prompt text that requests it.

import { fault, type Fault } from "../../core/fault/fault.ts";
import { parseJson } from "../../core/try-read.ts";
import { schemaVerdict } from "../../provider/model/tally.ts";
import type { JsonSchema } from "../../schema/index.ts";

export type ReadAnswer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: Fault };

/** Returns a fault for an invalid answer; never throws for one. */
export async function readAnswer(text: string, schema: JsonSchema, agent: string): Promise<ReadAnswer> {
  const value = jsonIn(text);
  const wrong = value === undefined ? noJson(agent) : await schemaVerdict(value, schema, { agent });
  return wrong === null ? { ok: true, value } : { ok: false, fault: wrong };
}

function noJson(agent: string): Fault {
  return fault("SchemaInvalid", { message: "the answer is not valid JSON", context: { agent, issues: 1 } });
}

const FENCE = /```[\w-]*[ \t]*\r?\n([^]*?)\r?\n[ \t]*```/g;

/** The whole text, or the last JSON block in it: agents often write some prose first. */
function jsonIn(text: string): unknown {
  const whole = parseJson(text.trim());
  if (whole !== undefined) return whole;
  return Array.from(text.matchAll(FENCE), ([, inside = ""]) => parseJson(inside)).findLast((one) => one !== undefined);
}

/** For targets that take no schema besides the prompt. */
export function schemaWords(schema: JsonSchema): string {
  return `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema, null, 2)}`;
}
