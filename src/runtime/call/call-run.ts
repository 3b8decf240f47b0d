// One protected call, live: performs what the pure machine of `core/flow/call.ts` says next, and feeds back what came of it.
// R1  nothing is performed before the event that decided it is written.
// R2  after the call has answered, no attempt starts.
// R3  a cancellation ends any wait at once, wins over every other outcome, and counts against nobody.
// There are two ways through it. Outside a session, as long as there is nothing to wait for, it goes from one attempt to the
// next without a promise of its own (`#launch`, `#landed`, `#goOn`), and a plain tool remembers nothing until something fails.
// Everything else takes the long way (`#drive`), which can wait.

import { classify } from "../../core/classify/classify.ts";
import { readPace } from "../../core/classify/limits.ts";
import type { Ticket } from "../../core/decide/breaker.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { Interruptible } from "../interruptible.ts";
import { askPerson } from "./ask.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { Binding } from "./binding.ts";
import { endAsCancelled, endAsInterrupted, endAttempt, endUnbegun, redecide } from "./call-ending.ts";
import { CallRecord } from "./call-record.ts";
import type { CallRequest } from "./call-request.ts";
import { brokenOutcome, keptResult, outcomeOf, recordLate } from "./call-result.ts";
import type { Engine } from "../engine.ts";
import { mayGoAtOnce, passAtOnce, passGuards, takePlaceAtOnce } from "./guards.ts";
import { type CallValue, type LiveCall, NO_FAULT, valueOf } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import { prepareAtOnce, prepareInput } from "./prepare-input.ts";
import { toolInCharge } from "./tool-in-charge.ts";

export class CallRun extends Interruptible implements LiveCall, AttemptOwner {
  readonly engine: Engine;
  readonly request: CallRequest;
  binding: Binding;
  ticket: Ticket | null = null;
  result: CallValue | null = null;
  partialValue: CallValue | null = null;
  met = "";
  #record: CallRecord | null = null;
  #call: string | null;
  given: unknown;
  committed = false;
  #input: unknown;
  #inputReady = false;
  #attempt: Attempt | null = null;
  #answer: (outcome: Outcome<unknown> | Promise<Outcome<unknown>>) => void = () => undefined;

  constructor(engine: Engine, request: CallRequest) {
    super(engine.clock);
    this.engine = engine;
    this.request = request;
    this.binding = request.binding;
    this.given = request.input;
    this.#input = request.input;
    this.#call = request.call;
  }

  get call(): string {
    return (this.#call ??= this.engine.newCall());
  }

  /** Made when there is something to remember. */
  get record(): CallRecord {
    return (this.#record ??= new CallRecord(this.request, this.engine));
  }

  get input(): unknown {
    return this.#input;
  }

  run(): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.request.scope?.add(this);
      if (!this.#launchFirst(this.engine.clock.now())) this.#answer(this.#long());
    });
  }

  override cancel(why: Fault): void {
    super.cancel(why);
    this.#attempt?.giveUp(why);
  }

  replaceInput(input: unknown): void {
    this.given = input;
    this.#forgetInput();
  }

  fitted(input: unknown): void {
    this.#input = input;
    this.#inputReady = true;
  }

  responseHeaders(headers: unknown): void {
    const now = this.engine.clock.now();
    this.binding.target.heed(readPace(headers, now), now);
  }

