// A running call: its request, its record, and the interface its parts work on. Only events change its state, and each event is
// written before it counts.

import { countEvent, type ToolCounters } from "../../core/record/metrics.ts";
import { fault, type Fault, type ItemFault } from "../../core/fault/fault.ts";
import { advanceCall, type CallEvent, type CallState, startCall } from "../../core/flow/call.ts";
import type { GuardEvent, HostEvent, JournalEvent, MoneyEvent } from "../../core/record/event.ts";
import type { Clock, Moment } from "../../host/clock.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Binding } from "../tool/binding.ts";
import { preview } from "../../core/record/preview.ts";
import { classify } from "../../core/classify/classify.ts";
import type { Engine } from "../engine.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { Purse } from "../budget.ts";
import type { Recorder } from "../recorder.ts";
import type { Recourse } from "../../core/policy/policy.ts";
import type { Scope } from "../scope.ts";
import type { BreakerState, Ticket } from "../../core/decide/breaker.ts";
import { isPartial } from "../tool/tool.ts";
import type { Attempt } from "./attempt.ts";

export interface CallValue {
  readonly value: unknown;
  readonly errors: readonly ItemFault[];
}

/** What a call remembers, and how it writes its events. */
export class CallRecord {
  /** What the call returned; null until then. */
  result: CallValue | null = null;
  /** What the last attempt saved with `partial` before it failed. */
  partialValue: CallValue | null = null;
  /** What the last attempt threw. */
  thrown: unknown = undefined;
  /** The targets that a person has to repair, by the tool's id; null while there are none. */
  unusable: Map<string, Fault> | null = null;
  /** The code of the last fault of each target and tool that failed, by the tool's id; null while there are none. */
  failed: Map<string, FaultCode> | null = null;
  /** The fingerprint of the last fault; empty before the first. */
  fingerprint = "";
  /** How many incidents the runtime had noted when the call first had that fault. Those noted since belong to the same outage. */
  incidentsBefore = 0;
  /** A person approved that the running attempt exceeds the budget. */
  mayOverspend = false;
  readonly #request: CallRequest;
  readonly #counters: Map<string, ToolCounters>;
  readonly #clock: Clock;
  /** The call. Its binding changes when another tool or target takes over. */
  readonly #run: Pick<LiveCall, "binding">;
  /** The state of a call outside sessions, without `#noted`. A session keeps the state of its calls itself. */
  #own: CallState | null = null;
  /** Events that are not folded into the state yet. Most calls succeed at once, and no code asks for their state. */
  #noted: { readonly event: CallEvent; readonly at: number }[] = [];
  /** Events that are written with the next one. */
  #unwritten: JournalEvent[] = [];

