// The answers that programs and operators post for questions in the journal.

import { fault, FaultError } from "../../core/fault/fault.ts";
import { type Answer, checkAnswer, INTERACTIONS, type Question } from "../../core/flow/interaction.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import { ENDED } from "../../journal/encode.ts";

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

// Writes what a waiting run has to read, and marks the run as due, so that a driver reads it.

/** When the run is due if this process dies between the two writes. */
const SECOND_CHANCE_MS = 10_000;

/**
 * The run is marked twice. The mark after the write wakes it now. The one before it is for the process that dies in between; a driver that
 * came at once would find nothing to read yet, so this one lies in the future.
 */
export async function writeAndWake<T>(journal: Journal, run: string, at: number, write: () => Promise<T>): Promise<T> {
  await wakeRun(journal, run, at + SECOND_CHANCE_MS);
  const written = await write();
  await wakeRun(journal, run, at);
  return written;
}

export async function wakeRun(journal: Journal, run: string, at: number): Promise<void> {
  await journal.keep([{ kind: "wake", key: run, value: at }]);
}
