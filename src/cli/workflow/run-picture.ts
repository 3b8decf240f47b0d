// A run as a terminal follows it: its folded state, and what only its stream of events tells: where a failed visit leads, and
// which failures the run survived.

import { type FaultCode, isFaultCode, traitsOf } from "../../core/index.ts";
import { actionHas } from "../../core/flow/action.ts";
import type { Spending } from "../../core/flow/money.ts";
import { keyOf, type RunState, visitOf } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import type { Entry } from "../../core/record/event.ts";
import { emptySession, foldEntry } from "../../core/record/replay.ts";
import type { RunStreamEvent } from "../../core/record/run-stream.ts";

/** Failures that did not end the run. */
export interface Survived {
  readonly retries: number;
  readonly switches: number;
  readonly waits: number;
  readonly regenerations: number;
}

export class RunPicture {
  readonly #session = emptySession("");
  /** The nodes that follow a visit although it failed, by `node#execution`. */
  readonly #follow = new Map<string, readonly string[]>();
  /** Switches of calls that have not succeeded yet, by call: a switch counts as survived when an answer followed it. */
  readonly #switched = new Map<string, number>();
  survived: Survived = { retries: 0, switches: 0, waits: 0, regenerations: 0 };

  /** `events` are those that the run's stream made from the entry. */
  feed(entry: Entry, events: readonly RunStreamEvent[]): void {
    foldEntry(this.#session, entry);
    if (entry.event.type === "call-succeeded") this.#answered(entry.event.call);
    for (const event of events) {
      const what = survivedIn(event);
      if (event.type === "call.switched")
        this.#switched.set(event.data.call, (this.#switched.get(event.data.call) ?? 0) + 1);
      if (what !== null) this.survived = { ...this.survived, [what]: this.survived[what] + 1 };
      if (event.type === "node.failed") this.#follow.set(keyOf(event), event.data.next);
    }
  }

  #answered(call: string): void {
    const switches = this.survived.switches + (this.#switched.get(call) ?? 0);
    this.#switched.delete(call);
    this.survived = { ...this.survived, switches };
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

  /** The nodes that follow it although it failed. */
  followersOf(visit: Visit): readonly string[] {
    return this.#follow.get(keyOf(visit)) ?? [];
  }
}

function survivedIn(event: RunStreamEvent): keyof Survived | null {
  switch (event.type) {
    case "run.started":
    case "run.instructed":
      return actionHas(event.data.action, "regenerates") ? "regenerations" : null;
    case "node.retrying":
      return isOutput(event.data.failure.code) ? "regenerations" : "retries";
    case "node.paused":
      return event.data.why === "parked" ? "waits" : null;
    case "call.retrying":
      // Pacing is deliberate, and a postponed call is reported when its node pauses.
      return isFaultCode(event.data.reason) && event.data.of !== null ? "retries" : null;
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