  constructor(
    request: CallRequest,
    { counters, clock }: Pick<Engine, "counters" | "clock">,
    run: Pick<LiveCall, "binding">,
  ) {
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

  /** Counts the event at once, and writes it together with the next one. */
  note(event: CallEvent, at: number): void {
    this.#unwritten.push(this.#run.binding.counted(event));
    this.#noted.push({ event, at });
  }

  /** Writes the event together with the next one. It is not about the state of the call. */
  attach(event: GuardEvent | MoneyEvent | HostEvent): void {
    this.#unwritten.push(this.#run.binding.counted(event));
  }

  /** Writes the event with the values that belong to it; once written, the event counts. null: written, nothing to await. */
  write(event: CallEvent, keeps: readonly Keep[] = NO_KEEPS, at = this.#clock.now()): Promise<void> | null {
    this.#unwritten.push(this.#run.binding.counted(event));
    const events = this.#unwritten;
    this.#unwritten = [];
    for (const each of events) countEvent(this.#counters, each);
    const written = this.#request.recorder.record(events, keeps, at);
    if (written === null) this.#noted.push({ event, at });
    // The session folds an event when it is on disk.
    return written === null ? null : written.then(() => void (this.#noted = []));
  }

  /** The value of a call is kept apart from its events, because events are shown to people. */
  keepsOf(call: string, value: unknown): readonly Keep[] {
    const { session, isSession } = this.#request.recorder;
    return isSession ? [{ kind: "result", key: keptCallKey(session, call), value }] : NO_KEEPS;
  }
}

/** The key under which the journal keeps the input and the result of a call. */
export function keptCallKey(session: string, call: string): string {
  return `${session}/${call}`;
}

export const NO_KEEPS: readonly Keep[] = [];

/** Writes an event that nothing waits for; a failure to write it is reported. */
export function recordInBackground({ clock, suppress }: Engine, written: Promise<void> | null): void {
  written?.catch((error: unknown) => {
    const seen = classify({ surface: "store", error, observedAt: clock.now() });
    suppress(seen, "the call continues without this line in its journal");
  });
}

// The request a call starts from: the tool, its input, and its place in a session.

export interface CallRequest {
  readonly binding: Binding;
  readonly input: unknown;
  /** null: a name is generated when one is needed. */
  readonly call: string | null;
  readonly turn: string;
  /** The stage of a workflow that the call belongs to; null outside runs. */
  readonly stage: string | null;
  /** A hash of the input, by which a resumed session recognizes it; empty outside sessions. */
  readonly digest: string;
  readonly recorder: Recorder;
  readonly budget: Purse;
  readonly scope: Scope | null;
  readonly deadline: Moment;
  /** The code of the fault after the deadline. */
  readonly deadlineCode: FaultCode;
  /** The recourses that every fault of this call has; the situation may offer more. */
  readonly offers: ReadonlySet<Recourse>;
  /** The caller can do without the result, whatever the tool declares. */
  readonly optional: boolean;
  /** The caller's own default, which overrides the tool's. */
  readonly fallbackValue: { readonly value: unknown } | null;
  /** Reads the state that the session keeps for this call, which is null before the first event is on disk. Null outside sessions. */
  readonly inSession: (() => CallState | null) | null;
  /** A person approved that it runs again after an interruption. */
  readonly mayRepeat: boolean;
  /** No person is present: a question is stored and the call stops until it is answered. */
  readonly headless: boolean;
  /** What other calls and the journal may see of its faults. Absent: all of it. */
  readonly shareable?: ((seen: Fault) => Fault) | undefined;
}

// A running call, as admission, preparation, questions and decisions see it. `CallRun` in `loop.ts` implements it.

export interface LiveCall {
  readonly engine: Engine;
  readonly request: CallRequest;
  readonly record: CallRecord;
  /** The tool in charge: an alternative may have taken over. */
  readonly binding: Binding;
  readonly call: string;
  /** The input that is sent: parsed by the tool's schema and fitted to the target. */
  readonly sentInput: unknown;
  /** The caller's input, or the one a person or a repair replaced it with. */
  readonly given: unknown;
  /** Part of the answer has reached the caller. */
  readonly committed: boolean;
  readonly cancelled: Fault | null;
  /** The tool in charge has had an attempt, so the call is in its own retry schedule. */
  readonly isUnderWay: boolean;
  /** The breaker's permission for this call; null when it has none. */
  ticket: Ticket | null;
  /** The number of its latest attempt among all attempts at the target, from `Outage.depart`. */
  readonly departure: number;
  /** Ends the wait the call is in. */
  wake: (() => void) | null;
  /** Waits; false when the call was cancelled meanwhile. */
  waitUntil(at: number): Promise<boolean>;
  /** Waits until then, or until `wake` is called. */
  waitOnce(at: number): Promise<void>;
  /** Waits for `work`. null: the time is up, or `wake` was called. */
  within<T>(work: Promise<T>, at: number): Promise<T | null>;
  replaceInput(input: unknown): void;
  setSentInput(input: unknown): void;
}

/** Why the next attempt is not sent: a fault to decide about, or a cancellation. null: it may be sent. */
export type NotSent = Fault | "cancelled" | null;

export const NO_ERRORS: readonly ItemFault[] = Object.freeze([]);

/** The value of an attempt that succeeded, and the errors of its items. */
export function valueOf({ result }: Attempt): CallValue {
  return isPartial(result) ? result : { value: result, errors: NO_ERRORS };
}

/** A placeholder where `core/flow/call.ts` guarantees a fault. If it appears, that code has a bug. */
export const NO_FAULT: Fault = fault("InvariantBroken", { message: "a failed call has no fault (a bug in Faultline)" });

/**
 * True for a call in its own retry schedule: a breaker that other calls opened does not end that schedule. Two things do: a breaker that
 * counts attempts, because that setting gives it precedence, and an operator who took the target out of service.
 */
export function ignoresOpenBreaker({ binding, isUnderWay }: LiveCall): boolean {
  return isUnderWay && binding.policy.breaker.counts === "calls" && binding.target.breaker.state !== "isolated";
}

/** Records that the breaker changed while the call used it. */
export function noteBreaker({ binding, record }: LiveCall, from: BreakerState): void {
  const { id, breaker } = binding.target;
  if (breaker.state === from) return;
  record.attach({ type: "breaker-changed", target: id, tool: binding.tool.id, from, to: breaker.state });
}
