// Collects an answer field by field, with prompts derived from its schema.

import type * as Clack from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { filledIn, type FormField, formOf, readTyped } from "../../core/flow/answer-form.ts";
import type { QuestionPayload } from "../../core/flow/interaction.ts";
import { nodeUtil } from "../../host/builtin.ts";

export interface PromptOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

export interface FormWords {
  readonly yes: string;
  readonly no: string;
  readonly leaveOut: string;
  readonly optional: string;
  readonly needed: string;
  readonly wants: { readonly number: string; readonly json: string };
  readonly explainsKeys: boolean;
}

type AskPayload = Extract<QuestionPayload, { readonly kind: "Ask" }>;

/** The value the person gave, or clack's mark for a prompt that was closed. */
export async function fillIn(
  clack: typeof Clack,
  { prompt: title, schema, issues = [] }: AskPayload,
  words: FormWords,
  prompt: PromptOptions,
): Promise<unknown> {
  const fields = formOf(schema);
  const wrong = issues.map(({ path, expected }) => `${oneLine(path)} ${oneLine(expected)}`);
  const head = [title, ...wrong].join("\n");
  const values: unknown[] = [];
  for (const [index, field] of fields.entries()) {
    const message = [...(index === 0 ? [head] : []), ...labelOf(field, words)].join("\n");
    const value = await askField(clack, field, message, words, prompt);
    if (clack.isCancel(value)) return value;
    values.push(value);
  }
  return filledIn(fields, values);
}

function labelOf({ name, description, required }: FormField, words: FormWords): readonly string[] {
  if (name === "") return [];
  const about = description === "" ? "" : `: ${oneLine(description)}`;
  return [`${oneLine(name)}${required ? "" : ` ${words.optional}`}${about}`];
}

/** undefined: it was left out. */
async function askField(
  clack: typeof Clack,
  field: FormField,
  message: string,
  words: FormWords,
  prompt: PromptOptions,
): Promise<unknown> {
  const offered = optionsOf(field, words);
  if (offered.length > 0) {
    const options = offered.map(({ label }, index) => ({ value: index, label: oneLine(label) || '""' }));
    const text = promptText(message);
    const chosen = await clack.select({ ...prompt, message: text, options, showInstructions: words.explainsKeys });
    return clack.isCancel(chosen) ? chosen : offered[chosen]?.value;
  }
  const isFree = field.type === "text";
  // Clack wraps the text of a choice along its bar, but not that of a field.
  const barred = promptText(message).replaceAll("\n", `\n${clack.S_BAR}  `);
  const typed = await clack.text({
    ...prompt,
    message: barred,
    // The only field of a question without a schema takes any text, the empty one too.
    validate: (text = "") => (field.name === "" && isFree ? undefined : problemOf(field, text, words)),
  });
  if (clack.isCancel(typed)) return typed;
  const text = (typed as string | undefined) ?? "";
  return text.trim() === "" && !field.required ? undefined : readTyped(field, text);
}

interface Offered {
  readonly value: unknown;
  readonly label: string;
}

/** Empty for a field that is typed. */
function optionsOf({ type, choices, required }: FormField, words: FormWords): readonly Offered[] {
  const isYesNo = type === "yes-no";
  const listed = isYesNo
    ? [
        { value: true, label: words.yes },
        { value: false, label: words.no },
      ]
    : choices.map((choice) => ({ value: choice, label: String(choice) }));
  return listed.length === 0 || required ? listed : [...listed, { value: undefined, label: words.leaveOut }];
}

function problemOf(field: FormField, text: string, words: FormWords): string | undefined {
  if (text.trim() === "") return field.required ? words.needed : undefined;
  if (readTyped(field, text) !== undefined) return undefined;
  return field.type === "number" ? words.wants.number : words.wants.json;
}

// Text from elsewhere, made harmless to show in a prompt.

/** Longer prompts are cut, and say so: a screen must have room for the answer. */
const MAX_CHARS = 2_000;
const MAX_LINES = 20;

/** Control characters, and those that reverse or hide text: they could redraw the prompt as another one. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

export function promptText(text: string): string {
  const whole = nodeUtil().stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(UNSAFE, " ").trim();
  const shown = whole.slice(0, MAX_CHARS).split("\n").slice(0, MAX_LINES).join("\n");
  return shown.length === whole.length ? whole : `${shown}\n… (+${whole.length - shown.length})`;
}

export function oneLine(text: string): string {
  return promptText(text.replace(/\s+/g, " "));
}
