// The questions a journal holds, as far as they can be read, and who has answered them.

import type { Question } from "../../core/index.ts";
import type { Journal } from "../../journal/journal.ts";
import { fieldsOf } from "./show-values.ts";

export interface OpenQuestion extends Question {
  /** Who answered it; null while nobody has. It stays until its session takes the answer up. */
  readonly by: string | null;
}

export async function openQuestions(
  journal: Journal,
): Promise<{ readonly questions: readonly OpenQuestion[]; readonly unreadable: number }> {
  const [kept, answers] = await Promise.all([journal.keptAll("question"), journal.keptAll("answer")]);
  const answered = new Map(answers.map(({ key, value }) => [key, answererOf(value)]));
  const questions = kept.flatMap(({ key, value }) => {
    const question = readQuestion(value);
    return question === null ? [] : [{ ...question, id: key, by: answered.get(key) ?? null }];
  });
  return {
    questions: questions.toSorted((a, b) => a.askedAt - b.askedAt),
    unreadable: kept.length - questions.length,
  };
}

export function answererOf(answer: unknown): string {
  const by = fieldsOf(answer)?.["by"];
  return typeof by === "string" ? by : "?";
}

/** null for what is no question: an imported file may hold anything. */
export function readQuestion(value: unknown): Question | null {
  const fields = fieldsOf(value) ?? {};
  const payload = fieldsOf(fields["payload"]) ?? {};
  const { kind, prompt, options } = payload;
  const isWhole =
    typeof fields["session"] === "string" &&
    Number.isFinite(fields["askedAt"]) &&
    Number.isFinite(fields["expiresAt"]) &&
    typeof kind === "string" &&
    typeof prompt === "string" &&
    (kind !== "Select" || (Array.isArray(options) && options.every((option) => fieldsOf(option) !== null)));
  return isWhole ? (value as Question) : null;
}
