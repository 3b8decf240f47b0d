// `faultline journal questions` and `answer`: lists open questions and answers them. The first answer counts.

import { INTERACTIONS, type Locale, type Question, SHAPE_REDACTOR } from "../../core/index.ts";
import { exampleOf } from "../../core/flow/answer-form.ts";
import { endOf } from "../../core/flow/interaction.ts";
import type { Journal } from "../../journal/journal.ts";
import { createRuntime } from "../../runtime/runtime.ts";
import type { Cli } from "../cli.ts";
import { formLines } from "../render/form-lines.ts";
import { UsageError } from "../io.ts";
import { JOURNAL_WORDS, type JournalWords } from "../render/words/journal-words.ts";
import { type AnswerShape, type GivenAnswer, readAnswer, refuseUnclearAnswer } from "../read-answer.ts";
import { commandLine } from "../render/program-name.ts";
import { safeJson } from "../render/safe-text.ts";
import { wrapped } from "../render/table.ts";
import { sentences } from "../render/words/cli-words.ts";
import { answererOf, type OpenQuestion, openQuestions, readQuestion } from "../../journal/open-questions.ts";
import { minuteOf, shown } from "../render/values.ts";
import { lookAtJournal, withJournal } from "./with-journal.ts";

export async function listQuestions(file: string, cli: Cli): Promise<void> {
  const { json, locale } = cli;
  const words = JOURNAL_WORDS[locale];
  const { questions, unreadable, answered } = await lookAtJournal(file, cli, async (journal) => {
    const found = await openQuestions(journal);
    return {
      questions: found.questions.filter(({ by }) => by === null),
      unreadable: found.unreadable,
      answered: await Promise.all(found.questions.map((one) => answeredLine(journal, one, file, locale))),
    };
  });
  if (unreadable > 0) await cli.stderr.write(`${words.badQuestions(unreadable)}\n`);
  if (!json) for (const line of answered) await cli.stderr.write(line);
  if (json) return cli.stdout.write(`${safeJson(questions.map(questionJson))}\n`);
  if (questions.length === 0) return cli.stderr.write(`${words.noQuestions}\n`);
  for (const [index, question] of questions.entries()) {
    const lines = questionLines(question, file, cli);
    await cli.stdout.write(`${index === 0 ? "" : "\n"}${lines.join("\n")}\n`);
  }
}

/** Empty while the question is open. */
async function answeredLine(
  journal: Journal,
  { id, session, by }: OpenQuestion,
  file: string,
  locale: Locale,
): Promise<string> {
  if (by === null) return "";
  const words = JOURNAL_WORDS[locale];
  const next = await nextAfterAnswer(journal, session, file, words);
  return `${sentences(locale, words.isAnswered(shown(id), shown(by)), words.next, next)}\n`;
}

/** How the session continues with its answer: `workflow resume` resumes a run, and its own program resumes any other session. */
async function nextAfterAnswer(journal: Journal, session: string, file: string, words: JournalWords): Promise<string> {
  const run = (await journal.kept("run", session)) ?? null;
  return run === null ? words.continues(shown(session)) : commandLine("workflow", "resume", session, "--journal", file);
}

function questionJson(question: OpenQuestion): unknown {
  return SHAPE_REDACTOR.value({ ...question, expiresAt: endOf(question) });
}

function questionLines(question: OpenQuestion, file: string, cli: Cli): readonly string[] {
  const { locale, paint } = cli;
  const words = JOURNAL_WORDS[locale];
  const { id, session, payload } = question;
  const state = timeLeft(question, cli.clock.now(), words);
  const options = payload.kind === "Select" ? payload.options : [];
  const device = payload.kind === "Auth.DeviceCode" ? payload : null;
  const answers = options.length > 0 ? options.map((option) => shown(option.id)).join("|") : answerHint(payload);
  return [
    `${paint("bold", shown(id))}  ${shown(payload.kind)}  ${words.session} ${shown(session)}  ${paint("dim", state)}`,
    ...wrapped(shown(payload.prompt, 2_000), cli.stdout.columns - 2).map((line) => `  ${line}`),
    ...(device === null
      ? []
      : [`    ${words.open(shown(device.url, 2_000))}`, `    ${words.enter(shown(device.code))}`]),
    ...formLines(payload, paint).map((line) => `    ${line}`),
    ...options.map((option) => `    ${shown(option.id)}  ${paint("dim", shown(option.label))}`),
    `  ${paint("dim", "$")} ${commandLine("journal", "answer", file, id)} ${paint("dim", answers)}`,
  ];
}

function timeLeft(question: Question, now: number, words: JournalWords): string {
  const endsAt = endOf(question);
  if (endsAt === null) return words.noEnd;
  const until = `${minuteOf(endsAt)} UTC`;
  return now >= endsAt ? words.isOver(until) : words.answerBy(until);
}

const HINTS: Readonly<Record<AnswerShape, string>> = {
  "yes-no": "yes|no",
  "option": "…",
  "json": "'…'",
  "text": "-",
};

function answerHint(payload: Question["payload"]): string {
  const { kind } = payload;
  if (!Object.hasOwn(INTERACTIONS, kind)) return "…";
  const { answer, secret } = INTERACTIONS[kind];
  // Answers given here are recorded, and a secret must not be.
  if (payload.kind === "Ask") return `'${shown(exampleOf(payload.schema), 500)}'`;
  return secret ? "--reject '…'" : HINTS[answer];
}

export async function answerQuestion(
  file: string,
  id: string,
  typed: string | undefined,
  { reject, by }: GivenAnswer,
  cli: Cli,
): Promise<void> {
  const { json, locale, paint } = cli;
  const words = JOURNAL_WORDS[locale];
  const name = shown(id);
  refuseUnclearAnswer(typed, reject, commandLine("journal", "answer", file, id, "…"), locale);
  const { session, next } = await withJournal(file, cli, async (journal) => {
    const list = commandLine("journal", "questions", file);
    const question = readQuestion(await journal.kept("question", id));
    if (question === null) throw new UsageError(words.noQuestion(name, list));
    const answer = await readAnswer(typed, reject, { ...question, id }, cli);
    const isFirst = await createRuntime({ journal, clock: cli.clock }).answer(id, answer, by);
    const following = await nextAfterAnswer(journal, question.session, file, words);
    if (!isFirst) throw answeredBefore(name, await journal.kept("answer", id), following, locale);
    return { session: question.session, next: following };
  });
  if (json) return cli.stdout.write(`${safeJson(SHAPE_REDACTOR.value({ question: id, session, by }))}\n`);
  await cli.stdout.write(`${paint("green", "✓")} ${words.answerIs(name)}\n${sentences(locale, words.next, next)}\n`);
}

function answeredBefore(name: string, answer: unknown, next: string, locale: Locale): UsageError {
  const words = JOURNAL_WORDS[locale];
  return new UsageError(sentences(locale, words.wasFirst(name, shown(answererOf(answer))), words.next, next), "failed");
}
