// Answers questions: a person at a terminal, a web page or a program.

import type { Answer, InteractionKind, Question } from "../../core/flow/interaction.ts";

/** Someone who can be asked: a terminal, a chat, a dashboard. */
export interface Interactor {
  /** Unique among those attached: it is written down with every answer. */
  readonly name: string;
  /** The kinds it can answer; all when absent. */
  readonly kinds?: readonly InteractionKind[];
  /**
   * Asks, and gives the answer. One question at a time. When `signal` fires, the question is settled: take the prompt
   * away and throw `signal.reason`. An answer of status `timeout` says that this interactor will not answer; the others are still asked.
   */
  answer(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** May be asked this now. */
export function takes(interactor: Interactor, kind: InteractionKind): boolean {
  return interactor.kinds === undefined || interactor.kinds.includes(kind);
}
