// Parses what a person typed into the kind of answer the question takes.

import { exampleOf, formOf, readTyped } from "../core/flow/answer-form.ts";
import type { AnswerSchema } from "../core/flow/interaction.ts";
import { type Answer, INTERACTIONS, type Locale, type Question } from "../core/index.ts";
import { parseJson } from "../core/try-read.ts";
import type { Cli } from "./cli.ts";
import { UsageError } from "./io.ts";
import { JOURNAL_WORDS, type JournalWords } from "./render/words/journal-words.ts";
import { shown } from "./render/values.ts";
import { readInput } from "./read-input.ts";

export type AnswerShape = (typeof INTERACTIONS)[keyof typeof INTERACTIONS]["answer"];

/** The options of a command that answers a question. */
export interface GivenAnswer {
  readonly reject?: string;
  readonly by: string;
}

/** Either an answer or a reason to reject. `example`: a command that gives one. */
export function refuseUnclearAnswer(
  typed: string | undefined,
  reject: string | undefined,
  example: string,
  locale: Locale,
): void {
  const words = JOURNAL_WORDS[locale];
  if (typed === undefined && reject === undefined) throw new UsageError(words.needsAnswer(example));
  if (typed !== undefined && reject !== undefined) throw new UsageError(words.oneAnswer);
}

/** Throws a UsageError that says what the question takes. `-` reads the answer from stdin. */
export async function readAnswer(
  typed: string | undefined,
  reject: string | undefined,
  question: Question,
  cli: Cli,
): Promise<Answer> {
  if (typed === undefined) return { status: "rejected", reason: reject ?? "" };
  return { status: "accepted", value: await valueOf(typed, question, cli) };
}

async function valueOf(typed: string, question: Question, cli: Cli): Promise<unknown> {
  const words = JOURNAL_WORDS[cli.locale];
  const { id, payload } = question;
  if (!Object.hasOwn(INTERACTIONS, payload.kind)) {
    throw new UsageError(words.unknownKind(shown(id), shown(payload.kind)), "failed");
  }
  const { answer: shape, secret } = INTERACTIONS[payload.kind];
  if (secret) throw new UsageError(words.secret);
  const text = typed === "-" ? (await readInput("-", cli, true)).replace(/\r?\n$/, "") : typed;
  return READERS[shape](text, question, words);
}

const YES = /^(?:y|yes|true|是|好)$/i;
const NO = /^(?:n|no|false|否|不)$/i;

const READERS: Readonly<Record<AnswerShape, (text: string, question: Question, words: JournalWords) => unknown>> = {
  "yes-no"(text, { id }, words) {
    if (!YES.test(text.trim()) && !NO.test(text.trim())) throw new UsageError(words.takesYesNo(shown(id)));
    return YES.test(text.trim());
  },
  "option"(text, { id, payload }, words) {
    const options = payload.kind === "Select" ? payload.options : [];
    const chosen = options.find((option) => option.id === text.trim());
    if (chosen !== undefined) return chosen.id;
    const list = options.map((option) => `${shown(option.id)} (${shown(option.label)})`).join(", ");
    throw new UsageError(words.takesOption(shown(id), list));
  },
  // A tool may take an object, so JSON is parsed; any other text is taken literally.
  "json"(text, { id, payload }, words) {
    const schema = payload.kind === "Ask" ? payload.schema : undefined;
    if (schema !== undefined) return readForm(text, id, schema, words);
    if (!/^\s*[{["]/.test(text)) return text;
    const value = parseJson(text);
    if (value === undefined) throw new UsageError(words.takesJson(shown(id)));
    return value;
  },
  "text": (text) => text,
};

/** Reads the object a tool takes, with all required fields. The rest of the schema is checked when the tool is called. */
function readForm(text: string, id: string, schema: AnswerSchema, words: JournalWords): unknown {
  const fields = formOf(schema);
  const [first] = fields;
  const takes = fields.map(({ name, required }) => `${shown(name)}${required ? "" : "?"}`).join(", ");
  const refuse = (): UsageError => new UsageError(words.takesForm(shown(id), takes, shown(exampleOf(schema), 500)));
  if (first?.name === "") {
    const value = readTyped(first, text);
    if (value === undefined) throw refuse();
    return value;
  }
  const value = parseJson(text);
  const given = typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  if (given === null || fields.some(({ name, required }) => required && !Object.hasOwn(given, name))) throw refuse();
  return given;
}
