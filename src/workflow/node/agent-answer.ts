// The JSON in an agent's answer, held against the schema it was asked for; and the words that ask for it.

import { fault, type Fault } from "../../core/fault/fault.ts";
import { parseJson } from "../../core/try-read.ts";
import { compileSchema, type JsonSchema } from "../../schema/index.ts";

export type ReadAnswer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: Fault };

/** Never throws for an answer, whatever it is. */
export async function readAnswer(text: string, schema: JsonSchema, agent: string): Promise<ReadAnswer> {
  const value = jsonIn(text);
  if (value === undefined) return { ok: false, fault: unfit("the answer is no JSON", agent, 1) };
  const result = await compileSchema(schema, `the output schema of agent ${agent}`)(value);
  if (result.ok) return { ok: true, value };
  const told = result.issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => `${path} ${message}`);
  const message = `the answer does not fit its schema: ${told.join("; ")}`;
  return { ok: false, fault: unfit(message, agent, result.issues.length) };
}

/** More than anybody, or any model, corrects at once. */
const MAX_ISSUES_TOLD = 10;

function unfit(message: string, agent: string, issues: number): Fault {
  return fault("SchemaInvalid", { message, context: { agent, issues } });
}

const FENCE = /```[\w-]*[ \t]*\r?\n([^]*?)\r?\n[ \t]*```/g;

/** The whole text, or the last block in it that is JSON: agents like to say a word before. */
function jsonIn(text: string): unknown {
  const whole = parseJson(text.trim());
  if (whole !== undefined) return whole;
  return Array.from(text.matchAll(FENCE), ([, inside = ""]) => parseJson(inside)).findLast((one) => one !== undefined);
}

/** For whoever cannot be given a schema beside the prompt. */
export function schemaWords(schema: JsonSchema): string {
  return `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema, null, 2)}`;
}
