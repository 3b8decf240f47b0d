// The memory of a running call: its state, which only events change, and each event is written before it counts.

import { countEvent, type ToolCounters } from "../../core/record/metrics.ts";
import type { ItemFault } from "../../core/fault/partial.ts";
import { advanceCall, type CallEvent, type CallState, startCall } from "../../core/flow/call.ts";
import type { GuardEvent, HostEvent, JournalEvent, MoneyEvent } from "../../core/record/event.ts";
import type { Clock } from "../../host/clock.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Binding } from "../tool/binding.ts";
import type { CallRequest } from "./request.ts";
import { preview } from "../../core/record/preview.ts";
import { classify } from "../../core/classify/classify.ts";
import type { Engine } from "../engine.ts";

export interface CallValue {
  readonly value: unknown;
  readonly errors: readonly ItemFault[];
}

/** What it needs from the runtime. */
interface RecordDeps {
  readonly counters: Map<string, ToolCounters>;
  readonly clock: Clock;
}

/** The call, whose binding changes when another tool or target takes over. */
interface Recorded {
  readonly binding: Binding;
}

export class CallRecord {
  /** What the call returned; null while it has not. */
  result: CallValue | null = null;
  /** What the last attempt put down before it failed. */
  partialValue: CallValue | null = null;
  /** What the last attempt threw. */
  thrown: unknown = undefined;
  /** The fingerprint of the last fault at its target; empty before the first. */
  met = "";
  /** How many incidents were noted when that fault was first met: later ones overlap with this call. */
  metAfter = 0;
  /** A person let the running attempt past the budget. */
  mayOverspend = false;
  readonly #request: CallRequest;
  readonly #counters: Map<string, ToolCounters>;
  readonly #clock: Clock;
  readonly #run: Recorded;
  /** The state of a call outside sessions, without `#noted`. In a session the session has it. */
  #own: CallState | null = null;
  /** Events that count, although they are not folded into the state yet. Most calls succeed at once, and nothing asks for it. */
  #noted: { readonly event: CallEvent; readonly at: number }[] = [];
  /** Events that are written with the next one. */
  #unwritten: JournalEvent[] = [];

  constructor(request: CallRequest, { counters, clock }: RecordDeps, run: Recorded) {
    this.#request = request;
    this.#run = run;
    this.#counters = counters;
    this.#clock = clock;
  }

  get begun(): boolean {
    return this.#noted.length > 0 || this.#written() !== null;
  }

  get state(): CallState {
    let state = this.#written();
    for (const { event, at } of this.#noted) {
      if (event.type === "call-started") state = startCall(event);
      else if (state !== null) state = advanceCall(state, event, at);
    }
    if (state === null) throw new Error("a call was looked at before it had begun");
    if (this.#request.inSession === null) {
      this.#own = state;
      this.#noted = [];
    }
    return state;
  }

  #written(): CallState | null {
    const { inSession } = this.#request;
    return inSession === null ? this.#own : inSession();
  }

  begin(call: string): void {
    const { turn, digest, deadline, binding, input, recorder } = this.#request;
    const started = {
      type: "call-started",
      call,
      turn,
      tool: binding.tool.id,
      digest,
      input: recorder.isSession ? preview(input, recorder.redactor) : null,
      deadlineAt: Number.isFinite(deadline.at) ? deadline.at : null,
    } as const;
    this.note(started, 0);
  }

  /** Takes an event in without waiting for the journal. */
  note(event: CallEvent, at: number): void {
    this.#unwritten.push(this.#run.binding.counted(event));
    this.#noted.push({ event, at });
  }

  /** Something that happened on the way and changes nothing for the call. */
  aside(event: GuardEvent | MoneyEvent | HostEvent): void {
    this.#unwritten.push(this.#run.binding.counted(event));
  }

  /** Writes the event, with the values that belong to it, and then lets it count. null: done, nothing to wait for. */
  write(event: CallEvent, keeps: readonly Keep[] = NO_KEEPS, at = this.#clock.now()): Promise<void> | null {
    this.#unwritten.push(this.#run.binding.counted(event));
    const events = this.#unwritten;
    this.#unwritten = [];
    for (const each of events) countEvent(this.#counters, each);
    const written = this.#request.recorder.record(events, keeps, at);
    if (written === null) this.#noted.push({ event, at });
    // Once it is on disk, the session has folded it.
    return written === null ? null : written.then(() => void (this.#noted = []));
  }

  /** The value of a call, kept apart from its events so that they can be shown. */
  keepsOf(call: string, value: unknown): readonly Keep[] {
    const { session, isSession } = this.#request.recorder;
    return isSession ? [{ kind: "result", key: `${session}/${call}`, value }] : NO_KEEPS;
  }
}

const NO_KEEPS: readonly Keep[] = [];

/** Writes an event that nothing waits for; a failure to write it is reported. */
export function recordInBackground({ clock, suppress }: Engine, written: Promise<void> | null): void {
  written?.catch((error: unknown) => {
    const seen = classify({ surface: "store", error, observedAt: clock.now() });
    suppress(seen, "the call continues without this line in its journal");
  });
}
