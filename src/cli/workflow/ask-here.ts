// Asks a run's question at this terminal until it is answered here, answered elsewhere, or expires.

import { classify, type Question, traitsOf } from "../../core/index.ts";
import type { Interactor } from "../../runtime/person/interactors.ts";
import type { RunCommandDeps } from "../runs/run-deps.ts";

export type AskHereEnd =
  | "settled" // it was answered, or can no longer be answered
  | "closed"; // the person closed the prompt

const LOOK_EVERY_MS = 500;

export async function askHere(
  { workflows, clock }: RunCommandDeps,
  question: Question,
  interactor: Interactor,
  stop: AbortSignal,
  until: number | null,
): Promise<AskHereEnd> {
  const { journal, runs } = workflows;
  const dismissal = new AbortController();
  const dismiss = (): void => dismissal.abort(new DOMException("the question is settled", "AbortError"));
  let disarm: () => void = () => undefined;
  const look = (): void => {
    disarm = clock.after(LOOK_EVERY_MS, () => {
      if (until !== null && clock.now() >= until) return dismiss();
      journal.kept("answer", question.id).then(
        (answer) => (answer === null || answer === undefined ? look() : dismiss()),
        (error: unknown) => {
          // A store that does not answer now may answer at the next look; until then the prompt stays open.
          const { retryable } = traitsOf(classify({ surface: "store", error, observedAt: clock.now() }).code);
          if (retryable) look();
          else dismiss();
        },
      );
    });
  };
  stop.addEventListener("abort", dismiss);
  look();
  try {
    const answer = await interactor.answer(question, dismissal.signal);
    // A prompt that was closed without an answer leaves the run unchanged.
    if (answer.status !== "accepted") return "closed";
    await runs.answer(question.id, answer, interactor.name);
    return "settled";
  } catch (error) {
    const seen = classify({ surface: "node", error, observedAt: clock.now() });
    if (dismissal.signal.aborted && traitsOf(seen.code).cancels) return stop.aborted ? "closed" : "settled";
    throw error;
  } finally {
    disarm();
    stop.removeEventListener("abort", dismiss);
  }
}