  /** The next tool reads what was given, not what the last one's schema made of it. */
  #forgetInput(): void {
    this.#input = this.given;
    this.#inputReady = false;
  }

  // The short way.

  /** The first attempt, if it can go out at once. */
  #launchFirst(now: number): boolean {
    const { target, isPlain } = this.binding;
    const isOutside = this.request.recorder.session === "";
    // A breaker that is not closed is asked on the long way, where what it does is written down.
    const isQuick = isOutside && target.breaker.state === "closed" && mayGoAtOnce(this, now);
    if (!isQuick || !(isPlain || prepareAtOnce(this)) || target.enter() !== true) return false;
    this.ticket = target.admit(now);
    if (!isPlain) this.record.begin(this.call);
    if (!isPlain && !this.#announce(1, now)) return false;
    this.#launch(1, now);
    return true;
  }

  /** Writes down that an attempt goes out. False, without its place, when that takes time or whoever was told has cancelled it. */
  #announce(number: number, now: number): boolean {
    const { call, record, binding } = this;
    const written = record.write({ type: "call-admitted", call, tool: binding.tool.id, attempt: number }, [], now);
    if (written === null && this.cancelled === null) return true;
    binding.target.leave();
    return false;
  }

  #launch(number: number, now: number): void {
    const { tool, provider } = this.binding;
    if (number === 1) provider.earn(now);
    const attempt = new Attempt(tool, number, now, this.request.deadlineAt, this.engine.wheel, this);
    this.#attempt = attempt;
    attempt.start(this.#input, LAND);
  }

  landed(attempt: Attempt): void {
    try {
      this.#land(attempt);
    } catch (error) {
      // Thrown on, it would be nobody's: the caller waits for an answer.
      const seen = classify({ surface: "node", error, observedAt: this.engine.clock.now() });
      this.request.scope?.remove(this);
      this.#answer(this.#failed(seen));
    }
  }

  #land(attempt: Attempt): void {
    const { target, tool, counters } = this.binding;
    const { ticket, call } = this;
    this.#attempt = null;
    target.leave();
    if (this.#record === null && attempt.end === "value" && ticket !== null && attempt.costMicrocents === null) {
      target.record(ticket, "success", attempt.startedAt);
      counters.calls += 1;
      counters.successes += 1;
      this.#done(attempt, valueOf(attempt));
      return;
    }
    if (this.#record === null) {
      this.record.begin(call);
      this.record.note({ type: "call-admitted", call, tool: tool.id, attempt: 1 }, attempt.startedAt);
    }
    const ended = endAttempt(this, attempt, null);
    if (ended !== null) this.#answer(ended.then(() => this.#long()));
    else if (this.result !== null) this.#done(attempt, this.result);
    else this.#goOn();
  }

  /** On the short way one tool alone has been tried, so its last attempt says how many there were. */
  #done({ attempt, tool }: Attempt, { value, errors }: CallValue): void {
    this.request.scope?.remove(this);
    this.#answer({ status: "done", value, from: tool, errors, call: this.call, attempts: attempt });
  }

  /** The next attempt, if it can go out at once; otherwise the long way. */
  #goOn(): void {
    const { state } = this.record;
    const { step } = state;
    const now = this.engine.clock.now();
    const isNext = step.at === "admit" && step.notBefore <= now && state.tool === this.binding.tool.id;
    if (
      isNext &&
      this.binding.isPlain &&
      state.attempts < MOST_LAUNCHES &&
      mayGoAtOnce(this, now) &&
      takePlaceAtOnce(this) &&
      passAtOnce(this, null) === null &&
      this.#announce(state.attempt + 1, now)
    ) {
      this.#launch(state.attempt + 1, now);
      return;
    }
    this.#answer(this.#long());
  }

  // The long way.

  async #long(): Promise<Outcome<unknown>> {
    try {
      return await this.#drive();
    } catch (error) {
      // The journal is gone, or we have a bug.
      const seen = classify({ surface: "store", error, observedAt: this.engine.clock.now() });
      return this.#failed(seen);
    } finally {
      this.request.scope?.remove(this);
    }
  }

  #failed(seen: Fault): Outcome<unknown> {
    return brokenOutcome(this.call, this.#record?.begun === true ? this.#record.state.attempts : 0, seen);
  }

  async #drive(): Promise<Outcome<unknown>> {
    if (!this.record.begun) this.record.begin(this.call);
    for (;;) {
      const { state } = this.record;
      const { step, attempts } = state;
      if (step.at === "end") return outcomeOf(this, state, step.end, this.result ?? (await keptResult(this, step.end)));
      if (this.cancelled !== null) {
        await endAsCancelled(this, this.cancelled, null);
        continue;
      }
      if (state.tool !== this.binding.tool.id) this.#switchTo(state.tried);
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
          const { wakeAt } = step;
          if (this.engine.clock.now() < wakeAt) {
            return { status: "parked", wakeAt, fault: state.fault ?? NO_FAULT, call: this.call, attempts };
          }
          await this.#admit(wakeAt);
          break;
        }
      }
    }
  }

  #switchTo(tried: readonly string[]): void {
    this.ticket = null;
    this.partialValue = null;
    this.#forgetInput();
    this.binding = toolInCharge(this, tried);
  }

  async #admit(notBefore: number): Promise<void> {
    const { engine, request } = this;
    if (!(await this.waitUntil(notBefore))) return;
    if ((!this.#inputReady || this.record.state.repairDue) && !(await prepareInput(this))) return;
    const { tool, target, provider } = this.binding;
    const estimate = request.budget.isBounded ? this.binding.estimate(this.#input, engine.suppress) : null;
    const refused = await passGuards(this, estimate);
    if (refused === "cancelled") return;
    if (refused !== null) return redecide(this, refused);
    let attempt: Attempt | null = null;
    try {
      const number = this.record.state.attempt + 1;
      if (number === 1) provider.earn(engine.clock.now());
      await this.record.write({ type: "call-admitted", call: this.call, tool: tool.id, attempt: number });
      const now = engine.clock.now();
      // Writing it down may have taken the time that was left.
      if (this.cancelled === null && now < request.deadlineAt) {
        attempt = new Attempt(tool, number, now, request.deadlineAt, engine.wheel, this);
        this.#attempt = attempt;
        await attempt.run(this.#input);
      }
    } finally {
      this.#attempt = null;
      target.leave();
      if (attempt === null) request.budget.settle(estimate, null);
    }
    if (attempt !== null) await endAttempt(this, attempt, estimate);
    else if (this.cancelled === null) await endUnbegun(this);
  }

  late(attempt: Attempt, ok: boolean, result: unknown): void {
    recordLate(this, attempt, ok, result);
  }
}

/** Each launch stands on the stack of the one before when the tool answers at once. */
const MOST_LAUNCHES = 20;
const LAND = (attempt: Attempt): void => attempt.owner.landed(attempt);
