// Asks the person at this terminal what a run asks, until somebody has answered: here, elsewhere, or the clock.

import { classify, type Question } from "../../core/index.ts";
import { traitsOf } from "../../core/index.ts";
import type { Interactor } from "../../runtime/person/interactor.ts";
import type { RunCommandDeps } from "../runs/run-home.ts";

export type AskHereEnd =
  | "settled" // there is an answer, or none can come any more
  | "closed"; // the person wants to leave

const LOOK_EVERY_MS = 500;

export async function askHere(
  { workflows, io }: RunCommandDeps,
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
    disarm = io.clock.after(LOOK_EVERY_MS, () => {
      if (until !== null && io.clock.now() >= until) return dismiss();
      journal.kept("answer", question.id).then(
        (answer) => (answer === null || answer === undefined ? look() : dismiss()),
        (error: unknown) => {
          // The next look may work; the prompt stays up meanwhile.
          classify({ surface: "store", error, observedAt: io.clock.now() });
          look();
        },
      );
    });
  };
  stop.addEventListener("abort", dismiss);
  look();
  try {
    const answer = await interactor.answer(question, dismissal.signal);
    // From a terminal a no without an answer is a closed prompt: the run is left as it is.
    if (answer.status !== "accepted") return "closed";
    await runs.answer(question.id, answer, interactor.name);
    return "settled";
  } catch (error) {
    const seen = classify({ surface: "node", error, observedAt: io.clock.now() });
    if (dismissal.signal.aborted && traitsOf(seen.code).cancels) return stop.aborted ? "closed" : "settled";
    throw error;
  } finally {
    disarm();
    stop.removeEventListener("abort", dismiss);
  }
}
