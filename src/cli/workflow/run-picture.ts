// A run as a terminal follows it: its folded state, and what only its stream of events tells: which call waits for its next
// attempt, where a failed visit leads, and which failures the run survived.

import { type FaultCode, isFaultCode, traitsOf } from "../../core/index.ts";
import type { Spending } from "../../core/flow/money.ts";
import { keyOf, type RunState, type Visit, visitOf } from "../../core/flow/run.ts";
import type { Entry } from "../../core/record/event.ts";
import { emptySession, foldEntry } from "../../core/record/replay.ts";
import type { RunStreamEvent } from "../../core/record/run-stream.ts";

/** A call that is retried, as opposed to a new attempt of the node. */
export interface SeenCall {
  readonly target: string;
  readonly reason: FaultCode | "paused" | "paced";
  readonly attempt: number;
  readonly of: number | null;
  readonly nextAt: number;
}

/** What the stream tells of a visit besides its state. */
export interface VisitNote {
  readonly call: SeenCall | null;
  /** The nodes that follow it although it failed. */
  readonly goesTo: readonly string[];
}

/** Failures that did not end the run. */
export interface Survived {
  readonly retries: number;
  readonly switches: number;
  readonly waits: number;
  readonly regenerations: number;
}

const NO_NOTE: VisitNote = { call: null, goesTo: [] };

export class RunPicture {
  readonly #session = emptySession("");
  readonly #notes = new Map<string, VisitNote>();
  survived: Survived = { retries: 0, switches: 0, waits: 0, regenerations: 0 };

  /** `events` are those that the run's stream made from the entry. */
  feed(entry: Entry, events: readonly RunStreamEvent[]): void {
    foldEntry(this.#session, entry);
    for (const event of events) {
      const what = survivedIn(event);
      if (what !== null) this.survived = { ...this.survived, [what]: this.survived[what] + 1 };
      const note = noteIn(event);
      if (note !== null) this.#notes.set(keyOf(event), note);
    }
  }

  /** null before its first entry. */
  get run(): RunState | null {
    return this.#session.run;
  }

  get spending(): Spending {
    return this.#session.spending;
  }

  /** The visits that this run has begun itself. */
  get visits(): readonly Visit[] {
    return this.run?.visits.filter(({ startedAt, inherited }) => startedAt > 0 && !inherited) ?? [];
  }

  visitOf(place: Pick<Visit, "node" | "execution">): Visit | undefined {
    return this.run === null ? undefined : visitOf(this.run, place);
  }

  noteOf(visit: Visit): VisitNote {
    return this.#notes.get(keyOf(visit)) ?? NO_NOTE;
  }
}

/** null: what is known of the visit stays. */
function noteIn(event: RunStreamEvent): VisitNote | null {
  switch (event.type) {
    case "call.retrying": {
      const { target, callAttempt: attempt, of, reason, nextAt } = event.data;
      return { call: { target, reason, attempt, of, nextAt }, goesTo: [] };
    }
    case "node.failed":
      return { call: null, goesTo: event.data.next };
    case "node.started":
    case "node.resumed":
    case "gate.resumed":
      return NO_NOTE;
    default:
      return null;
  }
}

function survivedIn(event: RunStreamEvent): keyof Survived | null {
  switch (event.type) {
    case "run.started":
    case "run.instructed":
      return event.data.action === "regenerate-once" ? "regenerations" : null;
    case "node.retrying":
      return isOutput(event.data.failure.code) ? "regenerations" : "retries";
    case "node.paused":
      return event.data.why === "parked" ? "waits" : null;
    case "call.retrying":
      // Pacing is deliberate, and a postponed call is reported when its node pauses.
      return isFaultCode(event.data.reason) && event.data.of !== null ? "retries" : null;
    case "call.switched":
      return "switches";
    case "call.regenerating":
      return "regenerations";
    default:
      return null;
  }
}

/** The model's answer was invalid; asking it again does not count as a retry. */
function isOutput(code: FaultCode): boolean {
  return isFaultCode(code) && traitsOf(code).scope === "output";
}
