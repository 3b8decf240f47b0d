// One protected call, live: performs what the pure machine of `core/flow/call.ts` says next, and feeds back what came of it.
// R1  nothing is performed before the event that decided it is written.
// R2  after the call has answered, no attempt starts.
// R3  a cancellation ends any wait at once, wins over every other outcome, and counts against nobody.
// The first attempt of a call outside a session takes a short way (`#quick`): the same guards, but no state and no event
// until something fails.

import type { Ticket } from "../../core/decide/breaker.ts";
import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Check } from "../../schema/index.ts";
import { askPerson } from "./ask.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { Binding } from "./binding.ts";
import { endAsCancelled, endAsInterrupted, endAttempt, redecide } from "./call-ending.ts";
import { CallRecord } from "./call-record.ts";
import type { CallRequest } from "./call-request.ts";
import { outcomeOf, recordLate } from "./call-result.ts";
import { checkValue } from "./check-value.ts";
import type { Engine } from "../engine.ts";
import { Interruptible } from "./interruptible.ts";
import { passGuards } from "./guards.ts";
import { type CallValue, type LiveCall, NO_ERRORS } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import { isPartial } from "../tool/tool.ts";

export class CallRun extends Interruptible implements LiveCall, AttemptOwner {
  readonly engine: Engine;
  readonly request: CallRequest;
  readonly record: CallRecord;
  binding: Binding;
  ticket: Ticket | null = null;
  result: CallValue | null = null;
  partialValue: CallValue | null = null;
  met = "";
  #call: string | null;
  #given: unknown;
  #input: unknown;
  #inputChecked = false;
  #attempt: Attempt | null = null;

  constructor(engine: Engine, request: CallRequest) {
    super(engine.clock);
    this.engine = engine;
    this.request = request;
    this.binding = request.binding;
    this.record = new CallRecord(request, engine.counters, engine.clock);
    this.#given = request.input;
    this.#input = request.input;
    this.#call = request.call;
  }

  get call(): string {
    return (this.#call ??= this.engine.newCall());
  }

  get input(): unknown {
    return this.#input;
  }

  async run(): Promise<Outcome<unknown>> {
    const { scope, recorder } = this.request;
    scope?.add(this);
    try {
      const quick = recorder.session === "" && this.binding.tool.checkInput === null ? await this.#quick() : null;
      return quick ?? (await this.#drive());
    } catch (error) {
      // The journal is gone, or we have a bug; for the caller it is a failed call all the same.
      const seen = classify({ surface: "store", error, observedAt: this.engine.clock.now() });
      return { status: "failed", fault: seen, decision: null, call: this.call, attempts: 0 };
    } finally {
      scope?.remove(this);
    }
  }

  override cancel(why: Fault): void {
    super.cancel(why);
    this.#attempt?.cancel(why);
  }

  replaceInput(input: unknown): void {
    this.#given = input;
    this.#forgetInput();
  }

  /** The next tool reads what was given, not what the last one's schema made of it. */
  #forgetInput(): void {
    this.#input = this.#given;
    this.#inputChecked = false;
  }

  /** The first attempt, if nothing stands in its way; null when the long way has to be taken. */
  async #quick(): Promise<Outcome<unknown> | null> {
    const { binding, engine } = this;
    const { target, tool } = binding;
    const now = engine.clock.now();
    if (this.cancelled !== null || target.pausedUntil > now || tool.estimate !== null) return null;
    if (target.enter() !== true) return null;
    // A breaker that is not closed is asked on the long way, where what it does is written down.
    if (target.breaker.state !== "closed") {
      target.leave();
      return null;
    }
    this.ticket = target.admit(now);
    if (this.ticket === null) return null;
    binding.provider.earn(now);
    const attempt = new Attempt(tool, 1, now, this.request.deadlineAt, engine.wheel, this);
    this.#attempt = attempt;
    await attempt.run(this.#input);
    target.leave();
    this.#attempt = null;
    if (attempt.end === "value" && tool.checkOutput === null && attempt.costMicrocents === null) {
      target.record(this.ticket, "success", now);
      binding.counters.calls += 1;
      binding.counters.successes += 1;
      const value = attempt.result;
      const done = { status: "done", from: tool.id, call: this.call, attempts: 1 } as const;
      return isPartial(value)
        ? { ...done, value: value.value, errors: value.errors }
        : { ...done, value, errors: NO_ERRORS };
    }
    this.record.begin(this.call);
    this.record.note({ type: "call-admitted", call: this.call, tool: tool.id, attempt: 1 }, now);
    const ended = endAttempt(this, attempt, null);
    if (ended !== null) await ended;
    return null;
  }

  async #drive(): Promise<Outcome<unknown>> {
    if (!this.record.begun) this.record.begin(this.call);
    for (;;) {
      const { state } = this.record;
      const { step } = state;
      if (step.at === "end") return outcomeOf(this, state, step.end);
      if (this.cancelled !== null) {
        await endAsCancelled(this, this.cancelled);
        continue;
      }
      if (state.tool !== this.binding.tool.id) this.#switchTo(state.tool);
      switch (step.at) {
        case "admit":
          await this.#admit(step.notBefore);
          break;
        case "run":
          await endAsInterrupted(this, state);
          break;
        case "decide":
          await redecide(this, state.fault ?? NO_FAULT);
          break;
        case "ask": {
          const waiting = await askPerson(this, state);
          if (waiting !== null) return waiting;
          break;
        }
        case "park": {
          const { call } = this;
          const { attempts } = state;
          const { wakeAt } = step;
          if (this.engine.clock.now() < wakeAt) {
            return { status: "parked", wakeAt, fault: state.fault ?? NO_FAULT, call, attempts };
          }
          await this.#admit(wakeAt);
          break;
        }
      }
    }
  }

