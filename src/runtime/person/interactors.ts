// Puts a question to every interactor that can answer it and takes the first answer. Invariants:
// Q1  A question always gets one answer: the first good one of an interactor, or one from the clock or the caller.
// Q2  An interactor sees one question at a time, in the order they were asked, and none that is already settled. An interactor
//     that does not close a dismissed prompt delays only its own queue.
// Q3  An answer that does not fit its question is refused, and a late answer changes nothing. Both are reported.
// Q4  Once a question is settled, nothing of it is left: no timer, no listener, no place in a queue.

import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, type FaultContext, FaultError, withContext } from "../../core/fault/fault.ts";
import { type Answer, checkAnswer, type InteractionKind, type Question } from "../../core/flow/interaction.ts";
import type { Clock } from "../../host/clock.ts";

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
function takes(interactor: Interactor, kind: InteractionKind): boolean {
  return interactor.kinds === undefined || interactor.kinds.includes(kind);
}

export interface InteractorsOptions {
  readonly clock: Clock;
  /** Receives what is ignored on purpose, with the reason. Must not throw. */
  readonly suppress: (fault: Fault, reason: string) => void;
}

export interface Answered {
  readonly answer: Answer;
  /** The name of an interactor, or one of `clock`, `caller`, `nobody`. */
  readonly by: string;
}

export interface Interactors {
  /** Adds an interactor and shows it the open questions. The returned function removes it. */
  attach(interactor: Interactor): () => void;
  canAnswer(kind: InteractionKind): boolean;
  /** Never rejects for an interactor's failure: that, a timeout and a cancellation are answers too, and all mean no. */
  ask(question: Question, signal: AbortSignal | null): Promise<Answered>;
  readonly size: number;
}

/** Names for answers that no interactor gave. */
const NOT_INTERACTORS = ["clock", "caller", "nobody"];
/** How often one interactor is asked when its answers do not fit: a slip gets a second chance, a fault does not loop. */
const MAX_ASKS = 2;

/** An attached interactor and its queue. */
interface Seat {
  readonly interactor: Interactor;
  readonly waiting: Set<Asked>;
  showing: { readonly asked: Asked; readonly dismissal: AbortController } | null;
}

/** A question that is open. */
interface Asked {
  readonly question: Question;
  /** Interactors that may still answer. */
  readonly seats: Set<Seat>;
  /** Why the others will not. */
  readonly gaveUp: string[];
  settledBy: string | null;
  readonly settle: (answer: Answer, by: string) => void;
}

export function createInteractors({ clock, suppress }: InteractorsOptions): Interactors {
  const seats = new Map<string, Seat>();
  const open = new Set<Asked>();
  const callers = createCallers();

  function attach(interactor: Interactor): () => void {
    const { name } = interactor;
    if (NOT_INTERACTORS.includes(name) || seats.has(name)) {
      throw invalid(`an interactor cannot be attached as "${name}": the name is taken`, { interactor: name });
    }
    const seat: Seat = { interactor, waiting: new Set(), showing: null };
    seats.set(name, seat);
    for (const asked of open) if (takes(interactor, asked.question.payload.kind)) offer(asked, seat);
    showNext(seat);
    return () => detach(seat);
  }

  function detach(seat: Seat): void {
    if (seats.get(seat.interactor.name) !== seat) return;
    seats.delete(seat.interactor.name);
    for (const asked of open) {
      if (!asked.seats.has(seat)) continue;
      withdraw(asked, seat);
      giveUp(asked, seat, "was taken away");
    }
  }

  function ask(question: Question, signal: AbortSignal | null): Promise<Answered> {
    return new Promise((resolve) => {
      if (!Number.isFinite(question.expiresAt)) {
        throw invalid(`question ${question.id} has no time at which it expires`, { question: question.id });
      }
      const leftMs = question.expiresAt - clock.now();
      if (signal?.aborted === true) return resolve(CANCELLED);
      if (leftMs <= 0) return resolve(EXPIRED);

      const asked: Asked = {
        question,
        seats: new Set(),
        gaveUp: [],
        settledBy: null,
        settle(answer, by) {
          asked.settledBy = by;
          open.delete(asked);
          stopTimer();
          if (signal !== null) callers.remove(signal, asked);
          for (const seat of asked.seats) withdraw(asked, seat);
          asked.seats.clear();
          resolve({ answer, by });
        },
      };
      const stopTimer = clock.after(leftMs, () => asked.settle(EXPIRED.answer, EXPIRED.by));
      if (signal !== null) callers.add(signal, asked);
      open.add(asked);
      // Every interactor queues the question before the first one sees it; otherwise the first could look like the last.
      const takers = [...seats.values()].filter(({ interactor }) => takes(interactor, question.payload.kind));
      for (const seat of takers) offer(asked, seat);
      if (takers.length === 0) settleUnanswered(asked);
      for (const seat of takers) showNext(seat);
    });
  }

  function offer(asked: Asked, seat: Seat): void {
    asked.seats.add(seat);
    seat.waiting.add(asked);
  }

  function showNext(seat: Seat): void {
    if (seat.showing !== null) return;
    const [asked] = seat.waiting;
    if (asked === undefined) return;
    seat.waiting.delete(asked);
    const dismissal = new AbortController();
    seat.showing = { asked, dismissal };
    void show(asked, seat, dismissal.signal).then(() => {
      seat.showing = null;
      showNext(seat);
    });
  }

  /** Ends when the interactor is done with the question, be it settled or not. Never rejects. */
  async function show(asked: Asked, seat: Seat, signal: AbortSignal): Promise<void> {
    for (let asks = 1; asks <= MAX_ASKS && asked.seats.has(seat); asks++) {
      let given: unknown;
      try {
        given = await seat.interactor.answer(asked.question, signal);
      } catch (error) {
        const seen = classify({ surface: "node", error, observedAt: clock.now() });
        // Throwing is how a dismissed interactor ends.
        if (signal.aborted && traitsOf(seen.code).cancels) return;
        suppress(about(seen, asked, seat), reasonOfFailure(asked, seat));
        giveUp(asked, seat, `failed with ${seen.code}`);
        return;
      }
      const checked = checkAnswer(asked.question, given);
      if (!asked.seats.has(seat)) return void tellLate(checked, asked, seat);
      if (isAnswer(checked)) return void take(checked, asked, seat);
      suppress(about(checked, asked, seat), asks < MAX_ASKS ? "it is asked once more" : "it is not asked again");
    }
    giveUp(asked, seat, "gave no answer that fits");
  }

  function take(answer: Answer, asked: Asked, seat: Seat): void {
    if (answer.status === "timeout") return giveUp(asked, seat, "gave up");
    asked.seats.delete(seat);
    asked.settle(answer, seat.interactor.name);
  }

  function tellLate(checked: Answer | Fault, asked: Asked, seat: Seat): void {
    if (isAnswer(checked) && checked.status === "timeout") return;
    const message = `${seat.interactor.name} answered question ${asked.question.id} too late`;
    const reason = asked.settledBy === null ? "it was taken away before" : `${asked.settledBy} had settled it before`;
    suppress(about(fault("EngineState", { message }), asked, seat), reason);
  }

  function giveUp(asked: Asked, seat: Seat, why: string): void {
    if (!asked.seats.delete(seat)) return;
    asked.gaveUp.push(`${seat.interactor.name} ${why}`);
    if (asked.seats.size === 0) settleUnanswered(asked);
  }

  return {
    attach,
    canAnswer: (kind) => [...seats.values()].some(({ interactor }) => takes(interactor, kind)),
    ask,
    get size() {
      return seats.size;
    },
  };
}

