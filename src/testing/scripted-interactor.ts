// An interactor that answers from a script, for tests and for runs without a person.

import { fault, FaultError } from "../core/fault/fault.ts";
import type { Answer, InteractionKind, Question } from "../core/flow/interaction.ts";
import type { Interactor } from "../runtime/person/interactors.ts";

/** Handles a question: returns an answer, now or later, or throws. */
export type AnswerScript = (question: Question, signal: AbortSignal) => Answer | Promise<Answer>;

/** One line of a script; `silence` gives no answer until the question is dismissed. */
export type ScriptedAnswer = Answer | "silence" | AnswerScript;

export interface ScriptedInteractor extends Interactor {
  /** The questions it was shown, in order. */
  readonly asked: readonly Question[];
  /** The ids of the questions that were dismissed while it was silent. */
  readonly dismissed: readonly string[];
}

/** A list is used line by line, and a question beyond its end fails. A single function answers every question. */
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
