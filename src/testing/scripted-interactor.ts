// An interactor that answers from a script, for tests and for runs without a person.

import { fault } from "../core/fault/fault.ts";
import { FaultError } from "../core/fault/fault-error.ts";
import type { Answer, InteractionKind, Question } from "../core/flow/interaction.ts";
import type { Interactor } from "../runtime/person/interactor.ts";

/** Given a question, what happens: an answer, now or later, or a throw. */
export type AnswerScript = (question: Question, signal: AbortSignal) => Answer | Promise<Answer>;

/** One line of a script; `silence` says nothing until the question is taken away. */
export type ScriptedAnswer = Answer | "silence" | AnswerScript;

export interface ScriptedInteractor extends Interactor {
  /** The questions it was shown, in order. */
  readonly asked: readonly Question[];
  /** The ids of those that were taken away while it was silent. */
  readonly dismissed: readonly string[];
}

/** A list is used up line by line, and a question beyond its end is a failure; a single function answers everything. */
export function scriptedInteractor(
  name: string,
  answers: readonly ScriptedAnswer[] | AnswerScript,
  kinds?: readonly InteractionKind[],
): ScriptedInteractor {
  const asked: Question[] = [];
  const dismissed: string[] = [];

  async function answer(question: Question, signal: AbortSignal): Promise<Answer> {
    asked.push(question);
    const line = typeof answers === "function" ? answers : answers[asked.length - 1];
    if (line === undefined) {
      const message = `the script of interactor ${name} has no line for question ${asked.length} (${question.id})`;
      throw new FaultError(fault("EngineState", { message }));
    }
    if (typeof line === "function") return line(question, signal);
    if (line !== "silence") return line;
    await dismissalOf(signal);
    dismissed.push(question.id);
    throw signal.reason;
  }

  return { name, asked, dismissed, answer, ...(kinds === undefined ? {} : { kinds }) };
}

function dismissalOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