const CANCELLED: Answered = { answer: { status: "rejected", reason: "cancelled" }, by: "caller" };
const EXPIRED: Answered = { answer: { status: "timeout" }, by: "clock" };

function settleUnanswered({ gaveUp, question, settle }: Asked): void {
  const why = gaveUp.length === 0 ? `no interactor takes ${question.payload.kind}` : gaveUp.join(", ");
  settle({ status: "rejected", reason: `no answer: ${why}` }, "nobody");
}

/** Off the screen if it is shown, out of the queue if it waits. */
function withdraw(asked: Asked, seat: Seat): void {
  if (seat.showing?.asked === asked) {
    const message = `question ${asked.question.id} needs no answer any more`;
    seat.showing.dismissal.abort(new FaultError(fault("TurnCancelled", { message })));
    return;
  }
  seat.waiting.delete(asked);
}

function reasonOfFailure({ settledBy, seats }: Asked, seat: Seat): string {
  if (settledBy !== null) return `${settledBy} had settled the question before`;
  const others = seats.has(seat) ? seats.size - 1 : seats.size;
  return others > 0 ? "the others continue" : "no other interactor can answer, so it counts as a no";
}

function about(seen: Fault, { question }: Asked, { interactor }: Seat): Fault {
  return withContext(seen, { question: question.id, kind: question.payload.kind, interactor: interactor.name });
}

function isAnswer(checked: Answer | Fault): checked is Answer {
  return "status" in checked;
}

function invalid(message: string, context: FaultContext): FaultError {
  return new FaultError(fault("ShapeInvalid", { message, context }));
}

interface Callers {
  add(signal: AbortSignal, asked: Asked): void;
  remove(signal: AbortSignal, asked: Asked): void;
}

/** One listener per caller's signal, whatever the number of questions, and none when there is no question. */
function createCallers(): Callers {
  const bySignal = new Map<AbortSignal, { readonly questions: Set<Asked>; readonly listener: () => void }>();
  return {
    add(signal, asked) {
      let caller = bySignal.get(signal);
      if (caller === undefined) {
        const questions = new Set<Asked>();
        const listener = (): void => {
          for (const { settle } of [...questions]) settle(CANCELLED.answer, CANCELLED.by);
        };
        caller = { questions, listener };
        bySignal.set(signal, caller);
        signal.addEventListener("abort", listener);
      }
      caller.questions.add(asked);
    },
    remove(signal, asked) {
      const caller = bySignal.get(signal);
      caller?.questions.delete(asked);
      if (caller?.questions.size !== 0) return;
      bySignal.delete(signal);
      signal.removeEventListener("abort", caller.listener);
    },
  };
}
