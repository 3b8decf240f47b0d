// `faultline journal questions` and `answer`: what waits for a person, and the person's answer. The first answer counts.

import { type Answer, INTERACTIONS, type Locale, type Question, SHAPE_REDACTOR } from "../../core/index.ts";
import { parseJson } from "../../core/tolerate.ts";
import { createRuntime } from "../../runtime/runtime.ts";
import { type Io, type Paint, paintFor, UsageError } from "../io.ts";
import { JOURNAL_WORDS, type JournalWords } from "../journal-words.ts";
import type { GlobalOptions } from "../options.ts";
import { readInput } from "../read-input.ts";
import { safeJson, shellWord } from "../safe-text.ts";
import { wrapped } from "../table.ts";
import { sentences } from "../words.ts";
import { answererOf, type OpenQuestion, openQuestions, readQuestion } from "./open-questions.ts";
import { minuteOf, shown } from "./show-values.ts";
import { withJournal } from "./with-journal.ts";

export async function listQuestions(file: string, io: Io, { json, locale, color }: GlobalOptions): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  const { questions, unreadable } = await withJournal({ file, io, locale }, openQuestions);
  if (unreadable > 0) await io.stderr.write(`${words.badQuestions(unreadable)}\n`);
  if (json) return io.stdout.write(`${safeJson(questions.map(SHAPE_REDACTOR.value))}\n`);
  if (questions.length === 0) return io.stderr.write(`${words.noQuestions}\n`);
  const paint = paintFor(io.stdout, io.env, color);
  for (const [index, question] of questions.entries()) {
    const lines = questionLines(question, file, io, paint, words);
    await io.stdout.write(`${index === 0 ? "" : "\n"}${lines.join("\n")}\n`);
  }
}

function questionLines(
  question: OpenQuestion,
  file: string,
  io: Io,
  paint: Paint,
  words: JournalWords,
): readonly string[] {
  const { id, session, payload, expiresAt, by } = question;
  const until = `${minuteOf(expiresAt)} UTC`;
  const state =
    by !== null
      ? words.isAnswered(shown(by))
      : io.clock.now() >= expiresAt
        ? words.isOver(until)
        : words.answerBy(until);
  const options = payload.kind === "Select" ? payload.options : [];
  const device = payload.kind === "Auth.DeviceCode" ? payload : null;
  const answers = options.length > 0 ? options.map((option) => shown(option.id)).join("|") : answerHint(payload.kind);
  return [
    `${paint("bold", shown(id))}  ${shown(payload.kind)}  ${words.session} ${shown(session)}  ${paint("dim", state)}`,
    ...wrapped(shown(payload.prompt, 2_000), io.stdout.columns - 2).map((line) => `  ${line}`),
    ...(device === null
      ? []
      : [`    ${words.open(shown(device.url, 2_000))}`, `    ${words.enter(shown(device.code))}`]),
    ...options.map((option) => `    ${shown(option.id)}  ${paint("dim", shown(option.label))}`),
    ...(by === null
      ? [`  ${paint("dim", "$")} faultline journal answer ${shellWord(file)} ${shellWord(id)} ${paint("dim", answers)}`]
      : []),
  ];
}

type AnswerShape = (typeof INTERACTIONS)[keyof typeof INTERACTIONS]["answer"];

const HINTS: Readonly<Record<AnswerShape, string>> = {
  "yes-no": "yes|no",
  "option": "…",
  "json": "'…'",
  "text": "-",
};

function answerHint(kind: Question["payload"]["kind"]): string {
  if (!Object.hasOwn(INTERACTIONS, kind)) return "…";
  const { answer, secret } = INTERACTIONS[kind];
  // What is answered from here is written down, and a secret must not be.
  return secret ? "--reject '…'" : HINTS[answer];
}

export interface AnswerOptions {
  /** What was typed; null when `reject` says why not. */
  readonly typed: string | null;
  readonly reject: string | null;
  readonly by: string;
}

export async function answerQuestion(
  file: string,
  id: string,
  { typed, reject, by }: AnswerOptions,
  io: Io,
  { json, locale, color }: GlobalOptions,
): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  const name = shown(id);
  if (typed === null && reject === null) throw new UsageError(words.needsAnswer(name));
  if (typed !== null && reject !== null) throw new UsageError(words.oneAnswer);
  const session = await withJournal({ file, io, locale }, async (journal) => {
    const list = `faultline journal questions ${shellWord(file)}`;
    const question = readQuestion(await journal.kept("question", id));
    if (question === null) throw new UsageError(words.noQuestion(name, list));
    const answer: Answer =
      typed === null
        ? { status: "rejected", reason: reject ?? "" }
        : await readTyped(typed, { ...question, id }, io, locale);
    const isFirst = await createRuntime({ journal, clock: io.clock }).answer(id, answer, by);
    if (!isFirst) throw answeredBefore(name, await journal.kept("answer", id), locale);
    return question.session;
  });
  if (json) return io.stdout.write(`${safeJson(SHAPE_REDACTOR.value({ question: id, session, by }))}\n`);
  const mark = paintFor(io.stdout, io.env, color)("green", "✓");
  await io.stdout.write(
    `${mark} ${words.answerIs(name)}\n${sentences(locale, words.next, words.goOn(shown(session)))}\n`,
  );
}

function answeredBefore(name: string, answer: unknown, locale: Locale): UsageError {
  return new UsageError(JOURNAL_WORDS[locale].wasFirst(name, shown(answererOf(answer))), "failed");
}

/** What a person typed, as the answer the question takes. */
async function readTyped(typed: string, question: Question, io: Io, locale: Locale): Promise<Answer> {
  const words = JOURNAL_WORDS[locale];
  const { id, payload } = question;
  if (!Object.hasOwn(INTERACTIONS, payload.kind)) {
    throw new UsageError(words.unknownKind(shown(id), shown(payload.kind)), "failed");
  }
  const { answer: shape, secret } = INTERACTIONS[payload.kind];
  if (secret) throw new UsageError(words.secret);
  const text = typed === "-" ? (await readInput("-", io, true)).replace(/\r?\n$/, "") : typed;
  return { status: "accepted", value: READERS[shape](text, question, words) };
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
  // A tool may take an object, so JSON must be possible; any other text is meant as it stands.
  "json"(text, { id }, words) {
    if (!/^\s*[{["]/.test(text)) return text;
    const value = parseJson(text);
    if (value === undefined) throw new UsageError(words.takesJson(shown(id)));
    return value;
  },
  "text": (text) => text,
};