  #switchTo(id: string): void {
    const named = [...this.request.binding.alternatives, ...this.binding.alternatives];
    const found = named.find((other) => other.id === id) ?? this.engine.find(id);
    this.ticket = null;
    this.#forgetInput();
    this.partialValue = null;
    if (found !== undefined) this.binding = this.engine.bind(found);
  }

  async #admit(notBefore: number): Promise<void> {
    const { engine, request } = this;
    const begun = engine.clock.now();
    if (notBefore > begun && !(await this.waitUntil(notBefore))) return;
    const { checkInput } = this.binding.tool;
    if (checkInput !== null && !this.#inputChecked && !(await this.#readInput(checkInput))) return;
    const { tool, target, provider } = this.binding;
    const estimate = tool.estimate === null ? null : this.binding.estimate(this.#input, engine.suppress);
    const passed = passGuards(this, estimate, begun);
    const refused = passed instanceof Promise ? await passed : passed;
    if (refused === "cancelled") return;
    if (refused !== null) return redecide(this, refused);
    request.budget.reserve(estimate);
    let attempt: Attempt | null = null;
    try {
      const number = this.record.state.attempt + 1;
      if (number === 1) provider.earn(engine.clock.now());
      const written = this.record.write({ type: "call-admitted", call: this.call, tool: tool.id, attempt: number });
      if (written !== null) await written;
      if (this.cancelled === null) {
        attempt = new Attempt(tool, number, engine.clock.now(), request.deadlineAt, engine.wheel, this);
        this.#attempt = attempt;
        await attempt.run(this.#input);
      }
    } finally {
      this.#attempt = null;
      target.leave();
      if (attempt === null) request.budget.settle(estimate, null);
    }
    const ended = attempt === null ? null : endAttempt(this, attempt, estimate);
    if (ended !== null) await ended;
  }

  /** The input as the tool's schema reads it. False when the call cannot go on like this. */
  async #readInput(check: Check): Promise<boolean> {
    const checked = await checkValue(check, "input", this.binding.tool.id, this.#input);
    if (checked.fault !== null) {
      await redecide(this, checked.fault);
      return false;
    }
    this.#input = checked.value;
    this.#inputChecked = true;
    return this.cancelled === null;
  }

  late(attempt: Attempt, ok: boolean, result: unknown): void {
    recordLate(this, attempt, ok, result);
  }
}

/** Stands where the machine has promised a fault; seeing it means the machine is wrong. */
const NO_FAULT: Fault = fault("InvariantBroken", { message: "a call waits for nothing" });
