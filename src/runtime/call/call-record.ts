// The memory of one call while it is live: its state, moved only by events, and each event written before it counts.

import type { ToolCounters } from "../../core/record/metrics.ts";
import { countEvent } from "../../core/record/metrics.ts";
import type { ItemFault } from "../../core/fault/partial.ts";
import { advanceCall, type CallEvent, type CallState, startCall } from "../../core/flow/call.ts";
import type { GuardEvent, HostEvent, JournalEvent, MoneyEvent } from "../../core/record/event.ts";
import type { Clock } from "../../host/clock.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Binding } from "./binding.ts";
import type { CallRequest } from "./call-request.ts";
import { preview } from "./preview.ts";

export interface CallValue {
  readonly value: unknown;
  readonly errors: readonly ItemFault[];
}

/** What it needs of the runtime. */
interface RecordHome {
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
  #state: CallState | null;
  /** Events that stand after that state. Most calls succeed at once, and then nobody asks for it. */
  #unfolded: { readonly event: CallEvent; readonly at: number }[] = [];
  /** Events that count already and are written with the next one. */
  #unwritten: JournalEvent[] = [];

  constructor(request: CallRequest, { counters, clock }: RecordHome, run: Recorded) {
    this.#request = request;
    this.#run = run;
    this.#counters = counters;
    this.#clock = clock;
    this.#state = request.resumed;
  }

  get begun(): boolean {
    return this.#state !== null || this.#unfolded.length > 0;
  }

  get state(): CallState {
    for (const { event, at } of this.#unfolded) {
      if (event.type === "call-started") this.#state = startCall(event);
      else if (this.#state !== null) this.#state = advanceCall(this.#state, event, at);
    }
    this.#unfolded = [];
    if (this.#state === null) throw new Error("a call was looked at before it had begun");
    return this.#state;
  }

  begin(call: string): void {
    const { turn, digest, deadline, binding, input, recorder } = this.#request;
    const started = {
      type: "call-started",
      call,
      turn,
      tool: binding.tool.id,
      digest,
      input: recorder.session === "" ? null : preview(input, recorder.redactor),
      deadlineAt: Number.isFinite(deadline.at) ? deadline.at : null,
    } as const;
    this.note(started, 0);
  }

  /** Takes an event in without waiting for the journal. */
  note(event: CallEvent, at: number): void {
    this.#unwritten.push(this.#run.binding.counted(event));
    this.#unfolded.push({ event, at });
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
    if (written === null) this.#unfolded.push({ event, at });
    // Waits are counted from when the event was on disk.
    return written === null ? null : written.then(() => void this.#unfolded.push({ event, at: this.#clock.now() }));
  }

  /** The value of a call, kept apart from its events so that they can be shown. */
  keepsOf(call: string, value: unknown): readonly Keep[] {
    const { session } = this.#request.recorder;
    return session === "" ? NO_KEEPS : [{ kind: "result", key: `${session}/${call}`, value }];
  }
}

const NO_KEEPS: readonly Keep[] = [];
