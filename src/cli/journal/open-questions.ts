// The questions a journal holds, as far as they can be read, and who has answered them.

import type { Question } from "../../core/index.ts";
import type { Journal, Timed } from "../../journal/journal.ts";
import { fieldsOf } from "../render/values.ts";

export interface OpenQuestion extends Question {
  /** Who answered it; null while nobody has. It stays until its session takes the answer up. */
  readonly by: string | null;
}

/** The oldest first. Answers are looked up one by one: a journal keeps those of every session that has not gone on. */
export async function openQuestions(
  journal: Journal,
): Promise<{ readonly questions: readonly OpenQuestion[]; readonly unreadable: number }> {
  const questions: OpenQuestion[] = [];
  let unreadable = 0;
  for (let after: Timed | undefined; ;) {
    const page = await journal.keptByTime("question", {
      order: "oldest",
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    const answers = await Promise.all(page.map(({ key }) => journal.kept("answer", key)));
    for (const [index, { key, value }] of page.entries()) {
      const question = readQuestion(value);
      const answer = answers[index] ?? null;
      if (question === null) unreadable++;
      else questions.push({ ...question, id: key, by: answer === null ? null : answererOf(answer) });
    }
    after = page.at(-1);
    if (page.length < PAGE) return { questions, unreadable };
  }
}

const PAGE = 500;

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
