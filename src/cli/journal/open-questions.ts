// The readable questions of a journal, and who answered them.

import type { Question } from "../../core/index.ts";
import type { Journal, Timed } from "../../journal/journal.ts";
import { fieldsOf } from "../render/values.ts";

export interface OpenQuestion extends Question {
  /** Who answered it; null while it is open. An answered question stays listed until its session reads the answer. */
  readonly by: string | null;
}

/** Oldest first. Answers are looked up one by one: a journal keeps the answers of every session that has not continued yet. */
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

/** null when the value is not a question: an imported file may hold anything. */
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
