// The form for an answer, read from its JSON Schema: one field for each property of an object. The schema comes from a tool, perhaps
// of a foreign server, so anything may be in it.

import { parseJson, readField, tryRead } from "../try-read.ts";
import type { AnswerSchema } from "./interaction.ts";

export type FieldType = "text" | "number" | "yes-no" | "choice" | "json";

export interface FormField {
  /** The property; empty when the whole answer is one field. */
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly description: string;
  /** What may be chosen; empty unless it is a choice. */
  readonly choices: readonly (string | number)[];
}

/** A longer form is one field that takes JSON. */
const MAX_FIELDS = 20;
const MAX_CHOICES = 50;

/** At least one field: without a schema that can be read, the answer is one text. */
export function formOf(schema: AnswerSchema | undefined): readonly FormField[] {
  return tryRead(() => readForm(schema), [ANY_TEXT]);
}

const ANY_TEXT: FormField = { name: "", type: "text", required: true, description: "", choices: [] };

function readForm(schema: AnswerSchema | undefined): readonly FormField[] {
  if (schema === undefined) return [ANY_TEXT];
  const properties = readField(schema, "properties");
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  if (names.length === 0 || names.length > MAX_FIELDS) return [fieldOf("", schema, true)];
  const listed = readField(schema, "required");
  const required: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return names.map((name) => fieldOf(name, readField(properties as object, name), required.includes(name)));
}

const TYPES: Readonly<Record<string, FieldType>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "yes-no",
};

function fieldOf(name: string, schema: unknown, required: boolean): FormField {
  const rules = typeof schema === "object" && schema !== null ? schema : {};
  const { type, enum: listed, description } = rules as Readonly<Record<string, unknown>>;
  const choices: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const isChoice = choices.length > 0 && choices.length <= MAX_CHOICES && choices.every(isPlainChoice);
  return {
    name,
    type: isChoice ? "choice" : ((typeof type === "string" ? TYPES[type] : undefined) ?? "json"),
    required,
    description: typeof description === "string" ? description : "",
    choices: isChoice ? choices : [],
  };
}

function isPlainChoice(choice: unknown): choice is string | number {
  return typeof choice === "string" || typeof choice === "number";
}

/** What a person typed into a field, as its value; undefined when it does not fit. */
export function readTyped({ type, choices }: FormField, text: string): unknown {
  return READERS[type](text, choices);
}

const READERS: Readonly<Record<FieldType, (text: string, choices: FormField["choices"]) => unknown>> = {
  "text": (text) => text,
  "number": (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  "yes-no": (text) => (/^(?:true|false)$/.test(text.trim()) ? text.trim() === "true" : undefined),
  "choice": (text, choices) => choices.find((choice) => String(choice) === text.trim()),
  "json": (text) => parseJson(text),
};

/** The answers to the fields as one value. A field that was left out is undefined. */
export function filledIn(fields: readonly FormField[], values: readonly unknown[]): unknown {
  const [first] = fields;
  if (first?.name === "") return values[0];
  const entries = fields.map(({ name }, index) => [name, values[index]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const EXAMPLES: Readonly<Record<FieldType, unknown>> = {
  "text": "…",
  "number": 0,
  "yes-no": false,
  "choice": "…",
  "json": null,
};

/** An answer to copy and correct, with the fields that are required. */
export function exampleOf(schema: AnswerSchema | undefined): string {
  const fields = formOf(schema);
  const [first] = fields;
  if (first?.name === "") return typeof EXAMPLES[first.type] === "string" ? "…" : JSON.stringify(EXAMPLES[first.type]);
  const needed = fields.filter(({ required }) => required);
  const asked = needed.length === 0 ? fields.slice(0, 1) : needed;
  return JSON.stringify(
    filledIn(
      asked,
      asked.map(({ type, choices }) => choices[0] ?? EXAMPLES[type]),
    ),
  );
}
