// Questions that wait in the journal, and the answers that programs and operators post for them.

import { fault, FaultError } from "../../core/fault/fault.ts";
import { type Answer, checkAnswer, INTERACTIONS, type Question } from "../../core/flow/interaction.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import { ENDED } from "../../journal/encode.ts";
import { writeAndWake } from "./write-and-wake.ts";

export interface QuestionsFilter {
  readonly session?: string;
  readonly limit?: number;
  /** Only those after this one. */
  readonly after?: Pick<Question, "id" | "askedAt">;
}

const QUESTIONS_A_PAGE = 500;

/** The oldest first. */
export async function openQuestions(
  journal: Journal,
  { session, limit = Infinity, after }: QuestionsFilter,
): Promise<readonly Question[]> {
  const found: Question[] = [];
  let last = after === undefined ? undefined : { at: after.askedAt, key: after.id };
  while (found.length < limit) {
    const pageLimit = Math.min(limit - found.length, QUESTIONS_A_PAGE);
    const page = await journal.keptByTime("question", {
      order: "oldest",
      limit: pageLimit,
      ...(session === undefined ? {} : { tags: [`session:${session}`] }),
      ...(last === undefined ? {} : { after: last }),
    });
    found.push(...page.map(({ value }) => value as Question));
    last = page.at(-1);
    if (page.length < pageLimit) break;
  }
  return found;
}

interface AnswerDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Wakes a call of this process that waits for the answer. */
  readonly wake: () => void;
}

/** False when another answer was first. */
export async function postAnswer(
  { journal, clock, wake }: AnswerDeps,
  id: string,
  answer: Answer,
  by: string,
): Promise<boolean> {
  const question = (await journal.kept("question", id)) as Question | null | undefined;
  if (question === undefined || question === null) {
    const message = `there is no open question ${id}; it may have been answered`;
    throw new FaultError(fault("NotFound", { message, context: { question: id } }));
  }
  const checked = checkAnswer(question, answer);
  if (!("status" in checked)) throw new FaultError(checked);
  if (checked.status === "accepted" && INTERACTIONS[question.payload.kind].secret) {
    // A posted answer is stored, and a secret must not be.
    const message = `question ${id} asks for a secret; it can only be answered where it was asked`;
    throw new FaultError(fault("Forbidden", { message, context: { question: id } }));
  }
  const write = async (): Promise<boolean> => {
    const isFirst = await journal.keepFirst({ kind: "answer", key: id, value: { answer: checked, by } });
    if (isFirst) wake();
    return isFirst;
  };
  // A workflow run that waits for an answer is not in memory, so an answer also marks the run as due.
  const isWaiting = await isOpenRun(journal, question.session);
  return isWaiting ? writeAndWake(journal, question.session, clock.now(), write) : write();
}

async function isOpenRun(journal: Journal, session: string): Promise<boolean> {
  if ((await journal.kept("run", session)) === null) return false;
  const status = (await journal.session(session))?.status;
  return status !== undefined && !ENDED.includes(status);
}
