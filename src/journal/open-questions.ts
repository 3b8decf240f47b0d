// The questions that a journal keeps open, and who answered them. An imported file may hold anything, so each value is looked at before
// it counts as a question.

import type { Question } from "../core/flow/interaction.ts";
import { defined } from "../core/defined.ts";
import { objectOf } from "../core/json-fields.ts";
import type { Journal, Timed } from "./journal.ts";
import { tagOf } from "./keep-kinds.ts";

export interface OpenQuestion extends Question {
  /** Who answered it; null while it is open. An answered question stays listed until its session reads the answer. */
  readonly by: string | null;
}

export interface QuestionsQuery {
  readonly limit: number;
  /** Only questions of this session. */
  readonly session?: string;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<Timed, "at" | "key">;
}

export interface QuestionsPage {
  readonly questions: readonly OpenQuestion[];
  /** How many values of the page are not questions. */
  readonly unreadable: number;
  /** Where the next page starts; null at the end. */
  readonly next: Pick<Timed, "at" | "key"> | null;
}

/** A page of questions, oldest first. */
export async function questionsPage(journal: Journal, query: QuestionsQuery): Promise<QuestionsPage> {
  const { limit } = query;
  const page = await readPage(journal, query);
  const answers = await Promise.all(page.map(({ key }) => journal.kept("answer", key)));
  const questions = page.flatMap(({ key, value }, index) => openQuestion(key, value, answers[index]) ?? []);
  const last = page.at(-1);
  const next = last === undefined || page.length < limit ? null : { at: last.at, key: last.key };
  return { questions, unreadable: page.length - questions.length, next };
}

function readPage(journal: Journal, { limit, session, after }: QuestionsQuery): Promise<readonly Timed[]> {
  return journal.keptByTime("question", {
    order: "oldest",
    limit,
    ...(session === undefined ? {} : { tags: [tagOf("session", session)] }),
    ...defined({ after }),
  });
}

const PAGE = 500;

export interface QuestionsFilter {
  readonly session?: string;
  readonly limit?: number;
  /** Only those after this one. */
  readonly after?: Pick<Question, "id" | "askedAt">;
}

/** What programs get: the questions without who answered them, oldest first. */
export async function listQuestions(
  journal: Journal,
  { session, limit = Infinity, after }: QuestionsFilter,
): Promise<readonly Question[]> {
  const found: Question[] = [];
  let last = after === undefined ? undefined : { at: after.askedAt, key: after.id };
  while (found.length < limit) {
    const most = Math.min(limit - found.length, PAGE);
    const page = await readPage(journal, { limit: most, ...defined({ session, after: last }) });
    found.push(...page.map(({ value }) => value as Question));
    last = page.at(-1);
    if (page.length < most) break;
  }
  return found;
}

/** All of them, oldest first. */
export async function openQuestions(
  journal: Journal,
): Promise<{ readonly questions: readonly OpenQuestion[]; readonly unreadable: number }> {
  const questions: OpenQuestion[] = [];
  let unreadable = 0;
  for (let after: QuestionsPage["next"] = null; ;) {
    const page: QuestionsPage = await questionsPage(journal, { limit: PAGE, ...(after === null ? {} : { after }) });
    questions.push(...page.questions);
    unreadable += page.unreadable;
    if (page.next === null) return { questions, unreadable };
    after = page.next;
  }
}

/** null when there is no such question. */
export async function findQuestion(journal: Journal, id: string): Promise<OpenQuestion | null> {
  const [value, answer] = await Promise.all([journal.kept("question", id), journal.kept("answer", id)]);
  return openQuestion(id, value, answer);
}

function openQuestion(id: string, value: unknown, answer: unknown): OpenQuestion | null {
  const question = readQuestion(value);
  const isAnswered = answer !== null && answer !== undefined;
  return question === null ? null : { ...question, id, by: isAnswered ? answererOf(answer) : null };
}

export function answererOf(answer: unknown): string {
  const by = objectOf(answer)?.["by"];
  return typeof by === "string" ? by : "?";
}

/** null when the value is not a question. */
export function readQuestion(value: unknown): Question | null {
  const fields = objectOf(value) ?? {};
  const payload = objectOf(fields["payload"]) ?? {};
  const { kind, prompt, options } = payload;
  const isWhole =
    typeof fields["session"] === "string" &&
    Number.isFinite(fields["askedAt"]) &&
    Number.isFinite(fields["expiresAt"]) &&
    typeof kind === "string" &&
    typeof prompt === "string" &&
    (kind !== "Select" || (Array.isArray(options) && options.every((option) => objectOf(option) !== null)));
  return isWhole ? (value as Question) : null;
}
